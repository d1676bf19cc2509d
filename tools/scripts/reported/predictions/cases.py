"""Predictions and measurements that strangers brought: traffic on links in any order, other GPUs than
those measured, output of nccl-tests that was misread."""
from hostile_case import Case
from hostile_cases import files

TOTAL = r"sed -n 's/^Total: \([0-9.]*\) .*/\1/p'"


def same_total(first, second):
    """Two commands that have to predict the same time."""
    return f"a=$({first} | {TOTAL}); b=$({second} | {TOTAL}); echo \"$a and $b\"; test -n \"$a\" && test \"$a\" = \"$b\""


def traffic():
    simulate = "keyswap simulate --platform ac922 --keys 1e8"
    busy = "--background 'nvlink gpu0-gpu1 20 GB/s'", "--background 'nvlink2x3-peer 5 GB/s'"
    yield Case("P traffic on a link and on its kind, in either order",
               same_total(f"{simulate} {busy[0]} {busy[1]}", f"{simulate} {busy[1]} {busy[0]}"), (0,), "^[0-9.]+ and [0-9.]+$")
    yield Case("P traffic in two parts is their sum",
               same_total(f"{simulate} --background 'xbus 5 GB/s' --background 'xbus 7 GB/s'", f"{simulate} --background 'xbus 12 GB/s'"), (0,))
    column = ("keyswap whatif --platform ac922 --keys 1e8 --link '%s' --json | python3 -c "
              "'import json,sys; print(\"Total: %%.6f ms\" %% json.load(sys.stdin)[\"rows\"][-1][\"total_ms\"])'")
    for other in ("xbus x2", "xbus = 100 GB/s"):
        yield Case(f"P traffic and '{other}', in either order",
                   same_total(column % f"busy xbus 20 GB/s + {other}", column % f"{other} + busy xbus 20 GB/s"), (0,))
    yield Case("P traffic in two parts that take all of a link", simulate + " --background 'xbus 20 GB/s' --background 'xbus 30 GB/s'", (2,),
               "--background: traffic of 50 GB/s each way takes all of 'xbus'")
    for links in ("upi", "rail"):
        yield Case(f"P traffic on {links} of 512 GPUs",
                   f"keyswap simulate --platform cluster:dgx-h100:64 --keys 1e8 --gpus 0 --background '{links} 20 GB/s'", (0,), "^Total: ", seconds=20)


def measured_gpus():
    runs = "$ROOT/traces/measurements/dgx-a100.csv"
    other = "was measured on NVIDIA A100-SXM4-40GB, but ac922 has V100-SXM2-32GB"
    few = f"(head -1 {runs}; grep -E 'radix-mgpu-sort,[0-9]{{10}},' {runs} | head -30) >r.csv; "
    for command in ("validate r.csv", "report r.csv --output r.html", "calibrate r.csv"):
        yield Case(f"P other GPUs: {command}", few + f"keyswap {command} --platform ac922", (0, 2), other)
        yield Case(f"P the same GPUs: {command}", few + f"keyswap {command} --platform dgx-a100", (0,), "", "was measured on")
    yield Case("P other GPUs: nccl-tests", "keyswap validate n.txt --platform hgx-h200", (0,),
               "n.txt was measured on NVIDIA H100 80GB HBM3, but hgx-h200 has H200", prepare=nccl())
    yield Case("P the same GPUs: nccl-tests", "keyswap validate n.txt --platform dgx-h100", (0,), "^# n.txt: all-to-all of 2 GPUs .0,1.", "Note",
               prepare=nccl())


def nccl(row="1073741824 67108864 float none -1 4000.0 268.44 134.22 0", more="", host="a"):
    return files(n__txt="# Collective test starting: alltoall_perf\n"
                 "#  Rank  0 Group  0 Pid 7 on a device  0 [0000:19:00] NVIDIA H100 80GB HBM3\n"
                 f"#  Rank  1 Group  0 Pid 8 on {host} device  1 [0000:2d:00] NVIDIA H100 80GB HBM3\n"
                 "#  size count type redop root time algbw busbw #wrong\n" + row + "\n" + more)


def nccl_tests():
    command = "keyswap validate n.txt --platform dgx-h100"
    yield Case("P nccl-tests that found wrong values", command, (2,), "n.txt:6: has 5 wrong values",
               prepare=nccl(more="# Out of bounds values : 5 FAILED\n"))
    yield Case("P nccl-tests that found none", command, (0,), "^# n.txt", prepare=nccl(more="# Out of bounds values : 0 OK\n"))
    yield Case("P nccl-tests: a size with separators", command, (2,), "n.txt:6: '2,147,483,648' is not a size",
               prepare=nccl(more="2,147,483,648 134217728 float none -1 8000.0 268.44 134.22 0\n"))
    yield Case("P nccl-tests: lines of NCCL between the sizes", command, (0,), "^# n.txt",
               prepare=nccl(more="node1:123:123 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0\n"))
    yield Case("P nccl-tests: ranks of two hosts", "keyswap validate n.txt --platform cluster:dgx-h100:2", (0,),
               "n.txt does not give each rank its own GPU of one host: GPUs 0 to 1 are assumed", prepare=nccl(host="b"))
    yield Case("P nccl-tests: ranks of two hosts with --gpus", "keyswap validate n.txt --platform cluster:dgx-h100:2 --gpus 0,8", (0,),
               "2 GPUs .0,8.", "Note", prepare=nccl(host="b"))


def cases():
    yield from traffic()
    yield from measured_gpus()
    yield from nccl_tests()
