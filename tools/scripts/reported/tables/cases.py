"""Tables, edges, splitters and values in files that were read otherwise than they are written, and
options that were ignored."""
from hostile_case import Case
from hostile_cases import files, lacks


def sorts_to(expected, options="--by k"):
    """Sorts the rows of a.csv, compares them with those that are right, and checks the output."""
    text = expected.replace("\n", "\\n").replace("\r", "\\r")
    return (f"keyswap sort a.csv --with-rows {options} --output o.csv && printf -- '{text}' | cmp - o.csv && "
            f"keyswap check a.csv o.csv {options} && echo same")


def kept_out(folder):
    """no output in it"""
    return not (folder / "o.csv").exists()


def refused_tables():
    both = "keyswap sort a.csv --with-rows --by k --output o.csv; keyswap check a.csv a.csv --by k"
    for what, text, says in (("CR alone", "k,b\r2,x\r1,y\r", "a.csv, line 1: .*its rows end in CR alone"),
                             ("CR alone in a lone column", "k\r2\r1\r", "a.csv, line 1: .*its rows end in CR alone"),
                             ("Excel's separator", "sep=;\nk;b\n2;x\n1;y\n", "a.csv, line 1: 'sep=;' is Excel's separator line"),
                             ("a blank row in a lone column", "k\n2\n\n1\n", "a.csv, line 3: is blank")):
        yield Case(f"S a table: {what}", both, (2,), says, "rows of the input|0 rows", prepare=files(a__csv=text), after=kept_out)
    yield Case("S a table of decimal numbers as float16", "keyswap check a.csv a.csv --by k --schema k:float16", (2,),
               "not float16 before they are rounded .give float32", "k:string", prepare=files(a__csv="k\n1.5\n"))


def types_of_cells():
    table = "k,b\n89014103211118510721,x\n89014103211118510720,y\n-1,z\n"
    yield Case("S identifiers of 20 digits: order", sorts_to("k,b\n-1,z\n89014103211118510720,y\n89014103211118510721,x\n"), (0,), "^same$",
               prepare=files(a__csv=table))
    yield Case("S identifiers of 20 digits: a changed one", "sed 's/721,/720,/' a.csv >b.csv; keyswap check a.csv b.csv --by b", (1,),
               "1 is missing", prepare=files(a__csv=table))
    yield Case("S whole numbers that a double rounds, beside fractions", "sed s/993/992/ a.csv >b.csv; keyswap check a.csv b.csv --by b", (1,),
               "1 is missing", prepare=files(a__csv="k,b\n9007199254740993,1\n0.5,2\n"))
    yield Case("S numbers with exponents remain floats", sorts_to("k,b\n2.5,y\n10000000000000000000000,x\n1e22,z\n"), (0,), "k float64.*guessed",
               prepare=files(a__csv="k,b\n10000000000000000000000,x\n2.5,y\n1e22,z\n"))
    for what, other in (("with an exponent", "1e22"), ("that is none", "nan"), ("of 39 digits", "340282366920938463463374607431768211455")):
        yield Case(f"U whole numbers that a double rounds, and one {what}", "keyswap sort a.csv --with-rows --by k --output o.csv", (2,),
                   "column 'k' has '10000000000000000000001', which float64 rounds.*k:double", after=kept_out,
                   prepare=files(a__csv=f"k,b\n10000000000000000000001,x\n2.5,y\n{other},z\n"))
    yield Case("U whole numbers that are to be rounded", sorts_to("k,b\n2.5,y\n10000000000000000000001,x\n1e22,z\n", "--by k --schema k:double"), (0,), "^same$",
               prepare=files(a__csv="k,b\n10000000000000000000001,x\n2.5,y\n1e22,z\n"))
    yield Case("S whole numbers after blanks", sorts_to("k,b\n 9007199254740992,y\n 9007199254740993,x\n"), (0,), "^Columns: k int64",
               prepare=files(a__csv="k,b\n 9007199254740993,x\n 9007199254740992,y\n"))
    yield Case("S the types of sorted columns are shown", "keyswap sort a.csv --with-rows --by k --output o.csv", (0,), "^Columns: k string, b string .guessed",
               prepare=files(a__csv="k,b\n10,x\n9,y\nn/a,z\n"))
    yield Case("S a lone row of a DOS text without a line end", sorts_to("k,b\r\n1,x\r\n"), (0,), "^same$", prepare=files(a__csv="k,b\r\n1,x"))


