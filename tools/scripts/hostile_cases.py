"""The commands of tools/scripts/hostile and what each of them has to give."""
import ctypes
import gzip
import json
import os
import re
import sqlite3
import subprocess
import zlib

from hostile_case import Case


FORGED = "1 of 1 trace without a violation"


# Traces: text that is changed, and sealed again with right checksums.

def zstd_text(path):
    """What libzstd makes of a file; Python has no zstd of its own before 3.14."""
    zstd = ctypes.CDLL("libzstd.so.1")
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_isError.argtypes = [ctypes.c_size_t]
    data = path.read_bytes()
    out = ctypes.create_string_buffer(1 << 24)
    size = zstd.ZSTD_decompress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)))
    assert not zstd.ZSTD_isError(size)
    return out.raw[:size].decode()


def sealed(line):
    covered = line[:line.rindex(',"crc32"')] if ',"crc32"' in line else line
    return f'{covered},"crc32":"{zlib.crc32(covered.encode()):08x}"}}\n'


def trace_of(lines):
    """A whole trace of these lines, each sealed, with the end record that counts them."""
    lines = [line for line in lines if line.strip() and not line.startswith('{"record":"end"')]
    return "".join(map(sealed, lines)) + sealed(f'{{"record":"end","records":{len(lines)}')


def recorded(root, name):
    return zstd_text(root / "traces/recorded" / (name + ".trace.zst")).splitlines()


def few_keys(root):
    return recorded(root, "4gpus-paper-few-keys")


def changed(out, source, *changes, keep=None, more=()):
    """Writes a recorded trace with texts replaced. keep: so many lines of it; more: lines after them."""
    def prepare(folder, root, program):
        lines = recorded(root, source)[:keep] + list(more)
        text = "\n".join(lines)
        for pattern, replacement in changes:
            text, count = re.subn(pattern, lambda _: replacement, text, count=1)
            assert count, f"{source} has no {pattern}"
        (folder / out).write_text(trace_of(text.split("\n")))
    return prepare


def header(out, *changes, files=()):
    """A trace of a header alone, without the digest of its keys."""
    def prepare(folder, root, program):
        line = re.sub(r',"content":\{[^}]*\}', "", few_keys(root)[0])
        for old, new in changes:
            assert old in line, old
            line = line.replace(old, new)
        (folder / out).write_text(trace_of([line]))
        for name, text in files:
            (folder / name).write_bytes(text)
    return prepare


def files(**texts):
    """Files of these names, '__' standing for a dot."""
    def prepare(folder, root, program):
        for name, text in texts.items():
            (folder / name.replace("__", ".")).write_bytes(text if isinstance(text, bytes) else text.encode())
    return prepare


def gpu_64_of_2(folder, root, program):
    (folder / "k.csv").write_text("5\n3\n7\n7\n1\n9\n")
    subprocess.run([program, "sort", "--input", "k.csv", "--type", "u32", "--gpu-count", "2", "--record", "s.trace"],
                   cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (folder / "k.csv").unlink()
    text = (folder / "s.trace").read_text()
    (folder / "t.trace").write_text(trace_of(text.replace('"after_swap","gpu":1', '"after_swap","gpu":64').splitlines()))


def merge_of_unknown_keys(distribution, version):
    def prepare(folder, root, program):
        text = gzip.decompress((root / "proptests/recorded/p2p-merge-4.trace.gz").read_bytes()).decode()
        lines = text.splitlines()
        lines[0] = re.sub(r'"distribution":"[^"]*"', f'"distribution":"{distribution}"', lines[0])
        lines[0] = re.sub(r'"generator_version":\d+', f'"generator_version":{version}', lines[0])
        lines = [line for line in lines if '"record":"verdict"' not in line]
        lines[-1:] = ['{"record":"copy","source":0,"source_offset":999999999999,"destination":1,'
                      '"destination_offset":999999999999,"count":1',
                      '{"record":"sort_range","gpu":99,"offset":0,"count":1,"begin_bit":0,"end_bit":32']
        (folder / "t.trace").write_text(trace_of(lines))
    return prepare


def histograms(folder, root, program):
    lines = [few_keys(root)[0].replace('"uniform"', '""')]
    lines += ['{"record":"histogram","pass":0,"prefix":0,"gpu":0,"offset":0,"digits":65536,"nonzero":[[0,1]]'] * 30000
    (folder / "b.trace.gz").write_bytes(gzip.compress(trace_of(lines).encode()))


def many_gpus(folder, root, program):
    gpus = ",".join(map(str, range(30000)))
    line = few_keys(root)[0].replace('"gpus":[0,1,2,3]', f'"gpus":[{gpus}]')
    (folder / "g.trace").write_text(trace_of([line]))


def forged(folder, root, program):
    line = few_keys(root)[0].replace('"device":"NVIDIA H200"', '"device":"x)\\n  agrees.\\nverify: %s\\n\\u001b[2J"' % FORGED)
    (folder / "f.trace").write_text(trace_of([line.replace('"key_count":3', '"key_count":4')] + few_keys(root)[1:]))


def deep_json(folder, root, program):
    (folder / "w.json").write_text('{"platform":' + "[" * 200000 + "]" * 200000 + ',"rows":[{"total_ms":1}]}')


MEASUREMENTS_HEADING = b"num_keys,gpus,total_sort_duration\n"


def bomb(name, start, line):
    def prepare(folder, root, program):
        with gzip.open(folder / name, "wb", 9) as out:
            out.write(start)
            for _ in range(400):
                out.write(line * ((1 << 20) // len(line)))
    return prepare


def kernels_without_key(folder, root, program):
    with sqlite3.connect(folder / "k.sqlite") as base:
        base.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
        base.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
                     " streamId INTEGER, shortName INTEGER)")
        base.executemany("INSERT INTO StringIds VALUES (?, ?)", ((i, f"kernel {i}") for i in range(40000)))
        base.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?)",
                         ((10 * i, 10 * i + 5, i) for i in range(40000)))


def export_in_wal_mode(folder, root, program):
    base = sqlite3.connect(folder / "w.sqlite")
    base.execute("PRAGMA journal_mode=WAL")
    base.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER)")
    base.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 0, 7)")
    base.commit()
    base.close()
    assert not (folder / "w.sqlite-wal").exists()


