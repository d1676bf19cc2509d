#!/usr/bin/python3
"""Random tables sorted by pandas, and checked and sorted by keyswap: both must agree.

usage: rows_pandas_test.py KEYSWAP [TABLES [SEED]]

Each table has 1 to 3 key columns of random kinds, directions and places of nulls. Its order by
pandas must pass `keyswap check --by --stable`, a planted fault must not, and `keyswap sort
--with-rows` must write the same rows. So must its records in a .npy file, where all kinds have a
dtype, and its columns in a .npz file must pass. Exits with 77, which skips the test, without pandas.
"""

import concurrent.futures
import os
import random
import subprocess
import sys
import tempfile

try:
    import numpy
    import pandas
except ImportError:
    print("pandas is not installed (apt install python3-pandas)")
    sys.exit(77)

TYPES = {"int": "int64", "float": "double", "text": "string", "date": "date", "bool": "bool",
         "time": "timestamp[us]"}
TEXTS = ["", "a", "A", "b", "ab", "a,b", 'q"q', "ä", "Z", "€", "\U0001f600", "ﬀ", "10", "9", " x",
         "null", "two\nlines", "eight by", "eight byt", "eight bytes and more"]


def draw_cell(rng, kind):
    if kind == "int":
        return rng.choice([rng.randint(-5, 5), rng.randint(-2**62, 2**62)])
    if kind == "float":
        return rng.choice([0.0, -0.0, 1.5, -1.5, float("inf"), float("-inf"), 1e300, 5e-324,
                           rng.uniform(-3, 3)])
    if kind == "text":
        return rng.choice(TEXTS)
    if kind == "date":
        return pandas.Timestamp(1969, 12, 20) + pandas.Timedelta(days=rng.randint(0, 30))
    if kind == "time":
        return pandas.Timestamp(2024, 2, 28) + pandas.Timedelta(microseconds=rng.randint(0, 10**11))
    return rng.random() < 0.5


def series_of(kind, cells):
    kinds = {"int": "Int64", "float": "float64", "text": "object", "date": "datetime64[ns]",
             "time": "datetime64[ns]", "bool": "boolean"}
    return pandas.Series(cells, dtype=kinds[kind])


def cell_text(kind, cell):
    if cell is None:
        return ""
    if kind == "text":
        return '"' + cell.replace('"', '""') + '"'
    if kind == "date":
        return cell.strftime("%Y-%m-%d")
    return repr(cell) if kind == "float" else str(cell)


def csv_of(names, kinds, rows):
    lines = [",".join(names)]
    lines += [",".join(cell_text(kind, cell) for kind, cell in zip(kinds, row)) for row in rows]
    return "\n".join(lines) + "\n"


def records_of(table, rows):
    """The rows as a structured array, in dtypes of either byte order; None if a null has none."""
    dtypes = {"int": "i8", "float": "f8", "date": "M8[D]", "time": "M8[us]", "bool": "?"}
    fields = []
    for i, (name, kind) in enumerate(zip(table.names, table.kinds)):
        cells = [row[i] for row in table.rows]
        if None in cells and kind not in ("date", "time"):
            return None
        order = ">" if (table.seed + i) % 3 == 0 and kind != "bool" else "<"
        longest = max([1] + [len(cell.encode()) for cell in cells if kind == "text"])
        text = "S%d" % longest if table.seed % 2 else order + "U%d" % longest
        fields.append((name, text if kind == "text" else order.strip("<") + dtypes[kind]))
    made = numpy.zeros(len(rows), fields)
    for i, (name, kind) in enumerate(zip(table.names, table.kinds)):
        for place, row in enumerate(rows):
            cell = row[i]
            if kind in ("date", "time"):
                cell = numpy.datetime64("NaT" if cell is None else cell.to_datetime64())
            made[name][place] = cell.encode() if made.dtype[name].kind == "S" else cell
    return made


