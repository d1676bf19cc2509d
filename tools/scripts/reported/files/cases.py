"""Files of keys and graphs that people reported, and others of their kinds."""
import gzip
import struct

from hostile_case import Case
from hostile_cases import files


def npy(descr, shape, data, order="False", version=1):
    header = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    length = struct.pack("<H" if version == 1 else "<I", len(header) + 1)
    return b"\x93NUMPY" + bytes([version, 0]) + length + header + b"\n" + data


def reads(file, keys, options="--type i32"):
    """Sorts the file, and compares the keys with those that are right."""
    name = file if file.startswith("$") else f"./{file}"
    expected = "\\n".join(map(str, keys)) + "\\n"
    return (f"keyswap sort {name} {options} --gpu-count 2 --output o.csv >/dev/null && "
            f"printf -- '{expected}' | cmp - o.csv && echo same")


def refused(file, options="--type i32"):
    return f"keyswap sort {file} {options} --gpu-count 2 --output o.csv"


def kept_out(folder):
    """no output in it"""
    return not (folder / "o.csv").exists()


SEVEN = "5\n3\n9\n1\n7\n2\n8\n"
SORTED_SEVEN = [1, 2, 3, 5, 7, 8, 9]


def compressed():
    yield Case("F20 skippable frame first", reads("$CASES/f20-skippable-first.csv.zst", SORTED_SEVEN), (0,), "^same$")
    yield Case("F20 skippable frame last", reads("a.csv.zst", SORTED_SEVEN), (0,), "^same$", prepare=append_frames)
    yield Case("F20 skippable frame alone", refused("a.csv.zst"), (0,),
               prepare=files(a__csv__zst=b"\x50\x2a\x4d\x18\x04\0\0\0abcd"))
    yield Case("F21 window of 256 MiB", "keyswap check $CASES/f21-long28.csv.zst --type i32", (0, 1), "1,000 keys|not sorted",
               memory_mb=700)
    yield Case("F21 window beyond the memory limit", "keyswap sort $CASES/f21-long28.csv.zst --type i32 --memory-limit 1e8", (2,),
               "needs a window of more than .* --memory-limit")
    yield Case("F22 gzip padded with zeros", reads("$CASES/f22-zero-padded.csv.gz", SORTED_SEVEN), (0,), "^same$")
    yield Case("F22 several members", reads("a.csv.gz", [1, 2, 3, 5, 7, 8, 9, 10]), (0,), "^same$",
               prepare=files(a__csv__gz=gzip.compress(SEVEN.encode()) + bytes(600) + gzip.compress(b"10\n")))
    yield Case("F22 rubbish after gzip", refused("a.csv.gz"), (2,), "has bytes after its gzip data", after=kept_out,
               prepare=files(a__csv__gz=gzip.compress(SEVEN.encode()) + b"rubbish"))
    yield Case("F22 a line end after gzip", refused("a.csv.gz"), (2,), "has bytes after its gzip data", after=kept_out,
               prepare=files(a__csv__gz=gzip.compress(SEVEN.encode()) + b"\n"))
    yield Case("F22 gzip cut off", refused("a.csv.gz"), (2,), "cut off", after=kept_out,
               prepare=files(a__csv__gz=gzip.compress(SEVEN.encode())[:-3]))
    for name in ("a.CSV.GZ", "a.csv.gzip", "a.Tsv.Gz"):
        yield Case(f"F23 {name}", reads(name, SORTED_SEVEN), (0,), "^same$",
                   prepare=files(**{name.replace(".", "__"): gzip.compress(SEVEN.encode())}))
    yield Case("F23 capitals", reads("$CASES/f23-upper.CSV.GZ", [1, 2, 3, 4, 5, 7, 8, 9], "--type u32"), (0,), "^same$")
    yield Case("F23 another compression than its name", refused("a.csv.zst"), (2,), "compressed by gzip.*a.csv.gz",
               prepare=files(a__csv__zst=gzip.compress(b"1\n")))


def append_frames(folder, root, program):
    frame = b"\x5f\x2a\x4d\x18\x02\0\0\0ab"
    whole = (root / "tools/scripts/reported/files/f20-skippable-first.csv.zst").read_bytes()
    (folder / "a.csv.zst").write_bytes(frame + whole + frame)


