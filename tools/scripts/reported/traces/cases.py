"""Traces, pipes, outputs and limits: commands on what was reported to deceive the checks, to lose files or to end
without an error. The inputs lie beside this table."""
from hostile_case import Case
from hostile_cases import changed, files, has, lacks

CHECK = "keyswap check --type u32 --stable "
# A sort that waits for its keys, so that something can happen between its start and its end.
WAITING = "mkfifo p; keyswap sort p --format raw --type u32 --output x 2>err & s=$!; sleep .5; "
SEND = "head -c 4000 /dev/zero >p; wait $s; r=$?; cat err; (exit $r)"


def read_once():
    keys, sorted_keys, values = "$CASES/pk.raw", "$CASES/ps.raw", "$CASES/uv.raw"
    for name, pair in (("both", f"<(cat {keys}) <(cat {sorted_keys})"), ("output", f"{keys} <(cat {sorted_keys})"),
                       ("input", f"<(cat {keys}) {sorted_keys}")):
        yield Case(f"H1 no values, piped {name}", f": >none.raw; {CHECK} {pair} --values none.raw", (1,), "0 values for 3 keys")
        yield Case(f"H2 right values, piped {name}", f"{CHECK} {pair} --values {values}", (0,), "Every value is with its key")
        yield Case(f"H2 piped values, piped {name}", f"{CHECK} {pair} --values <(cat {values})", (0,), "Every value is with its key")
    yield Case("H2 a named pipe", f"mkfifo p; cat {sorted_keys} >p & {CHECK} {keys} p --values {values}", (0,), "Every value is", seconds=5)
    yield Case("H2 /dev/stdin", f"cat {sorted_keys} | {CHECK} {keys} /dev/stdin --values {values}", (0,), "Every value is")
    yield Case("H2 '-' and /dev/stdin", f"cat {keys} | keyswap check - /dev/stdin --type u32", (2,), "standard input can be read only once")
    yield Case("H2 one pipe as input and output", f"mkfifo p; cat {sorted_keys} >p & keyswap check p p --type u32", (0,), "3 keys", seconds=5)
    yield Case("H2 a wrong output that is piped is explained", f"keyswap check {keys} <(head -c 8 {sorted_keys}; printf '\\1\\0\\0\\0') --type u32",
               (1,), "lacks 1 key")
    yield Case("H2 multisplit: piped keys and values", f"keyswap check --operation multisplit --rule digit:0:8 --type u32 <(cat {keys})"
               f" <(cat {sorted_keys}) --values <(cat {values}) --stable; true", (0,), says_not="not with their keys")
    yield Case("H13 sort onto what it reads", "keyswap sort - --type u32 --output k.csv --force <k.csv", (2,), "k.csv: is read",
               prepare=files(k__csv="5\n3\n"), after=has("k.csv", "5\n3\n"))


def outputs():
    yield Case("H5 a file appears meanwhile", WAITING + "echo mine >x; " + SEND, (2,), "x: already exists", after=has("x", "mine\n"))
    yield Case("H5 it is replaced by --force", (WAITING + "echo mine >x; " + SEND).replace("--output x", "--output x --force"), (0,))
    yield Case("H5 of two writers one fails", "mkfifo p q; for f in p q; do (keyswap sort $f --format raw --type u32 --output x 2>/dev/null; echo $? >$f.status) &"
               " done; sleep .5; head -c 4000 /dev/zero >p & head -c 4000 /dev/zero >q; wait; sort p.status q.status | tr '\\n' ' '", (0,), "^0 2 $")
    yield Case("an output that is a pipe nobody reads", "mkfifo p; keyswap sort --distribution uniform --keys 10 --output p --wait-limit 1", (2,),
               "p: is a pipe that no process has read for 1 s.*--wait-limit", seconds=5)
    yield Case("an output that is a pipe somebody reads late", "mkfifo p; (sleep .5; cat p | wc -c) & keyswap sort --distribution uniform --keys 10 "
               "--output p --output-format raw; wait", (0,), "^40$")
    yield Case("a closed standard input", "keyswap sort - --type u32 <&-", (2,), "standard input: cannot be")
    yield Case("ranks without memory for their threads", "ulimit -v 50000; keyswap sort --distribution uniform --keys 1e4 --ranks 3", (0, 2),
               says_not="terminate called")
    yield Case("H12 both outputs or none", "keyswap sort --distribution uniform --keys 1e4 --values 32 --output ok.raw --output-values /dev/full --force",
               (2,), "No space left", prepare=files(ok__raw="old"), after=has("ok.raw", "old"))
    yield Case("H12 both, and the second appears meanwhile", WAITING.replace("--output x", "--values 32 --output x --output-values y") + "echo mine >y; " + SEND,
               (2,), "y: already exists", after=lacks("x"))
    for command in ("sort --distribution uniform --keys 10 --output x", "record --command 'cp {input} {output}' --keys 10",
                    "simulate --keys 1e5 --trace x", "topology draw dgx-a100 --dot x", "check --type u32 $CASES/pk.raw $CASES/pk.raw",
                    "sort x --type u32", "verify x"):
        yield Case(f"H13 no working folder: {command.split(' -')[0].split(' $')[0]}", f"mkdir d; cd d; rmdir ../d; keyswap {command}", (0, 1, 2),
                   says_not="filesystem error|in Keyswap", seconds=20)


