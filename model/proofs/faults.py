#!/usr/bin/env python3
"""Plants faults in recorded runs and compares what the certifier and keyswap say of them.

usage: faults.py CERTIFIER [--keyswap PROGRAM] [--seed N] [--table]
  --keyswap  also ask `PROGRAM verify`, and explain each difference
  --seed     of the records and values that are changed (default: 1)
  --table    print the table of the README: each field of each record, rejected or accepted

Every field of every record type of every trace below is changed, checksums are made anew, records are
left out, doubled and moved. The certifier has to reject each fault, but for those of ACCEPTED.
Exit status: 0 so it is, 1 it is not.
"""

import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import zlib

RECORDED = pathlib.Path(__file__).parents[2] / "traces/recorded"
TRACES = [
    "2gpus-paper-few-keys",
    "2gpus-fast-few-keys",
    "2gpus-rotated-two-values",
    "2gpus-paper-f32-normal-pairs-descending",
    "3virtual-rotated-digits-of-5-bits",
    "3virtual-fast-zero",
    "4gpus-fast-u32-uniform",
    "4gpus-again-fast-few-keys",
    "1gpu-paper-f64-normal-pairs",
    "3virtual-sample-sort-few-keys",
    "3virtual-sample-sort-two-values",
    "8virtual-sample-sort-two-ways",
]

# What the certifier does not look at, and why it need not.
NAMES = "it names the program and the machine, and decides nothing"
KEYS = "it says what the keys are; that the digests are those of these keys is taken on trust"
TIME = "it is a time, and decides nothing"
ACCEPTED = {
    ("header", "units"): NAMES,
    ("header", "program"): NAMES,
    ("header", "commit"): NAMES,
    ("header", "created"): NAMES,
    ("header", "device"): NAMES,
    ("header", "driver"): NAMES,
    ("header", "variant"): "only 'fast' has a layout of its own in version 1",
    ("header", "gpus"): "only how many there are counts",
    ("header", "virtual_gpus"): NAMES,
    ("header", "key_type"): KEYS + "; only the width counts",
    ("header", "direction"): KEYS,
    ("header", "value_type"): KEYS,
    ("header", "stability"): KEYS,
    ("header", "zero_order"): KEYS,
    ("header", "digit_bits"): "sample sort reads no digits, and one GPU makes no pass",
    ("header", "tolerance_ppm"): "E, a whole number of keys, or the plan is the same",
    ("header", "fuse_ppm"): "any fusion of sort ranges that puts the keys in order is right",
    ("header", "layout"): "a layout that promises less is kept, too",
    ("header", "parameters"): "oversampling and seed choose the sample: any splitters sort; ways count",
    ("header", "input.distribution"): KEYS,
    ("header", "input.parameter"): KEYS,
    ("header", "input.seed"): KEYS,
    ("header", "input.generator_version"): KEYS,
    ("header", "input.file"): KEYS,
    ("header", "input without content"): "a run may leave it out",
    ("bucket_function", "splitters"): "any splitters sort; that counts and digests are those of the "
    "buckets between them is taken on trust",
    ("bucket_function", "width"): "as for splitters",
    ("bucket_function", "origin"): "as for splitters",
    ("bucket_function", "equality"): "exchanged flags leave as many buckets: as for splitters",
    ("bucket_function", "id"): "any numbers name the functions if histograms use the same",
    ("histogram", "offset"): "of a part without keys",
    ("copy", "source_offset"): "a chunk may begin anywhere in its GPU's memory where the layout is not by bucket",
    ("copy", "destination"): "as source_offset: copies of one size exchange their places",
    ("copy", "source"): "as source_offset: a GPU's only copy comes from another place",
    ("copy", "destination_offset"): "as source_offset: copies of one size exchange their places",
    ("copy", "stage"): "rounds in which copies are made order nothing where the layout is not by bucket",
    ("sort_range", "end_bit"): "more bits than needed sort, too",
    ("phase_time", "gpu"): TIME,
    ("phase_time", "phase"): TIME,
    ("phase_time", "pass"): TIME,
    ("phase_time", "begin_ns"): TIME,
    ("phase_time", "end_ns"): TIME,
    ("phase_time", "left out"): TIME,
    ("phase_time", "doubled"): TIME,
    ("verdict", "property"): "a verdict that holds is no reason for the certifier to say yes",
    ("verdict", "detail"): "a verdict that holds is no reason for the certifier to say yes",
    ("verdict", "left out"): "a verdict that holds is no reason for the certifier to say yes",
    ("verdict", "doubled"): "a verdict that holds is no reason for the certifier to say yes",
    ("*", "moved"): "records may stand in any order behind the header",
}