def text():
    yield Case("F23 tsv", reads("$CASES/f23-text.tsv", [1, 2, 3, 4, 5, 7, 8, 9], "--type u32"), (0,), "^same$")
    for name in ("keys", "keys.dat", "keys.raw", "keys.bin", "keys.u32"):
        yield Case(f"F23 text named {name}", refused(name, "--type u32"), (2,), "holds text.*--format csv.*--format raw",
                   after=kept_out, prepare=files(**{name.replace(".", "__"): "5\n3\n9\n1\n7\n2\n8\n4\n"}))
    yield Case("F23 text in a pipe", "printf '5\\n3\\n9\\n1\\n' | keyswap sort - --type u32 --output o.csv", (2,),
               "standard input: holds text", after=kept_out)
    yield Case("F23 text that is said to be raw", "keyswap check keys --type u32 --format raw", (0, 1), "order|sorted",
               prepare=files(keys="5\n3\n9\n1\n"))
    yield Case("F24 decimal comma", refused("$CASES/f24-decimal-comma.csv", "--type f64 --column 1"), (2,),
               "row 1: '1,50' has a comma, which", after=kept_out)
    yield Case("F24 decimal comma under a header", refused("a.csv", "--type f64 --column x"), (2,), "row 2: '1,50' has a comma, which",
               after=kept_out, prepare=files(a__csv="x;y\n1,50;2\n"))
    yield Case("F25 thousands in quotes", refused("$CASES/f25-thousands-quoted.csv", "--type i32 --column amount"), (2,),
               "'1,234' has a comma.*thousands separator", after=kept_out)
    for name, row in (("apostrophe", "1'234"), ("space", "1 234"), ("underscore", "1_234"), ("points", "1.234.567"),
                      ("no-break space", "1\u00a0234")):
        yield Case(f"F25 thousands: {name}", refused("a.csv", "--type i64"), (2,), "thousands separators.*write it as 1234",
                   "remove the row", after=kept_out, prepare=files(a__csv=f"k\n5\n{row}\n"))
    yield Case("F25 thousands without quotes", refused("a.csv", "--type i32 --column amount"), (2,),
               "row 2.*has 3 cells, and the first row 2", after=kept_out, prepare=files(a__csv="id,amount\n1,1,234\n"))
    yield Case("F26 a column in quotes", reads("$CASES/f26-quoted-single.csv", [3, 5, 9]), (0,), "^same$")
    yield Case("F26 quotes without a header", reads("a.csv", [3, 5]), (0,), "^same$", prepare=files(a__csv='"5"\n"3"\n'))
    yield Case("F27 CR alone", refused("$CASES/f27-cr-only.csv"), (2,), "rows end in CR alone", "remove the row", after=kept_out)
    yield Case("F27 CR alone under a header", refused("a.csv", "--type i32 --column k"), (2,), "rows end in CR alone",
               after=kept_out, prepare=files(a__csv="id,k\r1,5\r2,3\r"))
    yield Case("F28 integers of R", "keyswap check $CASES/f28-r-integers-input.npy $CASES/f28-r-integers.csv", (0, 1),
               "permutation|The output", "not a valid")
    yield Case("F28 1e+05", reads("a.csv", [-1500, 100000]), (0,), "^same$", prepare=files(a__csv="k\n1e+05\n-1.5e3\n"))
    yield Case("F28 1e-5", refused("a.csv"), (2,), "not a whole number", after=kept_out, prepare=files(a__csv="k\n1e-5\n"))
    yield Case("F29 address with a zone", refused("$CASES/f29-ipv6-zone-first.csv", "--type b128 --algorithm sample-sort"),
               (2,), "row 1: 'fe80::1%eth0'", after=kept_out)
    for name, row, kind in (("hexadecimal", "0x1F", "i32"), ("date", "Jan 5 2024", "i64"), ("day", "2024-01-31", "i64"),
                            ("amount", "EUR 5", "i32"), ("NumPy's repr", "np.int64(5)", "i64"), ("NaN", "NaN", "i32"),
                            ("dollars", "$5", "i32"), ("infinity", "-inf", "i32"), ("Boolean", "TRUE", "i32"),
                            ("UUID cut short", "deadbeef-0000-0000-0000-00000000000", "b128")):
        algorithm = " --algorithm sample-sort" if kind == "b128" else ""
        yield Case(f"F29 first row is a {name}", refused("a.csv", f"--type {kind}" + algorithm), (2,), "row 1: '", "remove the row",
                   after=kept_out, prepare=files(a__csv=row + ("\n::1\n" if kind == "b128" else "\n6\n")))
    for name, row in (("NULL", "NULL"), ("NA", "NA"), ("a date", "2024-01-31"), ("a string", "abc"), ("true", "true"),
                      ("a sign of Unicode", "\u22125"), ("percent", "5%"), ("a date of the US", "1/31/24")):
        yield Case(f"row of {name}", refused("a.csv"), (2,), "row 3: '.*is not a valid i32 key",
                   "remove the row|choose another --type", after=kept_out, prepare=files(a__csv=f"k\n5\n{row}\n6\n"))
    yield Case("row without a value", refused("a.csv", "--type i32 --column k"), (2,), "row 3: is empty", "remove the row",
               after=kept_out, prepare=files(a__csv="id,k\n1,5\n2,\n3,6\n"))
    yield Case("blank rows at the end", reads("a.csv", [3, 5]), (0,), "^same$", prepare=files(a__csv="k\n5\n3\n\n\n"))
    yield Case("blank row between", refused("a.csv"), (2,), "row 3: is empty", after=kept_out,
               prepare=files(a__csv="k\n5\n\n3\n"))
    for name, content, options, expected in (
            ("fractions of zeros", "k\n5.0\n-0.0\n3.\n", "--type i32", [0, 3, 5]),
            ("quotation marks within cells", 't,k\n6" x 4" pipe,5\n"a ""b""",3\n', "--type i32 --column k", [3, 5]),
            ("blanks before quotation marks", 't, "k"\n"a", "5"\n"b", "3"\n', "--type i32 --column k", [3, 5]),
            ("a row of blanks and the end of a DOS text", "k\r\n5\r\n3\r\n \t\r\n\x1a", "--type i32", [3, 5])):
        yield Case(f"F28 {name}", reads("a.csv", expected, options), (0,), "^same$", prepare=files(a__csv=content))
    for name, content, options, says in (
            ("F24 commas in names, semicolons and decimal commas", "Preis, EUR;k\n1,50;3\n2,75;9\n", "--type f64 --column 1", "row 2: has semicolons.*quote cells"),
            ("F26 text after quotation marks", 'k\n"1"2\n', "--type i32 --column k", "row 2: has a cell that continues"),
            ("F26 quotation marks around a part", 'k\n1"2"\n', "--type i32", "row 2: '1\"2\"' is not a valid"),
            ("F26 a quotation mark of backslashes", 't,k\n"a\\"b",5\n', "--type i32 --column k", "row 2: has a cell that continues"),
            ("F26 a row in two lines", 'k\n"5\n6"\n', "--type i32", "row 2: .*not closed"),
            ("F23 tabulators", "k\tv\n5\t1\n", "--type i32", "row 1: .*more than one column.*--column"),
            ("F23 cells between |", "a|k\n1|5\n", "--type i32 --column k", r"no column 'k'.*tr '\|'"),
            ("F23 cells between spaces", "1 5\n2 3\n", "--type i32 --column 2", "not by spaces"),
            ("F29 a comment", "# made by x\nk\n5\n", "--type i32", "row 1: '# made by x' is a comment"),
            ("F29 a comment of columns", "# made by x\nid,k\n1,5\n", "--type i32 --column k", "row 1: '# made by x' is a comment"),
            ("F29 Excel's separator", "sep=;\nid;k\n1;5\n", "--type i32 --column 2", "row 1: 'sep=;' is Excel's separator"),
            ("F29 an index without a name", ",k\n0,5\n", "--type i32 --column 1", "row 1: has an empty cell in that column"),
            ("F41 tables after one another", "k\n5\nk\n3\n", "--type i32", "row 3: repeats the first row"),
            ("F28 Windows' infinity", "1.#INF\n", "--type f64", "row 1: '1.#INF'.*write inf"),
            ("F28 Fortran's exponent", "1.5\n1D+05\n", "--type f64", "row 2: '1D.05'.*write 'e'"),
            ("row of a spreadsheet's error", "k\n#REF!\n", "--type i32", "row 2: '#REF!'.*an error of a spreadsheet")):
        yield Case(name, refused("a.csv", options), (2,), says, "remove the row", after=kept_out, prepare=files(a__csv=content))
    yield Case("F29 a header of Windows", refused("a.csv"), (2,), "row 1: .*is not UTF-8.*iconv", after=kept_out,
               prepare=files(a__csv="B\u00e4nder\n5\n".encode("latin-1")))
    for kind in ("utf-16-le", "utf-16-be"):
        for name in ("keys", "keys.raw", "keys.csv"):
            yield Case(f"F16 {kind} without a mark, {name}", refused(name, "--type u32"), (2,), "is text of UTF-16", after=kept_out,
                       prepare=files(**{name.replace(".", "__"): ("5\n3\n" * 20).encode(kind)}))
    yield Case("two columns as a key", refused("a.csv", "--type i32 --column a,b"), (2,), "pack them into one number",
               after=kept_out, prepare=files(a__csv="a,b\n1,2\n"))
    for kind in ("utf-16", "utf-16-be", "utf-32"):
        mark = "\ufeff" if kind == "utf-16-be" else ""
        yield Case(f"text of {kind}", refused("a.csv"), (2,), "UTF-16|UTF-8", after=kept_out,
                   prepare=files(a__csv=(mark + "k\n5\n3\n").encode(kind)))
    yield Case("NUL bytes in a row", refused("a.csv"), (2,), "row 2.*NUL bytes", after=kept_out,
               prepare=files(a__csv=b"5\n3\0\n"))
    yield Case("a column alone is written", "keyswap sort a.csv --column k --type i32 --gpu-count 2 --output o.csv", (0,),
               "other 2 columns, which are not written", prepare=files(a__csv="id,k,z\n1,5,9\n2,3,9\n"))


