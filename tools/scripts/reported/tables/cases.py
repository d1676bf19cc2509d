"""Tables, edges and splitters in files that were read otherwise than they are written."""
from hostile_case import Case
from hostile_cases import files


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
    yield Case("S numbers with exponents remain floats", sorts_to("k,b\n2.5,y\n10000000000000000000001,x\n1e22,z\n"), (0,), "k float64.*guessed",
               prepare=files(a__csv="k,b\n10000000000000000000001,x\n2.5,y\n1e22,z\n"))
    yield Case("S whole numbers after blanks", sorts_to("k,b\n 9007199254740992,y\n 9007199254740993,x\n"), (0,), "^Columns: k int64",
               prepare=files(a__csv="k,b\n 9007199254740993,x\n 9007199254740992,y\n"))
    yield Case("S the types of sorted columns are shown", "keyswap sort a.csv --with-rows --by k --output o.csv", (0,), "^Columns: k string, b string .guessed",
               prepare=files(a__csv="k,b\n10,x\n9,y\nn/a,z\n"))
    yield Case("S a lone row of a DOS text without a line end", sorts_to("k,b\r\n1,x\r\n"), (0,), "^same$", prepare=files(a__csv="k,b\r\n1,x"))


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
    yield Case("S a range of tiny bounds", histogram + "--bins 1 --range=1e-9:1e-10", (2,), "--range 1e-09:1e-10: is not an ascending range",
               prepare=zeros)
    for what, text in (("a byte order mark", "\ufeff2\r\n4\r\n\r\n"), ("quotation marks", '"2"\n"4"\n'), ("a header", "edge\n2\n4\n")):
        yield Case(f"S edges with {what}", "keyswap histogram k.csv --type u32 --edges e.csv", (0,), r"^ +2 +4 +2$",
                   prepare=files(k__csv="1\n2\n3\n4\n", e__csv=text))
        yield Case(f"S splitters with {what}", "keyswap multisplit k.csv --type u32 --rule splitters:e.csv --output o.csv && "
                   "printf '2\\n1\\n3\\n4\\n' | cmp - o.csv && echo same", (0,), "^same$", prepare=files(k__csv="3\n2\n4\n1\n", e__csv=text))
    yield Case("S edges of UTF-16", "keyswap histogram k.csv --type u32 --edges e.csv", (2,), "e.csv: is text of UTF-16",
               prepare=files(k__csv="1\n", e__csv="2\n4\n".encode("utf-16")))


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
    yield from wide_texts()
    yield from refused_tables()
    yield from types_of_cells()
    yield from float_orders()
    yield from edges()