def times():
    nanoseconds = "k,b\n2024-01-01T00:00:00.000000001Z,x\n2024-01-01T00:00:00Z,y\n"
    yield Case("U a time of nanoseconds: its order", "keyswap check a.csv --by k", (1,), "has 2024-01-01 00:00:00 after 2024-01-01 00:00:00.000000001",
               prepare=files(a__csv=nanoseconds))
    yield Case("U a time of nanoseconds: sorted", sorts_to("k,b\n2024-01-01T00:00:00Z,y\n2024-01-01T00:00:00.000000001Z,x\n"), (0,), "^same$",
               prepare=files(a__csv=nanoseconds))
    yield Case("U a time of nanoseconds: a changed one", "sed s/0001Z/0002Z/ a.csv >b.csv; keyswap check a.csv b.csv --by b", (1,), "1 is missing",
               prepare=files(a__csv=nanoseconds))
    yield Case("U a time that has more digits than its type", "keyswap check a.csv --by k --schema 'k:timestamp[us]'", (2,), "is not a valid timestamp.us",
               prepare=files(a__csv=nanoseconds))
    yield Case("U the first time of nanoseconds", "keyswap check a.csv --by k --schema 'k:timestamp[ns]'", (0,), "sorted by 'k': 2 rows",
               prepare=files(a__csv="k\n1677-09-21 00:12:43.145224192\n2262-04-11 23:47:16.854775807\n"))
    yield Case("U times of one zone and offset", sorts_to("k,b\n2024-01-01T12:00:00+02:00,x\n2024-01-01T11:00:00.000000001+00:00,y\n"), (0,), "^same$",
               prepare=files(a__csv="k,b\n2024-01-01T11:00:00.000000001+00:00,y\n2024-01-01T12:00:00+02:00,x\n"))


def schemas():
    for what, schema, exits, says in (("a zone with a colon", "k:timestamp[us, +05:30]", (0,), "k timestamp.us, .05:30"),
                                      ("too many digits", "k:decimal(50,2)", (2,), "not a decimal number of 128 bits .write .*1 to 38 digits"),
                                      ("a negative scale", "k:decimal(5,-2)", (2,), "not a decimal number of 128 bits"),
                                      ("an unknown unit", "k:timestamp[h]", (2,), "not a timestamp .write timestamp.s")):
        yield Case(f"U a type of {what}", f"keyswap check a.csv --by k --schema '{schema}'", exits, says, "is not known",
                   prepare=files(a__csv="k\n2024-01-01\n"))


def flags():
    make = "keyswap generate --keys 9 --output k.raw >/dev/null; keyswap sort k.raw --type u32 --output s.raw --values 32 --output-values v.raw >/dev/null; "
    for flag, option in (("--stable=", "--stable"), ("--json=2", "--json"), ("--json=maybe", "--json"), ("--force=no", "--force"), ("--help=no", "--help")):
        yield Case(f"U a flag with a value: {flag}", make + f"keyswap check k.raw s.raw --type u32 --values v.raw {flag}", (2,),
                   f"'{flag}': gives a value to an option that has none .write {option}")
    yield Case("U a flag with a value: --version=false", "keyswap --version=false", (2,), "'--version=false': gives a value")