def foreign():
    arrow = (b"\xff\xff\xff\xff\x78\0\0\0\x10\0\0\0\0\0\x0a\0\x0c\0\x06\0\x05\0\x08\0\x0a\0\0\0\0\x01\x04\0\x0c\0\0\0"
             b"\x08\0\x08\0\0\0\x04\0\x08\0\0\0\x04\0\0\0\x01\0\0\0\x14\0\0\0" + bytes(200))
    for name, mark, remedy in (("Arrow streams", arrow, "open_stream"), ("Parquet", b"PAR1", "read_parquet"),
                               ("Arrow or Feather", b"ARROW1\0\0", "read_feather"), ("zip or .npz", b"PK\x03\x04", "numpy.load"),
                               ("HDF5", b"\x89HDF\r\n\x1a\n", "h5py"), ("pickle", b"\x80\x04\x95\x20" + bytes(7), "numpy.save"),
                               ("xz", b"\xfd7zXZ\0", "xz -dk"), ("PNG", b"\x89PNG\r\n\x1a\n", "numpy.save"),
                               ("SQLite", b"SQLite format 3\0", "sqlite3"), ("pickle", b"\x80\x03(K\x05K\x03K\x09t.", "numpy.save"),
                               ("LZMA", b"]\0\0\x80\0" + b"\xff" * 8 + b"\0abc", "format=lzma"), ("HDF5", bytes(512) + b"\x89HDF\r\n\x1a\n", "numpy.save"),
                               ("Excel 97", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "as CSV")):
        for file in ("keys", "keys.feather", "keys.raw", "keys.csv"):
            yield Case(f"{name} named {file}", refused(file, "--type u32"), (2,), f"in an unsupported format: {name} .*{remedy}",
                       after=kept_out, prepare=files(**{file.replace(".", "__"): mark + bytes(400)}))


    for name in ("keys.Z", "keys.zz", "keys.parquet", "keys.pkl", "keys.json", "keys.xlsx", "keys.feather.gz"):
        content = gzip.compress(bytes(40)) if name.endswith(".gz") else bytes(40)
        yield Case(f"a name of other files: {name}", refused(name, "--type u32"), (2,), "has the extension of .* files, which cannot be read.*--format",
                   after=kept_out, prepare=files(**{name.replace(".", "__"): content}))
    for name in ("keys.u32.gz", "keys.u32.gz.gz", "keys.raw"):
        yield Case(f"F22 compressed twice: {name}", refused(name, "--type u32"), (2,), "is compressed twice", after=kept_out,
                   prepare=files(**{name.replace(".", "__"): gzip.compress(gzip.compress(bytes(400)))}))
    yield Case("LZ4 under the name of zstd", refused("a.csv.zst"), (2,), "in an unsupported format: LZ4", after=kept_out,
               prepare=files(a__csv__zst=b"\x04\x22\x4d\x18" + bytes(40)))