def only(name):
    def check(folder):
        return sorted(p.name for p in folder.iterdir() if p.name != ".bin") == [name]
    check.__doc__ = f"only {name} in it"
    return check


def has(name, text):
    def check(folder):
        return (folder / name).is_file() and (folder / name).read_text() == text
    check.__doc__ = f"{name} as it was"
    return check


def lacks(name):
    def check(folder):
        return not list(folder.rglob(name))
    check.__doc__ = f"no {name} in it"
    return check


def measurements(*changes, rows=1):
    """A file of published measurements, cut to some rows and changed."""
    def prepare(folder, root, program):
        lines = (root / "traces/measurements/dgx-a100.csv").read_text().splitlines()[:rows + 1]
        text = "\n".join(lines) + "\n"
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        (folder / "m.csv").write_text(text)
    return prepare


def rates(*changes):
    """The first rows of a table of rates, changed."""
    def prepare(folder, root, program):
        text = "\n".join((root / "traces/measurements/rates.csv").read_text().splitlines()[:3]) + "\n"
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        (folder / "r.csv").write_text(text)
    return prepare


SWEEP = '{"platform":"p","rows":[%s]}'
RMG_HEADER = '"algorithm":"rmg"'


def wrong_called_right():
    check_csv = "keyswap check --input a.csv --output a.csv --type "
    yield Case("A1 record: both files emptied",
               "keyswap record --command ': > {input}; : > {output}' --keys 1e5 --folder f", (1,), "1 of 1 run")
    yield Case("A2 record keeps the folder's files",
               "keyswap record --command 'cp {input} {output}' --keys 1000 --folder . ; true", (0,),
               prepare=files(input__raw="mine", output__raw="mine"), after=has("input.raw", "mine"))
    yield Case("A3 csv of carriage returns", check_csv + "u32", (2,), "a.csv, row 1: .*rows end in CR alone",
               prepare=files(a__csv="k\r3\r1\r"))
    yield Case("A3 gzip named .csv is read as such", check_csv + "u32", (1,), "2 sorted runs|descen|output is the input",
               prepare=files(a__csv=gzip.compress(b"3\n1\n" * 100)))
    yield Case("A3 zeros named .csv", check_csv + "u32", (2,), "a.csv, row 1: ", prepare=files(a__csv=bytes(999)))
    yield Case("A3 heading only", check_csv + "u32", (2,), "no keys below its header 'k'", prepare=files(a__csv="k\n"))
    yield Case("A3 first row #5", check_csv + "i32", (2,), "row 1: '#5' is a comment", prepare=files(a__csv="#5\n6\n"))
    for name, row in (("NULL", "NULL"), ("5 in single quotes", "'5'"), ("minus of Unicode", "\u22125")):
        yield Case(f"A3 first row {name}", check_csv + "i32", (2,), "neither a key of type i32 nor a header",
                   prepare=files(a__csv=row + "\n6\n"))
    yield Case("A3 first row x5 is named", check_csv + "u32", (0,), "header.*a.csv: 'x5'", prepare=files(a__csv="x5\n6\n"))
    yield Case("A4 calibrated platform is read again",
               "keyswap calibrate $R/h200-x4.csv --platform $R/h200-x4-platform.toml --output c.toml --output-platform"
               " p.toml >/dev/null && keyswap topology show --platform p.toml", (0,), seconds=30)
    for command in ("whatif --keys 1e5 --csv -", "whatif --keys 1e5 --json", "simulate --keys 1e5 --json",
                    "simulate --keys 1e5", "bench-simulator --gpu-count 2 --json"):
        yield Case(f"A5 full disk: {command.split(' --')[0]} {command.split()[-1]}", f"keyswap {command} >/dev/full", (2,),
                   "standard output|No space left", seconds=20)
    for name, options in (("in memory", ""), ("external", "--memory 64M")):
        yield Case(f"A5 full disk: report of a sort {name}",
                   f"keyswap generate --keys 1e4 --output k.npy >/dev/null; keyswap sort k.npy --output s.npy {options} >/dev/full;"
                   " test $? = 2 && keyswap check k.npy s.npy", (0,), "any output file is complete")
    for name, command in (("a sort", "sort --distribution uniform --keys 1e5 --gpu-count 64 --all --output f"),
                          ("a trace", "simulate --keys 1e6 --links --trace f"),
                          ("rows", "whatif --keys 1e6 --gpu-count 1-8 --csv f"),
                          ("a report", "report --distribution uniform --keys 1e5 --output f")):
        yield Case(f"A5 closed pipe: {name}", f"keyswap {command} 2>e | exec 0<&-; test -s f && test ! -s e", (0,), "", seconds=20)
    yield Case("A5 external sort into no name", "keyswap sort k.csv --memory 64M --output ''", (2,), "--output: '' is not a file name",
               prepare=files(k__csv="2\n1\n"))
    for option, command in (("--scratch", "sort k.csv --memory 64M --output o.npy"), ("--folder", "record --command true"),
                            ("--probe-storage", "calibrate"), ("--tables", "report --distribution uniform --keys 10")):
        yield Case(f"A5 no folder: {option}", f"keyswap {command} {option} ''", (2,), f"{option}: '' is not a folder name")
    yield Case("A5 probe of disks with a file", "keyswap calibrate --probe-storage . runs.csv", (2,), "excludes",
               prepare=files(runs__csv="x\n"))
    yield Case("A5 full disk: validate", "keyswap validate $ROOT/traces/measurements/dgx-a100.csv --platform dgx-a100 >/dev/full",
               (2,), "standard output|No space left", seconds=60)
    yield Case("A6 offset that wraps around", "keyswap verify c.trace", (1,), "a GPU's memory|of its memory",
               FORGED, prepare=changed("c.trace", "3virtual-fast-few-keys",
                                       (r'"source":1,"source_offset":0', '"source":1,"source_offset":18446744073709551614')))
    yield Case("A7 digest on GPU 64 of 2", "keyswap verify t.trace", (1,), "recorded GPU 64", FORGED, prepare=gpu_64_of_2)
    for distribution, version in (("", 1), ("uniform", 0)):
        yield Case(f"A8 merge of unknown keys, version {version}", "keyswap verify t.trace", (1,), "999999999999|GPU 99",
                   FORGED, prepare=merge_of_unknown_keys(distribution, version))
    yield Case("A8 nothing to check", "keyswap verify t.trace --accept-incomplete", (1,), "nothing checked", FORGED,
               prepare=header("t.trace", ('"uniform"', '""'), (RMG_HEADER, '"algorithm":"unheard of"')))
    yield Case("A9 old file on a full disk", "trap '' XFSZ; ulimit -f 1; keyswap simulate --keys 1e6 --trace old.json --force", (2,),
               prepare=files(old__json="old"), after=has("old.json", "old"))
    yield Case("A10 folder that is a command", "keyswap record --command 'cp {input} {output}' --keys 100 --folder \"a'; touch pwned; '\"; true",
               (0,), after=lacks("pwned"))
    yield Case("A10 folder with a placeholder", "keyswap record --command 'sort {input} > {output}' --keys 100 --folder 'a{input}b'; true", (0,))
    yield Case("A11 gate of no configuration",
               "keyswap validate $ROOT/traces/measurements/dgx-a100.csv --platform dgx-a100 --min-keys 1e18 --max-median-error 0.0001",
               (1, 2), seconds=60)
    yield Case("A11 gate of a heading only", "keyswap validate m.csv --platform dgx-a100 --max-median-error 0.1", (1, 2),
               prepare=measurements(rows=0))
    yield Case("A11 limit that is not a number", "keyswap validate m.csv --platform dgx-a100 --max-median-error nan", (2,),
               prepare=measurements(), seconds=60)