# Why `keyswap verify` and the certifier may differ on a fault. The certifier says yes, verify no:
VERIFY_STRICTER = {
    "header": "verify makes the keys again from the header, and knows what each variant records",
    "bucket_function": "verify draws the sample again from the keys",
    "copy": "verify knows how each layout places copies, and their rounds",
    "phase_time": "verify asks for GPUs and phases that the run has",
    "verdict": "verify asks for the run's own verdicts",
    "sort_range": "verify bounds what a range may ask for",
    "histogram": "verify compares offsets of parts without keys, too",
    "*": "verify asks for the order in which a run decides",
}
# The certifier says no, verify yes:
CERTIFIER_STRICTER = {
    "header": "verify takes what the header leaves out from the keys, or does not use the field",
    "bucket_function": "the certifier asks for distinct functions of the refined buckets only",
    "histogram": "the certifier asks for exactly one record a part",
    "placement": "the certifier asks for exactly one record a bucket",
    "ownership": "the certifier asks for exactly one record a GPU",
    "copy": "the certifier asks that copies tile both memories",
    "sort_range": "the certifier asks that ranges end where buckets do",
    "digest": "the certifier asks for exactly one digest a part",
    "verdict": "the certifier reads any verdict that does not hold as a no",
}


def line_of(record):
    text = json.dumps(record, separators=(",", ":"), ensure_ascii=False)[:-1]
    return f'{text},"crc32":"{zlib.crc32(text.encode()):08x}"}}\n'


def read_trace(path):
    text = subprocess.run(["zstd", "-dc", path], check=True, capture_output=True, text=True).stdout
    records = [json.loads(line) for line in text.splitlines()]
    for record in records:
        del record["crc32"]
    return records[:-1]


def write_trace(path, records):
    end = {"record": "end", "records": len(records)}
    path.write_text("".join(line_of(record) for record in [*records, end]))


def as_set(records):
    return sorted(json.dumps(record) for record in records)


ENUMERATIONS = {
    "key_type": ["u32", "i32", "f32", "u64", "f64"],
    "direction": ["ascending", "descending"],
    "value_type": ["none", "32", "64"],
    "stability": ["unstable", "stable"],
    "zero_order": ["total", "equal"],
    "operation": ["sort", "multisplit"],
    "layout": ["by_bucket", "by_source", "by_round"],
    "algorithm": ["rmg", "sample-sort", "p2p-merge"],
    "variant": ["paper", "rotated", "fast", "reference"],
    "state": ["placed", "spanning", "cut"],
    "stage": ["before_swap", "after_swap", "after_sort"],
    "tie": ["left", "right"],
    "rule": ["splitters", "delta"],
}