def arrays():
    keys = struct.pack("<7i", 5, 3, 9, 1, 7, 2, 8)
    not_sorted = (1,)
    for case, file in (("F30 lengths of Python 2", "f30-python2-long.npy"), ("F31 Fortran order", "f31-fortran-1d.npy")):
        yield Case(case, f"keyswap check $CASES/{file} $CASES/{file}", not_sorted, "not sorted at index 1")
    yield Case("F32 records", "keyswap check $CASES/f32-structured.npy $CASES/f32-structured.npy", (2,),
               r"records of fields k, v.*a\['k'\]")
    yield Case("F33 bytes with an order", "keyswap check $CASES/f33-lt-u1.npy", not_sorted, "u8.*|index 1")
    for descr in ("<i4", "=i4", "|i4", "i4"):
        yield Case(f"F33 dtype {descr}", reads("a.npy", SORTED_SEVEN, ""), (0,), "^same$", prepare=files(a__npy=npy(descr, "(7,)", keys)))
    yield Case("F33 big-endian", reads("a.npy", SORTED_SEVEN, ""), (0,), "^same$",
               prepare=files(a__npy=npy(">i4", "(7,)", struct.pack(">7i", 5, 3, 9, 1, 7, 2, 8))))
    for shape in ("(7, 1)", "(1, 7)", "(7L, 1L)"):
        yield Case(f"F30 shape {shape}", reads("a.npy", SORTED_SEVEN, ""), (0,), "^same$", prepare=files(a__npy=npy("<i4", shape, keys)))
    yield Case("F30 version 3", reads("a.npy", SORTED_SEVEN, ""), (0,), "^same$",
               prepare=files(a__npy=npy("<i4", "(7,)", keys, version=3)))
    yield Case("F30 no dimension", refused("a.npy", ""), (2,), "has 0 dimensions", prepare=files(a__npy=npy("<i4", "()", keys[:4])))
    yield Case("F30 two dimensions", refused("a.npy", ""), (2,), r"has 2 dimensions.*\(2, 3\).*a\[:, 0\]",
               prepare=files(a__npy=npy("<i4", "(2, 3)", keys[:24])))
    for descr, says in (("|b1", "bool.*astype"), ("<M8[ns]", "date.*astype"), ("<U3", "text"), ("|O", "Python objects"),
                        ("<c8", "not a key type")):
        yield Case(f"F32 dtype {descr}", refused("a.npy", ""), (2,), says, prepare=files(a__npy=npy(descr, "(1,)", bytes(8))))
    yield Case("F34 another type than the input", "keyswap check $CASES/f34-keys-u32.npy $CASES/f34-sorted-i64.npy", (2,),
               "holds i64 keys, and the keys of .*f34-keys-u32.npy are u32", "--type")
    yield Case("F34 indices of argsort", "keyswap check $CASES/f34-keys-u32.npy $CASES/f34-sorted-u32.npy --values "
               "$CASES/f34-argsort-i64.npy --value-bits 64 --stable", (0,), "Every value is with its key")
    yield Case("F34 indices without their width", "keyswap check $CASES/f34-keys-u32.npy $CASES/f34-sorted-u32.npy --values "
               "$CASES/f34-argsort-i64.npy --stable", (0,), "Every value is with its key")
    yield Case("F34 a negative index", "keyswap check k.npy k.npy --values v.npy", (1,), "is not an index of the input",
               prepare=files(k__npy=npy("<u4", "(2,)", struct.pack("<2I", 1, 2)), v__npy=npy("<i8", "(2,)", struct.pack("<2q", 0, -1))))
    yield Case("F35 NaNs of one kind", "keyswap check $CASES/f35-nan-input.npy $CASES/f35-nan-npsorted-avx512.npy --nan-order last "
               "--zero-order equal", (1,), "every NaN became nan .*AVX-512")