def crashes():
    for bits in (0, 17, -1):
        yield Case(f"B report: digits of {bits} bits", "keyswap report a.trace --json", (2,), "--digit-bits: .*out of range",
                   prepare=changed("a.trace", "4gpus-paper-few-keys", ('"digit_bits":8', f'"digit_bits":{bits}')))
    yield Case("B report: deep what-if", "keyswap report w.json", (2,), "w.json: nests values more than 64 deep", prepare=deep_json)
    yield Case("B toml: deep key", "keyswap topology show --platform d.toml", (2,), "d.toml",
               prepare=files(d__toml="a" + ".a" * 100000 + " = 1\n"))
    yield Case("B toml: deep key of a profile", "keyswap simulate --keys 1e5 --profile d.toml", (2,), "d.toml",
               prepare=files(d__toml="a" + ".a" * 100000 + " = 1\n"))
    for command in ("simulate --keys 1e17", "whatif --keys 1e17", "report --platform dgx-a100 --keys 1e17 --json",
                    "whatif --keys 1e5 --link 'nvlink x1e-12'", "simulate --keys 1e5 --rate-tolerance nan",
                    "bench-simulator --gpu-count 2 --tolerance nan"):
        yield Case("B " + command.replace(" --keys 1e5", ""), f"keyswap {command} >/dev/null", (0, 2), seconds=30)
    yield Case("B no Graphviz", "PATH=$PWD/.bin:/none; keyswap topology draw --platform cluster:dgx-h100:32 --svg x.svg", (2,), "Graphviz|dot",
               seconds=30)


