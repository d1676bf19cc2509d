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
TRACES = [  # those of few keys first: keyswap verify is asked of the first faults of each kind
    "2gpus-paper-few-keys",
    "2gpus-fast-few-keys",
    "3virtual-sample-sort-few-keys",
    "4gpus-again-fast-few-keys",
    "8virtual-sample-sort-two-ways",
    "3virtual-fast-zero",
    "2gpus-rotated-two-values",
    "3virtual-sample-sort-two-values",
    "3virtual-rotated-digits-of-5-bits",
    "1gpu-paper-f64-normal-pairs",
    "2gpus-paper-f32-normal-pairs-descending",
    "4gpus-fast-u32-uniform",
]
COMPARED_MOST = 12  # faults of one field that keyswap verify is asked about, too
RANDOM_RUNS = 60

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
    ("digest", "low, exchanged"): "pieces of a cut bucket are compared as a sum",
    ("digest", "high, exchanged"): "pieces of a cut bucket are compared as a sum",
    ("copy", "source_offset"): "a chunk may begin anywhere in its GPU's memory",
    ("copy", "source"): "a chunk may begin anywhere in its GPU's memory",
    ("copy", "source, exchanged"): "copies of one size may exchange their places",
    ("copy", "source_offset, exchanged"): "copies of a pair of GPUs may exchange their places",
    ("copy", "destination_offset, exchanged"): "copies of a pair of GPUs may exchange their places",
    ("copy", "stage"): "rounds in which copies are made order nothing",
    ("copy", "stage, exchanged"): "rounds in which copies are made order nothing",
    ("sort_range", "end_bit"): "more bits than needed sort, too",
    ("sort_range", "end_bit, exchanged"): "more bits than needed sort, too",
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

# Where the certifier says yes for one of these reasons, `keyswap verify` may know better: it makes the keys
# again, and it knows what each variant of our kernels records. Where it says no, verify may say yes if:
CERTIFIER_STRICTER = {
    ("ownership", "left out"): "of a GPU without keys, whose ownership verify can do without",
    ("header", "gpus"): "one GPU more has no keys and no ownership, which verify can do without",
}


def may_accept(kind, field, header):
    """Copies may be other than the plan's only where buckets do not ascend on both sides."""
    by_bucket = header["variant"] != "fast" if header["version"] == 1 else header["layout"] == "by_bucket"
    return (kind, field) in ACCEPTED and not (kind == "copy" and by_bucket)


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
                    yield kind, f"{field}, exchanged", copy


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


def random_run(random_source, path):
    """The command line of a run of the model with random keys, GPUs and parameters."""
    choose = random_source.choice
    algorithm = choose(["rmg", "rmg", "sample-sort"])
    words = ["sort", "--algorithm", algorithm, "--record", path]
    words += ["--distribution", choose(["uniform", "zipf", "normal", "zero", "sorted", "nearly-sorted"])]
    words += ["--keys", choose(["0", "1", "2", "7", "31", "999", "5000", "40000"])]
    words += ["--gpu-count", choose(["1", "2", "3", "4", "5", "8", "13"])]
    words += ["--seed", str(random_source.randrange(100))]
    words += ["--type", choose(["u32", "i32", "f32", "u64", "i64", "f64"])]
    words += ["--direction", choose(["ascending", "descending"])]
    words += ["--tolerance-ppm", choose(["0", "5000", "20000", "200000", "500000"])]
    if algorithm == "rmg":
        return [*words, "--digit-bits", choose(["1", "2", "3", "5", "7", "8", "11", "16"])]
    return [*words, "--ways", choose(["2", "3", "16", "256"]), "--oversampling", choose(["1", "4", "32"])]


def certify_random_runs(certifier, keyswap, random_source, folder):
    """Complaints about runs of the model that are not certified. Sample sort may refuse to plan."""
    paths = []
    for run in range(RANDOM_RUNS):
        path = str(pathlib.Path(folder) / f"random-{run}.trace")
        words = random_run(random_source, path)
        if subprocess.run([keyswap, *words], capture_output=True, check=False).returncode == 0:
            paths.append(path)
    answers, lines = certified(certifier, paths)
    if len(paths) < RANDOM_RUNS // 2:
        return [f"only {len(paths)} of {RANDOM_RUNS} random runs could be recorded"]
    return [line for yes, line in zip(answers, lines) if not yes]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("certifier")
    parser.add_argument("--keyswap")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    random_source = random.Random(options.seed)

    counts = collections.defaultdict(lambda: [0, 0])  # (kind, field): rejected, accepted
    asked = collections.Counter()
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
                if yes and not may_accept(kind, field, records[0]):
                    wrong.append(f"{trace}: a fault in {kind}, {field}, is accepted")
                if options.keyswap and asked[kind, field] < COMPARED_MOST:
                    asked[kind, field] += 1
                    fine, said = verified(options.keyswap, path)
                    if yes != fine:
                        differences[yes, kind, field] += 1
                        if not yes and (kind, field) not in CERTIFIER_STRICTER:
                            wrong.append(f"{trace}: {kind}, {field}: {line}; keyswap verify: {said}")

        if options.keyswap:
            wrong += certify_random_runs(options.certifier, options.keyswap, random_source, folder)

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