class Table:
    """A table, how it is sorted, and its rows in pandas' order."""

    def __init__(self, seed):
        rng = self.rng = random.Random(seed)
        self.seed = seed
        key_count = rng.randint(1, 3)
        self.kinds = [rng.choice(list(TYPES)) for _ in range(key_count)] + ["int"]
        self.names = ["k%d" % i for i in range(key_count)] + ["row"]
        null_share = rng.choice([0, 0.1, 0.5])
        self.rows = []
        pools = [[draw_cell(rng, kind) for _ in range(rng.choice([2, 5, 50]))]
                 for kind in self.kinds[:-1]]
        for i in range(rng.choice([0, 1, 2, 10, 60])):
            self.rows.append([None if rng.random() < null_share else rng.choice(pool)
                              for pool in pools] + [i])
        self.ascending = [rng.random() < 0.5 for _ in range(key_count)]
        self.nulls = rng.choice(["first", "last"])
        order = list(range(key_count))
        rng.shuffle(order)
        self.by = [self.names[i] for i in order]
        frame = pandas.DataFrame({
            name: series_of(kind, [row[i] for row in self.rows])
            for i, (name, kind) in enumerate(zip(self.names, self.kinds))})
        self.ascending = [self.ascending[i] for i in order]
        placed = frame.sort_values(self.by, ascending=self.ascending, na_position=self.nulls,
                                   kind="stable")
        self.sorted = [self.rows[i] for i in placed.index]

    def keys_option(self):
        return ",".join("%s:%s:nulls-%s" % (name, "asc" if up else "desc", self.nulls)
                        for name, up in zip(self.by, self.ascending))

    def zero_order(self):
        """Zeros are equal in pandas; the option is refused where no key is a float."""
        return ["--zero-order", "equal"] if "float" in self.kinds[:-1] else []

    def schema(self):
        return ",".join("%s:%s" % (name, TYPES[kind]) for name, kind in zip(self.names, self.kinds))

    def planted_fault(self):
        """Rows that are lost, doubled, changed, or exchanged with a neighbour; None for few."""
        rows = [list(row) for row in self.sorted]
        if len(rows) < 2:
            return None
        at = self.rng.randrange(len(rows) - 1)
        fault = self.rng.choice(["lost", "doubled", "changed", "exchanged"])
        if fault == "lost":
            del rows[at]
        elif fault == "doubled":
            rows.insert(at, list(rows[at]))
        elif fault == "changed":
            rows[at][-1] = 10**6
        else:
            rows[at], rows[at + 1] = rows[at + 1], rows[at]
        return fault, rows

    def has_negative_zero(self):
        return any(cell == 0 and str(cell) == "-0.0" for row in self.rows for cell in row)


def numpy_disagreement(keyswap, table, folder):
    """The same of the table in NumPy's files."""
    before, after = records_of(table, table.rows), records_of(table, table.sorted)
    if before is None:
        return None
    paths = [os.path.join(folder, name) for name in ("before.npy", "after.npy", "after.npz", "sorted.npy")]
    numpy.save(paths[0], before)
    numpy.save(paths[1], after)
    save = numpy.savez_compressed if table.seed % 2 else numpy.savez
    save(paths[2], **{name: after[name] for name in table.names})
    common = ["--by", table.keys_option()]

    def run(*words):
        return subprocess.run([keyswap, *words, *common], capture_output=True, text=True, check=False)

    for path in paths[1:3]:
        right = run("check", paths[0], path, "--stable", *table.zero_order(), "--threads", "1")
        if right.returncode != 0:
            return "pandas' order in %s is refused: %s" % (path, right.stdout + right.stderr)
    wrong = after.copy()
    if len(wrong):
        wrong["row"][table.seed % len(wrong)] = 10**6
        numpy.save(paths[1], wrong)
        if run("check", paths[0], paths[1]).returncode != 1:
            return "a changed record is accepted"
    if not table.has_negative_zero():
        made = run("sort", paths[0], "--with-rows", "--output", paths[3])
        if made.returncode != 0:
            return "the sort of records fails: " + made.stderr
        if numpy.load(paths[3]).tobytes() != after.tobytes():
            return "the sort's order of records is another"
    return None


def disagreement(keyswap, seed):
    """What keyswap says otherwise of one table; None if both agree."""
    table = Table(seed)
    with tempfile.TemporaryDirectory() as folder:
        def put(name, rows):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(csv_of(table.names, table.kinds, rows))
            return path

        before = put("before.csv", table.rows)
        common = ["--by", table.keys_option(), "--schema", table.schema()]

        def check(rows):
            return subprocess.run(
                [keyswap, "check", before, put("after.csv", rows), "--stable", *table.zero_order(),
                 "--hash-seed", "1", "--threads", "1"] + common,
                capture_output=True, text=True, check=False)

        right = check(table.sorted)
        if right.returncode != 0:
            return "pandas' order is refused: " + right.stdout + right.stderr
        fault = table.planted_fault()
        if fault is not None and check(fault[1]).returncode != 1:
            return "a planted fault is accepted: " + fault[0]
        if not table.has_negative_zero():
            output = os.path.join(folder, "sorted.csv")
            run = subprocess.run([keyswap, "sort", before, "--with-rows", "--output", output] + common,
                                 capture_output=True, text=True, check=False)
            if run.returncode != 0:
                return "the sort fails: " + run.stderr
            with open(output, encoding="utf-8", newline="") as file:
                if file.read() != csv_of(table.names, table.kinds, table.sorted):
                    return "the sort's order is another"
        return numpy_disagreement(keyswap, table, folder)


def main():
    keyswap = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    print("seeds %d to %d" % (first, first + count - 1), flush=True)
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        seeds = range(first, first + count)
        for seed, found in zip(seeds, pool.map(lambda seed: disagreement(keyswap, seed), seeds)):
            if found is not None:
                failures += 1
                print("seed %d: %s" % (seed, found))
    print("%d tables, %d disagreements" % (count, failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