def bombs():
    yield Case("C histograms of few bytes", "keyswap verify b.trace.gz", (1, 2), "b.trace.gz.*--memory-limit|digits",
               memory_mb=1500, seconds=60, prepare=histograms)
    claims = (("2e9", "2000000000"), ("2 to the 63", "9223372036854775808"))
    for name, count in claims:
        yield Case(f"C key file of claimed {name}", "keyswap verify f.trace", (2,), "k.csv: has 3 keys, and the trace is of " + count,
                   prepare=header("f.trace", ('"key_count":3', f'"key_count":{count}'), ('"uniform"', '"file"'),
                                  ('"file":""', '"file":"k.csv"'), files=[("k.csv", b"1\n2\n3\n")]))
    yield Case("C 1e12 keys to make", "keyswap verify f.trace", (2,), "raise --key-limit",
               prepare=header("f.trace", ('"key_count":3', '"key_count":1000000000000')))
    yield Case("C 30,000 GPUs: report", "keyswap report g.trace --json", (2,), "number of GPUs: 30000 is out of range", prepare=many_gpus)
    yield Case("C 30,000 GPUs: verify", "keyswap verify g.trace", (2,), "number of GPUs: 30000 is out of range", prepare=many_gpus)
    yield Case("C toml: 100,000 GPUs", "sed 's/gpu{0-3}/gpu{0-99999}/' $ROOT/simulator/platforms/pcie-4gpu.toml >g.toml;"
               " keyswap topology show --platform g.toml", (2,), "g.toml")
    yield Case("C nvidia-smi: NUMA node 20000", "keyswap topology import --input t.txt --output p.toml", (2,), "t.txt",
               prepare=files(t__txt="\tGPU0\tNUMA Affinity\nGPU0\t X \t20000\n"))
    yield Case("C bomb as measurements: report", "keyswap report m.csv.gz --platform dgx-a100", (2,), "m.csv.gz.*--memory-limit",
               prepare=bomb("m.csv.gz", MEASUREMENTS_HEADING, b"x" * 1024))
    yield Case("C bomb as measurements: validate", "keyswap validate m.csv.gz --platform dgx-a100", (2,), "m.csv.gz",
               prepare=bomb("m.csv.gz", MEASUREMENTS_HEADING, b"x" * 1024))
    yield Case("C bomb as what-if", "keyswap report w.json.gz", (2,), "w.json.gz.*--memory-limit", prepare=bomb("w.json.gz", b"{", b" " * 1024))
    yield Case("C /dev/zero as platform", "keyswap topology show --platform /dev/zero", (2,), "/dev/zero", seconds=20)
    yield Case("C /dev/zero as profile", "keyswap simulate --keys 1e5 --profile /dev/zero", (2,), "/dev/zero", seconds=20)
    yield Case("C /dev/zero as --use", "keyswap topology draw dgx-a100 --use /dev/zero", (2,), "/dev/zero.*--memory-limit", seconds=20)
    yield Case("C /dev/zero to import", "keyswap topology import /dev/zero", (2,), "/dev/zero.*--memory-limit", seconds=20)
    yield Case("C endless splitters", "keyswap multisplit --distribution uniform --keys 100 --rule splitters:<(cat /dev/zero)", (2,),
               "/dev/fd/[0-9]*, key 2: splitter 0 appears twice", seconds=20)
    yield Case("C endless labels", "keyswap multisplit --distribution uniform --keys 100 --rule labels:<(cat /dev/zero)", (2,),
               "/dev/fd/[0-9]*: has more than 100 labels", seconds=20)
    yield Case("C /dev/zero as a graph", "ln -s /dev/zero z.gr; keyswap sssp --graph z.gr", (2,), "z.gr:1: is longer than 4096 bytes")
    yield Case("C graph of claimed 6e7 vertices", "keyswap sssp --graph g.gr", (2,), "g.gr:1: .*raise --memory-limit",
               prepare=files(g__gr="p sp 60000000 1\na 1 2 3\n"))
    yield Case("C a limit is raised", "keyswap verify t.trace --key-limit 2 2>/dev/null; keyswap verify t.trace --key-limit 3", (0,), FORGED,
               prepare=changed("t.trace", "4gpus-paper-few-keys"))
    yield Case("C a limit beyond what is borne", "keyswap verify t.trace --depth-limit 1e9", (2,), "--depth-limit: 1000000000 is more than",
               prepare=changed("t.trace", "4gpus-paper-few-keys"))
    for what, command in (("a platform", "topology show --platform p"), ("a profile", "simulate --keys 1e5 --profile p"),
                          ("--use", "topology draw dgx-a100 --use p"), ("labels", "multisplit --distribution uniform --keys 9 --rule labels:p"),
                          ("a graph", "sssp --graph p.gr")):
        yield Case(f"C pipe as {what}", f"mkfifo p p.gr; keyswap {command} --wait-limit 1", (2,),
                   "is a pipe that no process has written to for 1 s", seconds=5)
    yield Case("C toml: ranges of long texts", "keyswap topology show --platform g.toml", (2,), "g.toml:2: .*raise --memory-limit",
               prepare=files(g__toml='name = "p"\n[[switch]]\nname = "s{0-2000}%s"\n' % ("x" * 20000)))
    yield Case("C toml: routes of 4e7 pairs", "keyswap topology show --platform g.toml", (2,), "g.toml:.*--gpu-limit",
               prepare=files(g__toml='name = "p"\n[[cpu]]\nname = "c{0-60000}"\nmemory = "1 GB"\nmemory_read = "1 GB/s"\n'
                             'memory_write = "1 GB/s"\norigin = "assumed: here"\n'))
    yield Case("C /dev/zero to report", "keyswap report /dev/zero", (2,), "/dev/zero")
    yield Case("C pipe to report", "mkfifo p; keyswap report p", (2,), "p: is a pipe that no process has written to", seconds=15)
    yield Case("C pipe as a trace's keys", "mkfifo k.csv; keyswap verify f.trace; true", (0,), "not a regular file",
               prepare=header("f.trace", ('"uniform"', '"file"'), ('"file":""', '"file":"k.csv"')))
    yield Case("C record: output is a pipe", "keyswap record --command 'mkfifo {output} # {input}' --keys 100 --timeout 2 --folder f", (1, 2), seconds=15)
    yield Case("C record: output never ends", "keyswap record --command 'ln -s /dev/zero {output} # {input}' --keys 100 --timeout 2 --folder f", (1, 2), seconds=15)
    yield Case("C NCCL: 100,000 lines", "keyswap topology import --input n.xml --output p.toml", (0, 2), seconds=3,
               prepare=files(n__xml="<system version=\"1\">\n" + "<a/>\n" * 100000 + "</system>\n"))
    yield Case("C 40,000 names without a key", "keyswap report k.sqlite --output r.html", (0,), "written|report: r.html", seconds=8, prepare=kernels_without_key)
    yield Case("C report of a pipe", "keyswap report <(cat t.trace) --json >/dev/null", (0,),
               prepare=changed("t.trace", "4gpus-paper-few-keys"))
    yield Case("C sort of a pipe", "cat k.npy | keyswap sort --input /dev/stdin --format npy --output o.npy; cmp k.npy o.npy", (0,),
               prepare=npy)


def npy(folder, root, program):
    text = "{'descr': '<u4', 'fortran_order': False, 'shape': (2,), }"
    (folder / "k.npy").write_bytes(b"\x93NUMPY\x01\x00\x76\x00" + text.ljust(117).encode() + b"\n" + b"\1\0\0\0\2\0\0\0")