def traces():
    yield Case("H3 honest, without its key file", "keyswap verify $CASES/base_without_key_file.trace", (0,), "agrees")
    for name in ("after_swap_gpu", "after_swap_all_gpus", "after_swap_all_on_gpu0"):
        yield Case(f"H3 digests on other GPUs: {name}", f"keyswap verify $CASES/{name}.trace", (1,), "digests after the swap")
    yield Case("H4 records of other ranks", "cd $CASES/ranks; keyswap verify --ranks r0.trace.gz r1.trace.gz r2.trace.gz", (1,), "of rank [12]", seconds=20)
    for bits in (32, 64, 128):
        yield Case(f"H9 colliding multisets of u{bits}", f"keyswap check $CASES/coll/in-u{bits}.raw $CASES/coll/out-u{bits}.raw --type u{bits}", (1,), "lacks")
    yield Case("H9 a seed makes the same bytes", "for i in 1 2; do keyswap check $CASES/pk.raw $CASES/ps.raw --type u32 --hash-seed 5 --json >$i; done; cmp 1 2", (0,))
    yield Case("H10 histogram by mysort", "keyswap verify h.trace", (0,), "the label \"mysort\"",
               prepare=changed("h.trace", "1gpu-histogram-u32-edges", ('"algorithm":"histogram"', '"algorithm":"mysort"')))
    yield Case("H10 multisplit by mysort", "keyswap verify h.trace", (0,), "the label \"mysort\"",
               prepare=changed("h.trace", "1gpu-multisplit-few-keys", ('"algorithm":"multisplit"', '"algorithm":"mysort"')), seconds=20)
    yield Case("H10 het-merge of variant rotated", "keyswap verify h.trace", (0,), "the label \"rotated\"",
               prepare=changed("h.trace", "2gpus-het-merge-u32-uniform", ('"variant":"published"', '"variant":"rotated"')), seconds=60)
    yield Case("H10 p2p-merge that is stable", "keyswap verify h.trace", (0,), "the label \"stable\"",
               prepare=changed("h.trace", "2gpus-p2p-merge-u32-uniform", ('"stability":"unstable"', '"stability":"stable"')), seconds=60)
    for name, content in (("Chrome's events", '{"traceEvents":[{"ph":"B","ts":1,"pid":0,"tid":0,"name":"k"}]}'), ("a list of events", '[{"ph":"X","ts":1,"dur":2}]')):
        yield Case(f"{name} to report", "keyswap report t.json --output r.html", (2,), "t.json: is a list of events", "rows|columns",
                   prepare=files(t__json=content))
        yield Case(f"{name} to verify", "keyswap verify t.json", (2,), "t.json, line 1: is not of a keyswap trace", "cut off", prepare=files(t__json=content))
    yield Case("H13 a trace and itself", "keyswap verify $CASES/base_without_key_file.trace $CASES/../traces/base_without_key_file.trace", (0,), "same file as")
    yield Case("H13 a first member that is not the record", "keyswap verify h.trace", (2,), "does not begin with the field 'record'",
               prepare=changed("h.trace", "4gpus-paper-few-keys", ('{"record":"header","format":"keyswap-trace"', '{"format":"keyswap-trace","record":"header"')))
    yield Case("F38 CUDA graphs", "keyswap report $CASES/graphs.sqlite --json", (0,), "CUDA graph 3", says_not="no work of GPUs")
    for algorithm in ("rmg-fast", "rmg-paper", "rmg-rotated", "sample-sort", "p2p-merge"):
        yield Case(f"F40 arrows of {algorithm}", f"keyswap simulate --platform dgx-a100 --gpus 0-3 --keys 1e7 --algorithm {algorithm} --trace t.json >/dev/null;"
                   " python3 $CASES/flows.py t.json", (0,), ", 0 of them in no slice", seconds=60)


def record():
    yield Case("H11 a daemon that writes the output late", "keyswap record --command 'setsid sh -c \"sleep .02; cp {input} {output}\" & exit 0' --keys 1",
               (1,), "1 of 1 run failed", seconds=20)


def limits():
    """Every command under every limit ends with an error, or does its work."""
    commands = ("sort --distribution uniform --keys 1e5 --output x", "sort --distribution uniform --keys 1e5 --backend cpu --output x",
                "sort --distribution uniform --keys 1e5 --record x", "check $CASES/pk.raw $CASES/ps.raw --type u32",
                "check <(cat $CASES/pk.raw) <(cat $CASES/ps.raw) --type u32", "verify $R/4gpus-paper-few-keys.trace.zst --junit x",
                "simulate --keys 1e7 --trace x", "whatif --platform dgx-a100 --gpu-count 1-4 --keys 1e8", "topology show --platform dgx-a100",
                "plan --distribution uniform --keys 1e5", "multisplit --distribution uniform --keys 1e5 --rule digit:0:8 --output x",
                "report $R/4gpus-paper-few-keys.trace.zst --output x", "histogram --distribution uniform --keys 1e5 --bins 256 --range 0:1e9 --record x",
                "record --command 'cp {input} {output}' --keys 1e4 --folder x")
    for limit in ("v 100000", "v 120000", "v 150000", "v 400000", "f 0", "f 1", "f 16", "n 4", "n 6", "n 10"):
        for command in commands:
            name = " ".join(command.split(" --")[0].split(" $")[0].split()[:2])
            yield Case(f"L -{limit}: {name} {command.split(' --')[-1]}",
                       f"(ulimit -{limit}; keyswap {command} >/dev/null 2>err); s=$?; head -c 300 err; "
                       "if [ $s = 2 ] && [ -e x ]; then echo left behind; exit 9; fi; exit $s",
                       (0, 1, 2, 127), says_not="left behind|terminate called|in Keyswap", seconds=60, memory_mb=500)


def cases():
    yield from read_once()
    yield from outputs()
    yield from traces()
    yield from record()
    yield from limits()