def graphs():
    yield Case("F36 more entries than announced", "keyswap sssp --graph $CASES/f36-more-entries.mtx", (2,),
               "one entry more than the 2 that the size line announces")
    yield Case("F36 more edges than announced", "keyswap sssp --graph a.gr", (2,), "a.gr:3: is one edge more than the 1 of the line 'p sp'",
               prepare=files(a__gr="p sp 3 1\na 1 2 5\na 2 3 5\n"))
    yield Case("F16 a graph with a byte order mark", "keyswap sssp --graph a.gr", (0,), "1 edge$", prepare=files(a__gr="\ufeffp sp 3 1\na 1 2 5\n"))
    yield Case("F36 rubbish after the entries", "keyswap sssp --graph a.mtx", (2,), "a.mtx:5: is one entry more",
               prepare=files(a__mtx="%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 5\n% a comment\nrubbish\n"))
    yield Case("F36 comments and blank lines after the entries", "keyswap sssp --graph a.mtx", (0,),
               prepare=files(a__mtx="%%MatrixMarket matrix coordinate integer general\n%\n2 2 1\n1 2 5\n\n% end\n\n"))
    yield Case("F37 compressed graph", "keyswap sssp --graph $CASES/f37-roads.gr.gz", (0,), "3 vertices|2 edges")
    yield Case("F37 capitals", "keyswap sssp --graph A.GR", (0,), "2 edges", prepare=files(A__GR="p sp 3 2\na 1 2 5\na 2 3 5\n"))