def smaller():
    for seed in ("99999999999999999999", "-1"):
        yield Case(f"D seed {seed}", f"keyswap plan --distribution uniform --keys 1e4 --seed {seed}", (2,), "--seed")
    yield Case("D tolerance 010", "keyswap plan --distribution uniform --keys 1e4 --tolerance-ppm 010 --json", (0, 2), says_not='"tolerance_ppm": 8')
    yield Case("D timeout nan", "keyswap record --command 'cp {input} {output}' --keys 10 --timeout nan --folder f", (2,), "--timeout")
    yield Case("D verify --junit onto the trace", "keyswap verify t.trace --junit t.trace --force; grep -q '\"record\":\"end\"' t.trace", (0,),
               prepare=changed("t.trace", "4gpus-paper-few-keys"))
    yield Case("D calibrate onto its input", "cp $R/h200-x4.csv m.csv; keyswap calibrate m.csv --platform $R/h200-x4-platform.toml --output m.csv --force;"
               " cmp m.csv $R/h200-x4.csv", (0,), seconds=30)
    yield Case("D sort records onto its input", "keyswap sort --input k.csv --type u32 --gpu-count 2 --record k.csv --force; true", (0,),
               prepare=files(k__csv="5\n3\n"), after=has("k.csv", "5\n3\n"))
    yield Case("D two outputs of one name", "keyswap sort --distribution uniform --keys 100 --output o.raw --record o.raw", (2,), "o.raw")
    yield Case("D name of 250 letters", "keyswap sort --distribution uniform --keys 100 --output " + "n" * 250, (0, 2))
    yield Case("D record: exit 120", "keyswap record --command 'exit 120 # {input} {output}' --keys 10 --folder f", (1,))
    yield Case("D record: its output and --json", "keyswap record --command 'echo noise; cp {input} {output}' --keys 10 --folder f --json 2>/dev/null"
               " | python3 -c 'import json,sys; json.load(sys.stdin)'", (0,))
    yield Case("D whatif --algorithm typo", "keyswap whatif --keys 1e5 --algorithm typo", (2,), "typo")
    yield Case("D measurements: algorithm", "keyswap validate m.csv --platform dgx-a100", (2,), r"m.csv, row 2: .*typo",
               prepare=measurements(("radix-mgpu-sort", "typo")), seconds=30)
    yield Case("D measurements: key type", "keyswap validate m.csv --platform dgx-a100", (2,), r"m.csv, row 2: data_type: 'uint7'",
               prepare=measurements(("uint32", "uint7")), seconds=30)
    yield Case("D measurements: distribution", "keyswap validate m.csv --platform dgx-a100", (2,), r"m.csv, row 2: .*typo",
               prepare=measurements(("uniform", "typo")), seconds=30)
    for name, change, words in (("device", ("k40c-ecc", "k41"), "k41.*rate profile"), ("rule", (",delta,", ",prime,"), "column rule must be one of"),
                                ("rate", (",6.05,", ",-6.05,"), "column rate_Gps"), ("suspect without a word", (",fitted,", ",suspect,"), "column note must give the reason")):
        yield Case(f"D rates: {name}", "keyswap validate r.csv", (2,), rf"r.csv:[23]: .*{words}", prepare=rates(change))
    yield Case("D rates: a platform", "keyswap validate r.csv --platform dgx-a100", (2,), "--platform", prepare=rates())
    for name, row in (("count", '{"total_ms":1,"num_keys":"x"}'), ("list", '{"total_ms":1,"gpus":{"a":1}}'),
                      ("error", '{"total_ms":1,"error":[1]}'), ("row", "7")):
        yield Case(f"D what-if: wrong type of a {name}", "keyswap report w.json --json", (2,), "w.json, row 1: (its|is) ",
                   prepare=files(w__json=SWEEP % row))
    yield Case("D a trace's texts are escaped", "keyswap verify f.trace", (1, 2), r"x\)\\n", "^verify: " + FORGED, prepare=forged)
    yield Case("D page: draw in no folder", "keyswap topology draw --platform dgx-a100 --svg nodir/x", (2,), "nodir", "Graphviz", seconds=20)
    yield Case("D ok.NPY has a header", "cp k.npy ok.NPY; keyswap check --input ok.NPY --output ok.NPY", (0,), "2 keys", prepare=npy)
    yield Case("D export in WAL mode", "keyswap report w.sqlite --json >/dev/null", (0,), prepare=export_in_wal_mode, after=only("w.sqlite"))


def platforms_and_names():
    changed_platform = "sed '%s' $ROOT/simulator/platforms/pcie-4gpu.toml >g.toml; keyswap %s --platform g.toml"
    yield Case("E platform: a wrong rate of its disks", changed_platform % ('s/"100 us"/"100 uss"/', "topology show"), (2,),
               r'g.toml:48: storage: "latency": "uss" is not a unit')
    yield Case("E platform: a profile that nobody knows", changed_platform % ('s/profile = "A100"/profile = "A1000"/', "simulate --keys 1e5"),
               (2,), "g.toml: profile 'A1000' of gpu0: is neither")
    yield Case("E platform: what it takes is no table", changed_platform % (r"s/^\[running]/[[running]]/", "topology show"), (2,),
               r'g.toml:39: "running" is not a table')
    yield Case("E a file whose name begins with a dash", "cp k.npy ./-k.npy; keyswap check k.npy -- -k.npy", (0,), "2 keys", prepare=npy)
    yield Case("E the option of a wrong value", "keyswap plan --distribution uniform --keys 9 --type u33", (2,), "error: --type: 'u33'")
    yield Case("E a written platform keeps its disks", "keyswap topology export dgx-a100 --format toml --output d.toml && "
               "keyswap simulate --external --platform d.toml --keys 1e10 --memory 8G", (0,), seconds=20)
    yield Case("E an argument of 100 kB", "keyswap plan --$(head -c 100000 /dev/zero | tr '\\0' x) 2>&1 | wc -c | grep -xE '[0-9]{1,4}'", (0,))
    yield Case("E tables that cannot be written", "keyswap report $R/2gpus-fast-few-keys.trace.zst --tables made --output nodir/r.html", (2,), "nodir",
               after=lacks("made"), seconds=20)
    yield Case("E tables in a new folder", "keyswap report $R/2gpus-fast-few-keys.trace.zst --tables made --output r.html && grep -q '^gpu' made/gpus.csv", (0,),
               seconds=20)
    yield Case("E npy into a pipe", "keyswap sort --distribution uniform --keys 9 --output-format npy --output /dev/stdout 2>e | cat; cat e", (0,),
               "choose the format raw or csv", "--format")
    yield Case("E GPUs of a sort on the CPU", "keyswap simulate --algorithm cpu-paradis --keys 1e6 --gpus 0-1", (2,), "error: --gpus: applies to")