def numbers_and_names():
    for type_ in ("i32", "i64", "f32", "f64", "i128"):
        command = f"keyswap multisplit k.csv --type {type_} --rule prime; keyswap check k.csv k.csv --type {type_} --operation multisplit --rule prime"
        yield Case(f"U primes of {type_}", command, (2,), f"--rule prime: .*the keys are {type_}", "no key|one stable partition", prepare=files(k__csv="5\n3\n4\n"))
    yield Case("U primes of u64", "keyswap multisplit k.csv --type u64 --rule prime", (0,), "^ +1 +2 +1$", prepare=files(k__csv="5\n3\n4\n"))
    yield Case("U a part's number twice in a name", "keyswap generate --keys 9 --output k.raw >/dev/null; "
               "keyswap sort k.raw --type u32 --output-parts 2 --output 'o{part}-{part}.raw' >/dev/null && ls", (0,), "^o1-1.raw$", "part")
    yield Case("U a part's number in a folder's name", "mkdir 0 1; keyswap generate --keys 9 --output k.raw >/dev/null; "
               "keyswap sort k.raw --type u32 --output-parts 2 --output '{part}/o{part}.raw' >/dev/null && ls 1", (0,), "^o1.raw$", "part")
    for command in ("check r.bin r.bin", "sort r.bin --output o.csv"):
        yield Case(f"U {command.split()[0]}: a record's key of 16 bits", f"keyswap {command} --record-bytes 4 --key 0:2 --type u16", (2,),
                   "--type u16: .*leave --type out to compare the key's bytes", "keyswap check", after=kept_out, prepare=files(r__bin=b"abcdefgh"))
    for command in ("sort", "plan"):
        yield Case(f"U {command} --help lists the sorts that it takes", f"keyswap {command} --help", (0,), "--algorithm TEXT .*rmg, ", "cpu-paradis|one-gpu")
    yield Case("U a sort that is only simulated", "keyswap plan --distribution uniform --keys 9 --algorithm cpu-paradis", (2,),
               "'cpu-paradis' can be simulated, but has no model")
    one = files(k__csv="5\n", g__gr="p sp 2 1\na 1 2 3\n")
    yield Case("U one edge", "keyswap sssp --graph g.gr", (0,), "2 vertices, 1 edge$", "1 edges|1 rounds", prepare=one)
    yield Case("U one bucket", "keyswap multisplit k.csv --type u32 --rule delta --buckets 1 --to-owner --gpu-count 1", (0,), "delta, 1 bucket, .* 1 virtual GPU$",
               "1 (copies|buckets)", prepare=one)
    yield Case("U one key by bucket", "keyswap check k.csv k.csv --type u32 --operation multisplit --rule delta --buckets 1", (0,), "input's 1 key in the order of their 1 bucket",
               prepare=one)
    yield Case("U a measurement's quotation mark that is not closed", "keyswap validate a.csv --platform dgx-a100", (2,), "a.csv, row 1: .*not closed in the same row",
               prepare=files(a__csv='"num_keys,gpus\n'))


def float_orders():
    for option in ("--zero-order equal", "--nan-order last"):
        for schema, exits, says in (("k:int64", (2,), f"{option}: has no effect on these key columns"), ("k:double", (0,), "sorted by 'k'")):
            yield Case(f"S rows by {schema} with {option}", f"keyswap check a.csv a.csv --by k --schema {schema} {option}", exits, says,
                       prepare=files(a__csv="k,b\n1,x\n2,y\n"))