def changed_values(name, value, random_source):
    """Other values of the same type."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        others = {value + 1, value - 1, 0, 1, value + random_source.randrange(2, 1000), 2 * value}
        return sorted(other for other in others if other >= 0 and other != value)
    if isinstance(value, str):
        if name in ENUMERATIONS and value in ENUMERATIONS[name]:
            return [other for other in ENUMERATIONS[name] if other != value]
        if len(value) in (16, 32) and all(c in "0123456789abcdef" for c in value):
            place = random_source.randrange(len(value))
            digit = "0123456789abcdef"[(int(value[place], 16) + 1) % 16]
            return [value[:place] + digit + value[place + 1 :]]
        if value and all(c in "01" for c in value) and name == "equality":
            place = random_source.randrange(len(value))
            return [value[:place] + ("1" if value[place] == "0" else "0") + value[place + 1 :]]
        return [value + "x"]
    if isinstance(value, float):
        return [value + 0.5]
    if isinstance(value, list):
        changes = []
        if value:
            changes += [value[:-1], [*value, value[-1]]]
            place = random_source.randrange(len(value))
            for other in changed_values(name, value[place], random_source)[:2]:
                changes.append([*value[:place], other, *value[place + 1 :]])
            if len(value) > 1 and value[0] != value[-1]:
                changes.append([value[-1], *value[1:-1], value[0]])
        return changes
    return []


def with_field(record, path, value):
    copy = json.loads(json.dumps(record))
    inner = copy
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = value
    return copy


def fields_of(record):
    """(name in the table, path) of each field."""
    for name, value in record.items():
        if name in ("record", "format", "version"):
            continue
        if name == "input":
            for inner, inner_value in value.items():
                if inner == "content":
                    yield from ((f"input.content.{key}", (name, inner, key)) for key in inner_value)
                else:
                    yield f"input.{inner}", (name, inner)
        elif name == "parameters":
            yield from ((name, (name, key)) for key in value)
        elif name == "units":
            yield from ((name, (name, key)) for key in value)
        else:
            yield name, (name,)


def faults_of(records, random_source):
    """(record type, field, records with the fault)."""
    places = collections.defaultdict(list)
    for place, record in enumerate(records):
        places[record["record"]].append(place)
    for kind, of_kind in places.items():
        for place in random_source.sample(of_kind, min(2, len(of_kind))):
            record = records[place]
            before, after = records[:place], records[place + 1 :]
            for field, path in fields_of(record):
                value = record
                for name in path:
                    value = value[name]
                changes = changed_values(path[-1], value, random_source)
                for other in random_source.sample(changes, min(3, len(changes))):
                    yield kind, field, [*before, with_field(record, path, other), *after]
            if kind == "header":
                if "content" in record["input"]:
                    bare = json.loads(json.dumps(record))
                    del bare["input"]["content"]
                    yield kind, "input without content", [bare, *after]
                continue
            yield kind, "left out", [*before, *after]
            yield kind, "doubled", [*before, record, record, *after]
            if place > 1:
                yield "*", "moved", [records[0], record, *records[1:place], *after]
        if len(of_kind) > 1 and kind not in ("header", "phase_time", "verdict"):
            # The values of one field of two records are exchanged: sums are kept.
            for field, path in fields_of(records[of_kind[0]]):
                if len(path) > 1:
                    continue
                a, b = random_source.sample(of_kind, 2)
                if path[0] in records[a] and path[0] in records[b] and records[a][path[0]] != records[b][path[0]]:
                    copy = list(records)
                    copy[a] = with_field(records[a], path, records[b][path[0]])
                    copy[b] = with_field(records[b], path, records[a][path[0]])
                    yield kind, field, copy


def certified(program, paths):
    """Whether the certifier accepts each of the traces."""
    answer = subprocess.run([program, *paths], capture_output=True, text=True, check=False)
    lines = answer.stdout.splitlines()
    if len(lines) != len(paths):
        sys.exit(f"faults: error: the certifier ended early: {answer.stderr}")
    return [line.removeprefix(f"{path}: ") == "certified" for path, line in zip(paths, lines)], lines


def verified(program, path):
    answer = subprocess.run([program, "verify", path], capture_output=True, text=True, check=False)
    return answer.returncode == 0, answer.stdout + answer.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("certifier")
    parser.add_argument("--keyswap")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    random_source = random.Random(options.seed)

    counts = collections.defaultdict(lambda: [0, 0])  # (kind, field): rejected, accepted
    differences = collections.Counter()
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for trace in TRACES:
            records = read_trace(RECORDED / f"{trace}.trace.zst")
            faults = []
            for kind, field, faulty in faults_of(records, random_source):
                if field != "moved" and as_set(faulty) == as_set(records):
                    continue  # exchanged values of two records that made each other
                path = pathlib.Path(folder) / f"{len(faults)}.trace"
                write_trace(path, faulty)
                faults.append((kind, field, str(path)))
            answers, lines = certified(options.certifier, [path for _, _, path in faults])
            for (kind, field, path), yes, line in zip(faults, answers, lines):
                counts[kind, field][yes] += 1
                if yes and (kind, field) not in ACCEPTED:
                    wrong.append(f"{trace}: a fault in {kind}, {field}, is accepted")
                    kept = pathlib.Path(f"fault-{len(wrong)}.trace")
                    if len(wrong) <= 3:
                        kept.write_bytes(pathlib.Path(path).read_bytes())
                if options.keyswap:
                    fine, said = verified(options.keyswap, path)
                    if yes != fine:
                        reasons = VERIFY_STRICTER if yes else CERTIFIER_STRICTER
                        differences[yes, kind, field] += 1
                        if kind not in reasons:
                            wrong.append(f"{trace}: {kind}, {field}: {line}; keyswap verify: {said}")

    if options.table:
        print("| record | field | rejected | accepted, and why |\n|---|---|---|---|")
        for (kind, field), (rejected, accepted) in sorted(counts.items()):
            why = f"{accepted}: {ACCEPTED.get((kind, field), '?')}" if accepted else ""
            print(f"| {kind} | {field} | {rejected} | {why} |")
        for (yes, kind, field), count in sorted(differences.items()):
            print(f"{'verify' if yes else 'certifier'} alone rejects {kind}, {field}: {count}")
    rejected = sum(r for r, _ in counts.values())
    accepted = sum(a for _, a in counts.values())
    print(f"faults: {rejected} rejected, {accepted} accepted for a reason, {len(wrong)} wrong")
    print("\n".join(wrong[:20]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