def fourth_trial():
    keys = "keyswap generate --keys 1000 --output k.raw >/dev/null; "
    for option in ("--platform", "--algorithm", "--csv"):
        yield Case(f"G {option} takes no option for its value", f"keyswap whatif {option} --keys=1e5", (2,),
                   rf"{option}: has no value: '--keys=1e5' is the next option", after=lacks("--keys=1e5"))
    yield Case("G a number takes no option for its value", "keyswap simulate --keys --type=u64", (2,),
               "--keys: has no value: '--type=u64' is the next option")
    for command in ("check k.raw k.raw --operation multisplit --rule hash:1 --buckets", "check k.raw k.raw --threads",
                    "sssp --graph grid:5 --delta"):
        yield Case(f"G a number too large: {command.split()[-1]}", f"keyswap {command} 99999999999", (2,),
                   f"{command.split()[-1]}: '99999999999' does not fit")
    yield Case("G a part is missing twice", "keyswap simulate --keys 1e5 --without gpu3 --without gpu3", (2,),
               "--without: 'gpu3' is already missing", "did you mean")
    yield Case("G a part is missing twice, of a change", "keyswap whatif --keys 1e5 --link 'without gpu3 + without gpu3'", (2,),
               "--link: 'gpu3' is already missing", "did you mean")
    yield Case("G a constant is set twice", "keyswap simulate --keys 1e5 --assume fast.step=5 --assume fast.step=6", (2,),
               "--assume: sets 'fast.step' twice")
    for parameter in ("digit-bits", "tolerance-ppm", "fuse-ppm"):
        yield Case(f"G a sweep of sorts without {parameter}", f"keyswap whatif --keys 1e5 --algorithm p2p-merge --{parameter} 8", (2,),
                   f"--{parameter}: p2p-merge has no such parameter")
    yield Case("G a sweep of sorts one of which has the parameter",
               "keyswap whatif --keys 1e5 --algorithm p2p-merge,rmg-fast --digit-bits 8", (0,))
    yield Case("G the default sort for rows", "keyswap sort k.csv --with-rows --by 1 --algorithm rmg --output s.csv", (2,),
               "--with-rows and --algorithm rmg", prepare=files(k__csv="2\n1\n"), after=lacks("s.csv"))
    yield Case("G a delta for Dijkstra", "keyswap sssp --graph grid:5 --method dijkstra --delta 3", (2,), "--delta")
    yield Case("G an import without a name", "keyswap topology export pcie-4gpu --format nccl --output x.xml && "
               "keyswap topology import x.xml --name ''", (2,), "--name: '' is no name")
    for device in ("zero", "full", "urandom"):
        for command in ("check /dev/%s k.raw --type u32", "check k.raw /dev/%s --type u32", "check /dev/%s --type u32",
                        "plan /dev/%s --type u32", "sort /dev/%s --type u32 --output o.raw",
                        "sort /dev/%s --type u32 --memory 64M --output o.raw", "check /dev/%s --record-bytes 8 --key 0:4",
                        "sort - --type u32 </dev/%s"):
            if device == "zero" or command.startswith("check /dev/%s k"):
                yield Case("G endless: " + command % device, keys + "keyswap " + command % device, (2,),
                           "is a device that never ends", after=lacks("o.raw*"), seconds=5)
    for what, options in (("keys", ""), ("text", "--output-format csv"), ("records", "--record-bytes 1048576 --key 0:4")):
        yield Case(f"G more {what} than the disk holds", f"keyswap generate --keys 1e18 {options} --output big", (2,),
                   "big: has room for .* bytes", after=lacks("big*"), seconds=5)
    yield Case("G too many open files", keys + "ulimit -n 4; keyswap sort k.raw --type u32 --output o.raw", (2,),
               r"Too many open files \(raise the limit of open files", after=lacks("o.raw"))
    yield Case("G a file too large", "ulimit -f 10; keyswap report $R/4gpus-paper-few-keys.trace.zst --output r.html", (2,),
               r"File too large \(raise the limit of file sizes", after=lacks("r.html"))
    yield Case("G no memory for the buffers of an external sort",
               keys + "ulimit -v 400000; keyswap sort k.raw --type u32 --memory 2G --output o.raw", (2,),
               "memory", after=lacks("o.raw*"))
    header = ("# nThread 1\\n#       size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong\\n")
    row = "1048576 16384 float none -1 %s 20.9 18.3 %s 51.0 20.5 17.9 N/A\\n"
    nccl = "printf '" + header.replace("%", "%%") + "%s' >n.txt; keyswap validate n.txt --platform dgx-a100 --operation all-to-all%s"
    for time in ("nan", "-5", "abc"):
        yield Case(f"G nccl-tests: a time of {time}", nccl % (row % (time, "0"), ""), (2,), f"n.txt:3: '{time}' is neither a number")
    yield Case("G nccl-tests: wrong values", nccl % (row % ("50.0", "5"), ""), (2,), "n.txt:3: has 5 wrong values")
    yield Case("G nccl-tests: a size of 1e20", nccl % (row.replace("1048576", "99999999999999999999") % ("50.0", "0"), ""), (2,),
               "n.txt:3: .* too large a size")
    for option in ("--hold-out gpus", "--min-keys 5", "--min-phase-ms 1", "--max-phase-p95-error 1"):
        yield Case(f"G nccl-tests: {option}", nccl % (row % ("50.0", "0"), " " + option), (2,), option.split()[0] + ": applies to measured sorts")
    yield Case("G nccl-tests: as they are", nccl % (row % ("50.0", "0"), ""), (0,))
    for option in ("--max-median-error", "--min-phase-ms"):
        yield Case(f"G validate: a negative {option}", f"keyswap validate m.csv --platform dgx-a100 {option} -1", (2,),
                   f"{option}: Value -1 not in range", prepare=measurements())
    yield Case("G calibrate: everything held out", "keyswap calibrate $R/h200-x4.csv --platform $R/h200-x4-platform.toml --hold-out 1", (2,),
               "--hold-out: 1 would leave no configuration")
    yield Case("G a figure's size without a figure", "keyswap report $R/2gpus-fast-few-keys.trace.zst --figure-size column", (2,),
               "--figure-size: applies to a figure", after=lacks("*.html"))
    yield Case("G a platform from standard input", "keyswap simulate --keys 1e5 --platform - <$ROOT/simulator/platforms/pcie-4gpu.toml", (0,), "pcie-4gpu")
    yield Case("G a platform from a pipe", "cat $ROOT/simulator/platforms/pcie-4gpu.toml | keyswap topology show -", (0,), "pcie-4gpu")
    yield Case("G a profile from standard input", "echo x | keyswap simulate --keys 1e5 --profile -", (2,), "/dev/stdin:1: ")
    for options in ("check k.raw k.raw --type u32 --values -", "histogram k.raw --type u32 --edges -", "multisplit k.raw --type u32 --rule splitters:-"):
        yield Case("G standard input: " + options, keys + f"keyswap {options} <k.raw", (2,), "-: is not standard input here .write /dev/stdin")
    for option, place in (("--ranks", "rank"), ("--output-parts", "part")):
        yield Case(f"G a place for a number without {option}", keys + "keyswap sort k.raw --type u32 --output o{%s}.raw" % place, (2,),
                   rf"o.{place}..raw: has .{place}., which only {option} fills in", after=lacks("o*.raw"))
    yield Case("G a rank's time without ranks", keys + "keyswap sort k.raw --type u32 --rank-timeout 3", (2,), "--rank-timeout requires --ranks")
    yield Case("G traffic on a kind that is gone", "keyswap simulate --keys 1e5 --without nvswitch --background 'nvlink3x12 5 GB/s'", (2,),
               "no kind of link is named 'nvlink3x12'", "did you mean 'nvlink3x12'")