def edges():
    histogram = "keyswap histogram k.csv --type f32 "
    zeros = files(k__csv="-0.0\n0\n0.5\n-1\n", e__csv="0\n1\n", z__csv="-0.0\n0\n1\n")
    for what, options in (("of equal width", "--bins 1 --range 0:1"), ("from a file", "--edges e.csv"), ("of both zeros", "--edges z.csv")):
        yield Case(f"S negative zero in bins {what}", histogram + options, (0,), r"^ +0 +1 +3$", "-0 ", prepare=zeros)
    yield Case("S the last bin ends at the upper bound", "keyswap histogram k.csv --type f64 --bins 3 --range=-5:0.1", (0,), r"^ +0.1 +1$",
               prepare=files(k__csv="0.09999999999999998\n0.1\n"))
    yield Case("S a range of tiny bounds", histogram + "--bins 1 --range=1e-9:1e-10", (2,), "--range 1e-9:1e-10: is not an ascending range",
               prepare=zeros)
    for what, text in (("a byte order mark", "\ufeff2\r\n4\r\n\r\n"), ("quotation marks", '"2"\n"4"\n'), ("a header", "edge\n2\n4\n")):
        yield Case(f"S edges with {what}", "keyswap histogram k.csv --type u32 --edges e.csv", (0,), r"^ +2 +4 +2$",
                   prepare=files(k__csv="1\n2\n3\n4\n", e__csv=text))
        yield Case(f"S splitters with {what}", "keyswap multisplit k.csv --type u32 --rule splitters:e.csv --output o.csv && "
                   "printf '2\\n1\\n3\\n4\\n' | cmp - o.csv && echo same", (0,), "^same$", prepare=files(k__csv="3\n2\n4\n1\n", e__csv=text))
    yield Case("S edges of UTF-16", "keyswap histogram k.csv --type u32 --edges e.csv", (2,), "e.csv: is text of UTF-16",
               prepare=files(k__csv="1\n", e__csv="2\n4\n".encode("utf-16")))


def first_rows():
    years, index = "x,2019,2020\n1,3,4\n2,2,3\n", ",name\n1,bob\n0,al\n"
    for what, text in (("numbers among its names", years), ("an index without a name", index), ("an index of numbers alone", ",k\n1,5\n0,6\n")):
        yield Case(f"T a header with {what}", "keyswap sort a.csv --with-rows --by 2 --output o.csv; keyswap check a.csv --by 2", (2,),
                   "a.csv, line 1: .*a header.*give --schema", "^sort: |^The ", prepare=files(a__csv=text), after=kept_out)
    for what, text, schema, rows in (("a header, years", years, "x:int64", "x,2019,2020\n2,2,3\n1,3,4\n"), ("a row, years", years, "1:string", "2,2,3\n1,3,4\nx,2019,2020\n"),
                                     ("a header, an index", index, "name:string", ",name\n0,al\n1,bob\n"), ("a row, an index", index, "1:int64", "0,al\n1,bob\n,name\n")):
        by = "1" if "index" in what else "2"
        yield Case(f"T a first row that is said to be {what}", sorts_to(rows, f"--by {by} --schema {schema}"), (0,), "^same$", prepare=files(a__csv=text))
    for schema in ("", " --schema k:int64"):
        yield Case(f"T a header among the rows{schema}", f"keyswap sort a.csv --with-rows --by k{schema} --output o.csv; keyswap check a.csv --by k{schema}", (2,),
                   "a.csv, line 3: repeats the first row", "^sort: |^The ", prepare=files(a__csv="k,b\n10,x\nk,b\n9,y\n"), after=kept_out)
    yield Case("T a header's word among words", sorts_to("word\napple\nword\n", "--by word"), (0,), "^same$", prepare=files(a__csv="word\nword\napple\n"))
    yield Case("T a comment above a table", "keyswap check a.csv --by k", (2,), "a.csv, line 1: '# made by x' is a comment", prepare=files(a__csv="# made by x\nk,b\n1,2\n"))
    yield Case("T a row of fewer cells", "keyswap check a.csv --by k", (2,), "line 3: has 1 cell, .*complete the row", "quote cells", prepare=files(a__csv="k,b\n1,2\n3\n"))
    yield Case("T a last row of tabulators alone", "printf 'a\\tb\\n2\\tx\\n1\\ty\\n\\t\\n' >a.tsv; keyswap sort a.tsv --with-rows --by a --output o.tsv && keyswap check a.tsv o.tsv --by a && "
               "printf 'a\\tb\\n1\\ty\\n2\\tx\\n\\t\\n' | cmp - o.tsv && echo same", (0,), "^same$")
    yield Case("T a column whose last value is missing", "printf 'a\\tb\\n2\\tx\\n\\t\\n' >a.tsv; keyswap sort a.tsv --column a --type u32 --output o.csv", (2,), "a.tsv, row 3: is empty",
               after=kept_out)
    yield Case("T a name in two lines before a semicolon", sorts_to('"a\nb";c\n2;1\n1;2\n', "--by c"), (0,), "^same$", prepare=files(a__csv='"a\nb";c\n1;2\n2;1\n'))
    yield Case("T a quotation mark that is never closed", "keyswap check a.csv --by k", (2,), "line 2: has a quotation mark that is not closed", seconds=10,
               prepare=files(a__csv='k,b\n1,"x\n' + "2,y\n" * 100000))


