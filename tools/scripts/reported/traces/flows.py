"""usage: flows.py TRACE   how many ends of arrows of a Chrome trace lie in no slice; fails if any does"""
import collections
import json
import sys

events = json.load(open(sys.argv[1]))["traceEvents"]
slices = collections.defaultdict(list)
for event in events:
    if event["ph"] == "X":
        slices[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
ends = [event for event in events if event["ph"] in "sf"]
lost = sum(not any(begin - 1e-6 <= event["ts"] <= end + 1e-6 for begin, end in slices[event["pid"], event["tid"]])
           for event in ends)
print(len(ends), "ends of arrows,", lost, "of them in no slice")
sys.exit(lost > 0 or not ends)