def parts():
    both = "--input $CASES/f41-part-0.csv $CASES/f41-part-1.csv"
    yield Case("F41 a part with its header alone", f"keyswap check {both} --output $CASES/f41-part-0.csv --type u32", (0,), "1 key")
    yield Case("F41 an output's part", f"keyswap check {both} --output $CASES/f41-part-1.csv $CASES/f41-part-0.csv --type u32",
               (0,), "1 key")
    yield Case("F41 a part without a row", "keyswap check --input a.csv b.csv --output a.csv --type u32", (0,), "1 key",
               prepare=files(a__csv="v\n5\n", b__csv=""))
    yield Case("F41 parts of other columns", "keyswap check --input a.csv b.csv --output a.csv --type u32", (2,), "b.csv: has the header 'w', and a.csv 'v'",
               prepare=files(a__csv="v\n5\n", b__csv="w\n3\n"))
    yield Case("F41 a header alone", "keyswap sort $CASES/f41-part-1.csv --type u32", (2,), "no keys below its header 'v'")


def order():
    yield Case("one file in order", "keyswap check a.csv --type u32", (0,), "in order: 3 keys", prepare=files(a__csv="v\n1\n2\n2\n"))
    yield Case("one file out of order", "keyswap check a.csv --type u32", (1,), "The file is not sorted at index 2: key 1 follows 3",
               prepare=files(a__csv="v\n2\n3\n1\n4\n0\n"))
    yield Case("one file descending", "keyswap check a.csv --type u32 --direction descending", (0,), "in order: 3 keys",
               prepare=files(a__csv="v\n3\n2\n2\n"))
    yield Case("one file and values", "keyswap check a.csv --type u32 --values v.raw", (2,), "--values: needs the keys before the sort",
               prepare=files(a__csv="1\n"))
    table = "id,k\n1,5\n2,3\n"
    yield Case("the output's column is the input's", "keyswap check a.csv b.csv --column k --type u32", (0,), "2 keys",
               prepare=files(a__csv=table, b__csv="id,k\n2,3\n1,5\n"))
    yield Case("the output is the column alone", "keyswap check a.csv b.csv --column k --type u32", (0,), "2 keys",
               prepare=files(a__csv=table, b__csv="3\n5\n"))
    yield Case("the output is an array", "keyswap check a.csv b.npy --column k --type u32", (0,), "2 keys",
               prepare=files(a__csv=table, b__npy=npy("<u4", "(2,)", struct.pack("<2I", 3, 5))))
    yield Case("no column of that number in the output", "keyswap check a.csv b.csv --type i32 --output-column 5", (2,), "no column 5.*correct --column", "narrower",
               prepare=files(a__csv="5\n3\n", b__csv="3\n5\n"))
    yield Case("the output has other columns", "keyswap check a.csv b.csv --column k --type u32", (2,), "b.csv, row 1: has no column 'k'",
               prepare=files(a__csv=table, b__csv="id,z\n2,3\n1,5\n"))


def cases():
    for group in (compressed, text, foreign, arrays, graphs, parts, order):
        yield from group()