def fifth_trial():
    keys = "keyswap generate --keys 1000 --output k.raw >/dev/null; "
    for option, value, item in (("--keys", "1e6,", 2), ("--keys", ",1e6", 1), ("--type", "u32,,u64", 2), ("--gpu-count", "2,,4", 2)):
        yield Case(f"H an empty item: {option} {value}", f"keyswap whatif {option} {value} {'' if option == '--keys' else '--keys 1e5'}", (2,),
                   f"{option}: item {item} of '{value}' is empty .leave the comma out")
        yield Case(f"H an empty item: {option}={value}", f"keyswap whatif {option}={value} {'' if option == '--keys' else '--keys 1e5'}", (2,),
                   f"{option}: item {item} of '{value}' is empty .leave the comma out")
    yield Case("H an empty item: --gpus", "keyswap whatif --keys 1e5 --gpus 0,,1", (2,), "--gpus: '' is neither")
    yield Case("H a list of two words", "keyswap whatif --keys 1e5 1e6,", (2,), "--keys: item 2 of '1e6,' is empty")
    yield Case("H a list without an empty item", "keyswap whatif --keys 1e5,1e6 --type u32,u64", (0,))
    table = "num_keys,gpus,total_sort_duration\n1000000,0,1.5\n"
    validate = "keyswap validate m.csv --platform ac922"
    for what, text, says in (("UTF-16", table.encode("utf-16"), "m.csv: is text of UTF-16 .save it as UTF-8: iconv"),
                             ("UTF-16 without a mark", table.encode("utf-16-be"), "m.csv: is text of UTF-16"),
                             ("carriage returns", table.replace("\n", "\r"), "m.csv: has lines that end in a carriage return alone"),
                             ("semicolons", table.replace(",", ";"), "m.csv: has semicolons between its columns .save it with commas"),
                             ("tabulators", table.replace(",", "\t"), "m.csv: has tabulators between its columns")):
        yield Case(f"H measurements: {what}", validate, (2,), says, "no column", prepare=files(m__csv=text))
        yield Case(f"H a report of measurements: {what}", "keyswap report m.csv --platform ac922 --output r.html", (2,), says, "no column",
                   prepare=files(m__csv=text), after=lacks("r.html"))
    yield Case("H measurements: a byte order mark", validate, (0,), prepare=files(m__csv="\ufeff" + table))
    for kind, constant, one in (("link", "bandwidth_total", "128 GB/s"), ("memory", "memory_total", "174 GB/s"), ("disks", "total", "6.4 GB/s")):
        name = "hgx-h200" if kind == "memory" else "ac922"
        yield Case(f"H a limit of both directions below one: {kind}",
                   f"sed 's:^{constant} = \"{one}\":{constant} = \"3 GB/s\":' $ROOT/simulator/platforms/{name}.toml >p.toml; "
                   "keyswap topology show p.toml", (2,), rf"p.toml:\d+: .*\"{constant}\": 3 GB/s of both directions combined is less than")
    trace = "zstd -dcq $R/4gpus-paper-few-keys.trace.zst | keyswap "
    for command in ("verify -", "verify - --json", "report - --output r.html --json"):
        yield Case("H the name of standard input: " + command, trace + command, (0,), "standard input", "proc/self", seconds=20)
    yield Case("H the name of measurements from standard input",
               "cat $ROOT/traces/measurements/ac922.csv | keyswap report - --platform ac922 --output r.html --json", (0,), "standard input", "proc/self",
               seconds=20)
    for command in ("simulate --external --memory 16G --keys 1e9", "whatif --external --memory 16G --keys 1e9"):
        yield Case(f"H threads: {command.split()[0]}", f"keyswap {command} --cpu-threads 1025", (2,), "--cpu-threads: Value 1025 not in range")
    for options, words in (("--gpu-memory 16G --published", "--published and --gpu-memory"),
                           ("--gpu-memory 16G --input-on devices", "--gpu-memory: is for keys in host memory"),
                           ("--gpu-memory 16G --algorithm cpu-paradis", "--gpu-memory: limits GPUs"),
                           ("--gpu-memory 0", "room for 0 records of a range"),
                           ("--gpu-memory 1 --keys 1e9", "room for 0 records of a range"),
                           ("--gpu-memory 4G --algorithm sample-sort --type u128 --keys 1e10", "keys of 128 bits"),
                           ("--gpu-memory 100M --gpus 0 --keys 5e10", "at most 256"),
                           ("--gpu-memory 4G --keys 1e13", ""),
                           ("--external --memory 2G --record-bytes 100 --key 0:2", "--key: is predicted for 4 bytes"),
                           ("--external --memory 2G --record-bytes 18446744073709551615 --key 0:8", ""),
                           ("--record-bytes 100 --key 0:8", "requires --external"),
                           ("--device knf --algorithm split-radix --keys 1e18", "more than can be predicted")):
        yield Case("H simulate " + options, "keyswap simulate " + options, (2,), words, "an error in Keyswap", seconds=20)
    yield Case("H whatif --partition of more keys than can be", "keyswap whatif --partition --keys 1e18", (2,), "more than can be predicted")
    yield Case("H a link is missing twice", "keyswap simulate --platform ac922 --keys 1e5 --gpus 1 --without xbus --without xbus", (2,),
               "--without: 'xbus' is already missing", "did you mean")
    yield Case("H a link of a GPU that is missing", "keyswap simulate --platform ac922 --keys 1e5 --gpus 1 --without gpu3 --without 'nvlink gpu2-gpu3'",
               (2,), "--without: 'nvlink gpu2-gpu3' is already missing: it, or a part that it needs, was named before")
    for option in ("--zero-order equal", "--nan-order last"):
        for command in ("sort k.raw --type u32 --output o.raw", "plan k.raw --type u32", "check k.raw k.raw --type u32", "check k.raw --type u32",
                        "record --command 'cp {input} {output}' --distribution uniform --keys 9 --type u32 --runs 1"):
            if option.startswith("--zero") or command.startswith("check"):
                yield Case(f"H {command.split()[0]} of integers with {option}", keys + f"keyswap {command} {option}", (2,),
                           f"{option} has no effect on u32 keys".replace(" has", ": has"), after=lacks("o.raw"))
    yield Case("H floats in another order", "keyswap generate --keys 100 --type f32 --output k.raw >/dev/null; "
               "keyswap check k.raw k.raw --type f32 --zero-order equal --nan-order last", (0, 1), "", "no effect")


def as_pairs(*names):
    """A recorded sort whose verdicts have these names."""
    return changed("t.trace", "4gpus-fast-few-keys", *((f'"property":"{name}"', f'"property":"{name}x"') for name in names))