def digits():
    for what, low, high in (("amounts of 18 digits", "1234567890123456.78", "1234567890123456.79"), ("fractions of 18 digits", "1.000000000000000001", "1.000000000000000002")):
        yield Case(f"T {what}: order", sorts_to(f"k,b\n{low},y\n{high},x\n"), (0,), "^same$", prepare=files(a__csv=f"k,b\n{high},x\n{low},y\n"))
        yield Case(f"T {what}: a wrong order", "keyswap check a.csv --by k", (1,), f"{low} after {high}", prepare=files(a__csv=f"k,b\n{high},x\n{low},y\n"))
        yield Case(f"T {what}: a changed one", f"sed s/{high}/{low}/ a.csv >b.csv; keyswap check a.csv b.csv --by b", (1,), "1 is missing",
                   prepare=files(a__csv=f"k,b\n{low},1\n{high},2\n"))
    yield Case("T doubles of 17 digits remain doubles", "keyswap check a.csv b.csv --by k", (0,), "^Columns: k float64",
               prepare=files(a__csv="k\n0.1\n0.30000000000000004\n", b__csv="k\n0.10000000000000001\n0.30000000000000004\n"))


def ranges():
    whole = files(k__csv="9007199254740992\n9007199254740993\n9007199254740994\n")
    for kind in ("u64", "i64", "u128", "i128"):
        yield Case(f"T a range of whole numbers that a double rounds: {kind}", f"keyswap histogram k.csv --type {kind} --bins 1 --range 9007199254740993:9007199254740994",
                   (0,), "^ *9007199254740993 +9007199254740994 +1$", prepare=whole)
    yield Case("T a range to the largest key", "keyswap histogram k.csv --type u64 --bins 2 --range 0:18446744073709551615", (0,), "^ *0 +9223372036854775808 +3$", prepare=whole)
    yield Case("T a range of b128 keys", "keyswap histogram k.csv --type b128 --bins 1 --range " + "0" * 32 + ":" + "f" * 32, (0,), "f{32} +2$",
               prepare=files(k__csv="::1\n2001:db8::\n"))
    yield Case("T a range of fractions of whole numbers", "keyswap histogram k.csv --type u64 --bins 2 --range 0.5:10", (2,), "--range 0.5:10: '0.5' is not a valid u64 key", prepare=whole)
    yield Case("T a range wider than a double", "keyswap histogram k.csv --type f64 --bins 2 --range=-1.7e308:1.7e308", (2,), "is wider than the largest f64", "nan", prepare=whole)


def options():
    keys = ("keyswap generate --keys 100 --output k.raw >/dev/null; keyswap generate --keys 4 --record-bytes 8 --key 0:4 --output r.raw >/dev/null; "
            "printf 'a,b\n2,x\n1,y\n' >a.csv; keyswap ")
    external = "sort k.raw --type u32 --memory 64M --output o.raw"
    records = "sort r.raw --record-bytes 8 --key 0:4 --output o.raw"
    for command in (external, records):
        for option in ("--keys 5", "--by a", "--schema a:int64"):
            yield Case(f"T an external sort with {option}, {'records' if command == records else 'keys'}", keys + f"{command} {option}", (2,), option.split()[0],
                       after=lacks("o.raw"))
    yield Case("T rows with --gpus", keys + "sort a.csv --with-rows --by a --output o.csv --gpus 0", (2,), "--with-rows and --gpus", after=kept_out)
    yield Case("T records with --schema", keys + "check r.raw --record-bytes 8 --key 0:4 --schema a:int64", (2,), "--record-bytes and --schema")
    yield Case("T records with --parameter", "keyswap generate --keys 4 --record-bytes 8 --key 0:4 --parameter 3 --output o.raw", (2,), "--record-bytes and --parameter")
    yield Case("T an output's format without an output", "keyswap generate --keys 4 --output-format csv", (2,), "--output-format: has no effect without --output")
    for ending in ("parquet", "xlsx", "json", "csv.bz2"):
        yield Case(f"T rows into a name of {ending}", keys + f"sort a.csv --with-rows --by a --output o.{ending}", (2,), f"o.{ending}: has the extension of {ending.split('.')[-1]} files",
                   after=lacks("o.*"))


def values():
    keys = ("keyswap generate --keys 1000 --output k.raw >/dev/null; keyswap sort k.raw --type u32 --values 32 --output s.raw --output-values v.raw >/dev/null; "
            "gzip -k v.raw; mkfifo p; ")
    sort = "keyswap sort k.raw --type u32 --output o.raw --output-values ov.raw --values "
    same = " >/dev/null && keyswap sort k.raw --type u32 --output o2.raw --output-values ov2.raw --values v.raw >/dev/null && cmp ov.raw ov2.raw && echo same"
    for what, value in (("compressed", "v.raw.gz"), ("from a pipe", "<(cat v.raw)"), ("from a named pipe", "./p")):
        yield Case(f"T values of 32 bits {what}", keys + ("cat v.raw >p & " if value == "./p" else "") + sort + value + same, (0,), "^same$", seconds=20)
    yield Case("T values of too many bytes", keys + "(cat v.raw; printf abcd) >w.raw; " + sort + "w.raw", (2,), "w.raw: has 1,001 values for 1,000 keys",
               after=lacks("o.raw"))
    yield Case("T values in a text", keys + "seq 1000 >v.csv; " + sort + "v.csv", (2,), "v.csv: .*values are read from .npy and raw files", "--type")


def changes():
    # The check opens its input, and then waits for the pipe.
    yield Case("S an input that is written during its check",
               "keyswap generate --keys 1000 --output k.raw >/dev/null; keyswap sort k.raw --type u32 --output s.raw >/dev/null; mkfifo p; "
               "(exec 3>p; sleep 1; head -c 4000 /dev/zero >k.raw; cat s.raw >&3) & keyswap check k.raw p --type u32", (2,),
               "k.raw: changed while it was being read", "sorted permutation")


def wide_texts():
    for what, command in (("a platform", "topology show a.toml"), ("a profile", "simulate --keys 1e5 --profile a.toml"),
                          ("output of nccl-tests", "validate a.toml --platform dgx-a100 --operation all-to-all")):
        yield Case(f"S UTF-16: {what}", f"keyswap {command}", (2,), "a.toml: is text of UTF-16 .save it as UTF-8", "quote texts|leave it out",
                   prepare=files(a__toml="name = 1 # busbw\r\n".encode("utf-16")))


def cases():
    yield from changes()
    yield from first_rows()
    yield from digits()
    yield from ranges()
    yield from options()
    yield from values()
    yield from wide_texts()
    yield from refused_tables()
    yield from types_of_cells()
    yield from times()
    yield from schemas()
    yield from flags()
    yield from numbers_and_names()
    yield from float_orders()
    yield from edges()