def sixth_trial():
    shared = ("--platform cluster:dgx-a100:2 --keys 692924511 --type f32 --distribution zero --gpus 2,10,15 --values 32 --input-on node:1")
    total = "| python3 -c 'import json,sys; print(json.load(sys.stdin)[\"total_ms\"])'"
    yield Case("I other traffic makes nothing faster",
               f"a=$(keyswap simulate {shared} --json {total}); b=$(keyswap simulate {shared} --background 'n0.pcie plx1 3 GB/s' --json {total});"
               " python3 -c \"print('slower' if $b >= $a else 'faster: $a to $b')\"", (0,), "^slower", seconds=20)
    rows = "num_keys,gpus,total_sort_duration,%s\n1000000000,0;1,330,%s\n"
    validate = "keyswap validate m.csv --platform dgx-a100"
    for name, value in (("Data_Type", "uint64"), ("key_type", "u64"), ("TYPE", "uint64")):
        yield Case(f"I measurements: column {name}", validate, (0,), "^radix-mgpu-sort .* (uint64|u64) ", "without effect",
                   prepare=files(m__csv=rows % (name, value)), seconds=20)
    for command in (validate, "keyswap report m.csv --platform dgx-a100 --output r.html"):
        yield Case(f"I measurements: a column without effect, {command.split()[1]}", command, (0,),
                   "Note: m.csv: has columns without effect: 'values'", prepare=files(m__csv=rows % ("values", "64")), seconds=20)
    yield Case("I measurements: Zipf without its exponent is not uniform", validate + " --json", (0,), '"passes_predicted": [2-9]',
               '"parameter": 0', prepare=files(m__csv=rows % ("distribution", "zipf")), seconds=20)
    yield Case("I measurements: no phases, no errors of phases", validate, (0,), r"^key swap +0 +- +- +-$", "passes equal: 0 of 1",
               prepare=files(m__csv=rows % ("threads", "1")), seconds=20)
    yield Case("I measurements: a time of 0", validate, (2,), "row 2: column total_sort_duration must be a positive number, but is '0'",
               prepare=files(m__csv=rows.replace("330", "0") % ("threads", "1")))
    yield Case("I measurements: a blank row", validate, (2,), "row 3: is blank .remove the line", prepare=files(m__csv=rows % ("threads", "1") + "\n"))
    measured = "keyswap validate n.txt --platform ac922 --operation all-to-all"
    for name, host, time, exits, says in (("the GPUs of the output", "a", "40000.0", (0,), r"of 2 GPUs \(0,2\) on platform ac922"),
                                          ("GPUs of two hosts", "b", "40000.0", (0,), r"of 2 GPUs \(0,1\) on platform ac922"),
                                          ("times in milliseconds", "a", "40.0", (2,), "n.txt:4: 1073741824 bytes in 40 us are not 26.84 GB/s")):
        yield Case(f"I nccl-tests: {name}", measured, exits, says, prepare=files(
            n__txt=f"#  Rank  0 Group  0 Pid 7 on a device  0 [0x0] V100\n#  Rank  1 Group  0 Pid 8 on {host} device  2 [0x0] V100\n"
            "#  size count type redop root time algbw busbw #wrong\n"
            f"1073741824 67108864 float none -1 {time} 26.84 13.42 0\n"))
    for name, word in (("sorted", "order"), ("permutation", "keys")):
        yield Case(f"I verify: a verdict that is not '{name}'", "keyswap verify t.trace", (0,), f"no verdict on the {word} of its output",
                   prepare=as_pairs(name))
    yield Case("I verify: a GPU twice, and not virtual", "keyswap verify t.trace", (0,), "one of its GPUs is listed twice",
               prepare=changed("t.trace", "4gpus-fast-few-keys", (r'"gpus":\[0,1,2,3\]', '"gpus":[0,1,0,3]')))
    yield Case("I verify: a variant of a histogram", "keyswap verify t.trace", (0,), "histograms have no variants",
               prepare=changed("t.trace", "1gpu-histogram-u32-edges", ('"variant":""', '"variant":"mysort"')), seconds=20)
    pattern = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"
    yield Case("I sssp: drawn weights are named", "keyswap sssp --graph g.mtx --seed 3", (0,),
               "the file has no weights: they are drawn from 0 to 1000 by the seed", prepare=files(g__mtx=pattern))
    yield Case("I sssp: a seed that draws nothing", "keyswap sssp --graph g.gr --seed 3", (2,), "--seed: draws nothing: g.gr has weights",
               prepare=files(g__gr="p sp 2 1\na 1 2 3\n"))
    yield Case("I sssp: no seed where nothing is drawn", "keyswap sssp --graph g.gr", (0,), "1 edge$", "seed", prepare=files(g__gr="p sp 2 1\na 1 2 3\n"))
    sweep = "keyswap whatif --keys 1e6,1e7 --gpus 0-1 --csv w.csv >/dev/null; "
    yield Case("I report: tables of a what-if", sweep + "keyswap report w.csv --output r.html --tables t", (2,), "--tables: none of these has tables",
               after=lacks("t"))
    yield Case("I report: a negative time of a what-if", sweep + "sed -E '2s/,([0-9.]+),([0-9.]+),([0-9.]+),([0-9.]+e)/,-\\1,\\2,\\3,\\4/' w.csv >v.csv;"
               " cmp -s w.csv v.csv || keyswap report v.csv --output r.html", (2,), "v.csv:2: its total_ms is '-")
    for option in ("--where device", "--gpu-memory 4G", "--rate-bytes 1M", "--methods warp", "--buckets 4", "--bins 4", "--stable"):
        yield Case(f"I bench on cores: {option}", f"keyswap bench --backend cpu --keys 1e4 --runs 1 --sorts tbb {option}", (2,),
                   f"{option.split()[0]}: applies to GPUs only")
    yield Case("I bench on cores: a sort without these keys", "keyswap bench --backend cpu --types b128 --keys 1e4 --runs 1 --sorts tbb", (2,),
               "--types b128: none of --sorts tbb takes such keys")


def cases():
    yield from wrong_called_right()
    yield from crashes()
    yield from bombs()
    yield from smaller()
    yield from platforms_and_names()
    yield from fourth_trial()
    yield from fifth_trial()
    yield from sixth_trial()
