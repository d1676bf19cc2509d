"""Machines that people reported: tables of `nvidia-smi topo -m`, NCCL's files, and drivers that fail."""
import re

from hostile_case import Case

SHOW = " --output p.toml && keyswap topology show --platform p.toml"


def show(file, gpu, folder="$CASES/"):
    return f"keyswap topology import {folder}{file} --gpu '{gpu}'" + SHOW


def refused(file, gpu=None):
    option = f" --gpu '{gpu}'" if gpu else ""
    return f"keyswap topology import $CASES/{file}{option} --output p.toml"


def refused_input(file):
    return f"keyswap topology import {file} --output p.toml"


def rates(row, *expected):
    """A line of the matrix of rates, from its first column."""
    return rf"^{row} +" + " +".join(re.escape(str(rate)) for rate in expected) + r"\b"


SIMULATED = " --keys 2e9 --input-on devices"


def simulate(file, gpu, gpus):
    return (f"keyswap topology import $CASES/{file} --gpu {gpu} --output p.toml 2>/dev/null && "
            f"keyswap simulate --platform p.toml --algorithm rmg-paper --gpus {gpus}" + SIMULATED)


def as_shipped(name):
    return f"what the dump lacks is as on the shipped '{name}'"


def reported():
    yield Case("F01 spaces for tabs", show("f01-smi-spaces.txt", "H100"), (0,), as_shipped("dgx-h100"))
    yield Case("F02 A100 bridged in pairs", show("f02-a100-bridged-pairs.txt", "A100"), (0,),
               rates("gpu0", 26.2, 26.2, 684.2, 246.0, *[26.2] * 6), "nvswitch")
    yield Case("F02 H100 bridged in pairs", show("f02-h100-bridged-pairs.txt", "H100"), (0,),
               rates("gpu2", 55.0, 55.0, 55.0, 55.0, "1474.0", 391.5, *["55.0"] * 4), "nvswitch")
    yield Case("F03 quad mesh: rates", show("f03-a100-mesh-nv4.txt", "A100"), (0,), "nvlink x4 gpu2-gpu3", "nvswitch")
    for file in ("f03-a100-mesh-nv4.txt", "f03-a100-mesh-control.xml"):
        yield Case(f"F03 quad mesh: sort, {file[-3:]}", simulate(file, "A100", "0-3"), (0,), r"^Total: 5\d\.", seconds=60)  # not over PCIe
    yield Case("F04 a GPU without NVLink", show("f04-h100-one-gpu-without-nvlink.txt", "H100"), (0,), "nvlink x18 gpu7-nvswitch",
               "gpu3-nvswitch|gpu0-gpu1")
    yield Case("F04 its sort", simulate("f04-h100-one-gpu-without-nvlink.txt", "H100", "0,1,2,4-7"), (0,), r"^Total: 3\d\.", seconds=120)
    for file in ("f05-power9-numa-0-8.txt", "f05-power9-numa-0-8.xml"):
        yield Case(f"F05 NUMA nodes 0 and 8, {file[-3:]}", show(file, "V100"), (0,), as_shipped("ac922"), "cpu2")
    yield Case("F06 no NUMA column", show("f06-no-numa-column.txt", "V100"), (0,), "CPU affinities show 2 CPUs", "cpu2")
    yield Case("F07 a cell of ERR!", refused("f07-cell-err.txt"), (2,), r"f07-cell-err.txt:2: 'ERR!' between GPU0 and GPU1 is not a connection")
    yield Case("F08 two hosts", show("f08-two-hosts.xml", "B200"), (0,), "c2c 223.56 GB/s cpu3-xbar7")
    yield Case("F09 NVLinks to hidden GPUs", show("f09-nvlink-to-hidden-gpu.xml", "V100"), (0,),
               r"^cpu0 +\S+ +1[0-9]\.\d +1[0-9]\.\d$", "nvswitch|nvlink x2")
    yield Case("F09 one of a pair", show("f09-one-of-a-pair.xml", "A100"), (0,), r"^cpu0 +\S+ +26\.2$", "nvlink x")
    yield Case("F10 numaid of -1", show("f10-numaid-minus-1.xml", "H200"), (0,), 'numaid="-1", as', "cpu1")
    yield Case("F11 empty link speed", show("f11-empty-link-speed.xml", "A100"), (0,), "pcie4 to a CPU: .*PCIe 4.0 x16")
    yield Case("F12 NVLink-C2C", show("f12-c2c.xml", "B200"), (0,), "c2c 223.56 GB/s cpu0-xbar0")
    yield Case("F13 XGMI", refused("f13-rccl-xgmi.xml", "A100"), (2,), "f13-rccl-xgmi.xml:3: the GPU is AMD's")
    yield Case("F14 sm of another GPU", refused("f14-sm70-default-gpu.xml"), (2,), "of sm 80, and the file says sm 70")
    yield Case("F15 parts of a GPU", refused("f15-mlopart.xml", "B200"), (2,), r"is in parts \(MIG or mlopart\)", "of its own")
    yield Case("F16 UTF-16", show("f16-smi-utf16.txt", "A100"), (0,), rates("gpu0", 26.2, 26.2, 684.2, 246.0, *[26.2] * 6))
    yield Case("F39 two kinds of GPU", "PATH=$CASES/f39-fake-nvidia-smi:$PATH keyswap topology here", (0,),
               r'(?s)device = "RTX-4090".*device = "L4"')


def text(name, content):
    def prepare(folder, root, program):
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return prepare


def table(cells, nodes, columns=("CPU Affinity", "NUMA Affinity", "GPU NUMA ID"), nics=()):
    """What nvidia-smi prints. cells: (i, j) -> text; nodes: NUMA node of each GPU; nics: (name, cells)."""
    count = len(nodes)
    head = [f"GPU{i}" for i in range(count)] + [name for name, _ in nics] + list(columns)
    lines = ["\t" + "\t".join(head)]
    for i, node in enumerate(nodes):
        row = [" X " if i == j else cells(i, j) for j in range(count)] + [cell[i] for _, cell in nics]
        values = {"CPU Affinity": f"{node * 16}-{node * 16 + 15}", "NUMA Affinity": str(node), "GPU NUMA ID": "\tN/A"}
        lines.append(f"GPU{i}\t" + "\t".join(row + [values[column] for column in columns]))
    return "\n".join(lines) + "\n\nLegend:\n\n  X    = Self\n  NV#  = a bonded set of # NVLinks\n"


def groups(size, within, nodes, near="NODE"):
    return table(lambda i, j: within if i // size == j // size else near if nodes[i] == nodes[j] else "SYS", nodes)


EIGHT = [0, 0, 0, 0, 1, 1, 1, 1]
SWITCHED = table(lambda i, j: "NV18", EIGHT)


def hybrid_cube_mesh(i, j):
    """A DGX-1: six NVLinks a GPU."""
    links = {(0, 1): 1, (0, 2): 1, (0, 3): 2, (0, 4): 2, (1, 2): 2, (1, 3): 1, (1, 5): 2, (2, 3): 1, (2, 6): 2,
             (3, 7): 2, (4, 5): 1, (4, 6): 1, (4, 7): 2, (5, 6): 2, (5, 7): 1, (6, 7): 1}
    count = links.get((min(i, j), max(i, j)))
    return f"NV{count}" if count else "SYS"


def as_printed_elsewhere():
    h100 = " --gpu H100" + SHOW
    read = "keyswap topology import t.txt" + h100
    changes = (("colours without ESC", "[4m" + SWITCHED.replace("ID\n", "ID[0m\n")),
               ("colours as cat -v shows them", "^[[4m" + SWITCHED.replace("ID\n", "ID^[[0m\n")),
               ("CRLF", SWITCHED.replace("\n", "\r\n")),
               ("UTF-16, big-endian, no mark", SWITCHED.encode("utf-16-be")),
               ("UTF-8 with a mark", "\ufeff" + SWITCHED),
               ("spaces that do not break", SWITCHED.replace("\t", "\u00a0\u00a0")),
               ("a space for each tab", SWITCHED.replace("\t", " ")),
               ("no tab at the begin", SWITCHED[1:]),
               ("a quoted letter", "".join(f"> {line}\n" for line in SWITCHED.splitlines())),
               ("a page's table", "".join("|" + line.replace("\t", " | ") + " |\n" for line in SWITCHED.splitlines()[:9])),
               ("lines of a cluster's shell", "".join(f"node7: {line}\n" for line in SWITCHED.splitlines())),
               ("quotation marks around cells", re.sub(r"(\S+)", r'"\1"', SWITCHED.split("\n\n")[0]).replace('" "', " ")),
               ("prompts around", "user@dgx:~$ nvidia-smi topo -m\n" + SWITCHED + "\nuser@dgx:~$ echo GPU0 is well\n"),
               ("fences of a page", "```\n" + SWITCHED + "```\n"))
    for name, content in changes:
        yield Case(f"F01 {name}", read, (0,), as_shipped("dgx-h100"), prepare=text("t.txt", content))
    lines = SWITCHED.splitlines()
    for name, content, says in (
            ("a row is missing", "\n".join(lines[:8]), "t.txt: .*'GPU7' is missing"),
            ("lines are cut", "\n".join(line[:40] for line in lines), "t.txt:2: 'N' between .* is not a connection"),
            ("rows are cut", "\n".join(lines[:1] + [line[:30] for line in lines[1:]]), "t.txt:2: the row has"),
            ("two tables", SWITCHED + SWITCHED, "a second table begins"),
            ("not from GPU0", SWITCHED.replace("GPU1", "GPU9"), "'GPU9' follows 'GPU0'"),
            ("nothing", "", "holds no matrix"),
            ("the driver's error", "Failed to initialize NVML: Driver/library version mismatch\n", "Failed to initialize NVML"),
            ("one cell differs", SWITCHED.replace("NV18", "NV12", 1), "'NV18' and 'NV12' between"),
            ("NV0", SWITCHED.replace("NV18", "NV0"), "'NV0' between .* is not a number"),
            ("NV-3", SWITCHED.replace("NV18", "NV-3"), "'NV-3' between .* is not a number"),
            ("an unknown word", SWITCHED.replace("NV18", "LINK"), "'LINK' between .* is not a connection"),
            ("no cell", SWITCHED.replace("NV18", "N/A"), "'N/A' between .* is not a connection"),
            ("X elsewhere", SWITCHED.replace("NV18", "X"), "X belongs on the diagonal"),
            ("rocm-smi", SWITCHED.replace("NV18", "XGMI"), "AMD"),
            ("rocm-smi's own", "== ROCm ==\n       GPU0         GPU1\nGPU0   0            15\nGPU1   15           0\n", "shows GPUs of AMD"),
            ("amd-smi", "LINK TYPE TABLE:\n             0000:0c:00.0 0000:22:00.0\n0000:0c:00.0 SELF         XGMI\n", "shows GPUs of AMD"),
            ("xpu-smi", "         GPU 0/0   GPU 0/1\nGPU 0/0  S         XL*\nGPU 0/1  XL*       S\n", "shows GPUs of Intel"),
            ("peer access", SWITCHED.replace("NV18", "OK"), "'OK' between .* is not a connection")):
        yield Case(f"F07 {name}", "keyswap topology import t.txt --output p.toml", (2,), says, prepare=text("t.txt", content))


def of_other_shapes():
    def read(gpu):
        return f"keyswap topology import t.txt --gpu '{gpu}'" + SHOW

    yield Case("F02 A6000 bridged in pairs", read("RTX A6000"), (0,), "nvlink x4 gpu2-gpu3", "nvswitch|gpu0-gpu2",
               prepare=text("t.txt", groups(2, "NV4", EIGHT)))
    yield Case("F02 A100 of 80 GB in pairs", read("NVIDIA A100 80GB PCIe"), (0,), "nvlink x12 gpu6-gpu7", "nvswitch",
               prepare=text("t.txt", groups(2, "NV12", EIGHT)))
    yield Case("F02 H200 NVL in quads", read("H200-NVL"), (0,), "nvlink x6 gpu4-gpu7", "nvswitch|gpu3-gpu4",
               prepare=text("t.txt", groups(4, "NV6", EIGHT)))
    yield Case("F03 H100 quad", read("H100"), (0,), "nvlink x6 gpu0-gpu3", "nvswitch", prepare=text("t.txt", table(lambda i, j: "NV6", [0, 0, 1, 1])))
    yield Case("F03 V100 quad", read("V100"), (0,), "nvlink x2 gpu0-gpu3", "nvswitch", prepare=text("t.txt", table(lambda i, j: "NV2", [0, 0, 1, 1])))
    yield Case("F03 hybrid cube mesh", read("V100"), (0,), "nvlink x2 gpu0-gpu4", "nvswitch", prepare=text("t.txt", table(hybrid_cube_mesh, EIGHT)))
    yield Case("F03 four GPUs of an NVSwitch", read("A100"), (0,), "nvlink x12 gpu0-nvswitch", prepare=text("t.txt", table(lambda i, j: "NV12", [0] * 4)))
    yield Case("F04 two GPUs without NVLink", read("A100"), (0,), "nvlink x12 gpu7-nvswitch", "gpu[03]-nvswitch|gpu1-gpu2",
               prepare=text("t.txt", table(lambda i, j: "SYS" if {i, j} & {0, 3} else "NV12", EIGHT)))
    yield Case("F04 a GPU with fewer NVLinks", read("H100"), (0,), "nvlink x16 gpu3-nvswitch",
               prepare=text("t.txt", table(lambda i, j: "NV16" if 3 in (i, j) else "NV18", EIGHT)))
    yield Case("F04 two boards of four", read("H100"), (0,), "nvlink x18 gpu7-nvswitch1", prepare=text("t.txt", groups(4, "NV18", EIGHT)))
    yield Case("F03 more NVLinks than a GPU has", read("V100"), (2,), "NV12 of GPU0, and V100 has 6", prepare=text("t.txt", table(lambda i, j: "NV12", [0, 0])))
    yield Case("F03 NVLinks of a GPU without", read("L40S"), (2,), "L40S has no NVLinks", prepare=text("t.txt", table(lambda i, j: "NV4", [0, 0])))
    yield Case("F06 N/A, affinities differ", read("H100"), (0,), "CPU affinities show 2 CPUs",
               prepare=text("t.txt", re.sub(r"\t[01]\t\tN/A", "\tN/A\t\tN/A", SWITCHED)))
    yield Case("F06 only connections", read("L4"), (0,), "connections show 2 CPUs", "cpu2",
               prepare=text("t.txt", table(lambda i, j: "PHB" if i // 4 == j // 4 else "SYS", EIGHT, columns=())))
    yield Case("F06 adapters show the nodes", read("H100"), (0,), "connections show 2 CPUs",
               prepare=text("t.txt", table(lambda i, j: "NV18", EIGHT, (), [(f"mlx5_{n}", ["NODE" if n == node else "SYS" for node in EIGHT]) for n in (0, 1)])))
    yield Case("F05 NUMA nodes 1 and 3", read("L4"), (0,), "NUMA nodes 1, 3", "cpu2", prepare=text("t.txt", table(lambda i, j: "SYS", [1, 3])))
    yield Case("a table without --gpu", "keyswap topology import t.txt" + SHOW, (0,), "no GPU is named: H100 is assumed", prepare=text("t.txt", SWITCHED))
    named = "".join(f"GPU {i}: NVIDIA L40S (UUID: GPU-{i})\n" for i in range(2)) + table(lambda i, j: "SYS", [0, 1])
    yield Case("names of nvidia-smi -L", "keyswap topology import t.txt", (0,), "datasheet: NVIDIA L40S", "H100", prepare=text("t.txt", named))
    yield Case("MIG in nvidia-smi -L", "keyswap topology import t.txt", (2,), r"in parts \(MIG\)",
               prepare=text("t.txt", "GPU 0: NVIDIA H100 (UUID: GPU-0)\n  MIG 1g.10gb Device 0: (UUID: MIG-0)\n" + SWITCHED))
    yield Case("--gpu for some of the GPUs", "keyswap topology import t.txt --gpu H100 --gpu L4", (2,), "is given 2 times, and t.txt has 8", prepare=text("t.txt", SWITCHED))


def pci(bus, gpu="", device="0x2330", speed="32.0 GT/s PCIe", width="16", inside=""):
    return (f'<pci busid="{bus}" class="0x030200" vendor="0x10de" device="{device}" link_speed="{speed}" link_width="{width}">'
            f'<gpu {gpu}>{inside}</gpu></pci>')


def nccl(*cpus):
    return '<system version="1">\n' + "\n".join(f'<cpu {head} arch="x86_64">\n{body}\n</cpu>' for head, body in cpus) + "\n</system>\n"


INTEL = 'numaid="0" vendor="GenuineIntel" familyid="6" modelid="106"'
ON_SWITCH = '<nvlink target="fffffff:ff:ff.0" count="18" tclass="0x068000"/>'


def of_nccl():
    read = "keyswap topology import t.xml"

    def gpus(first, count=2, **named):
        return "\n".join(pci(f"0000:0{first + i}:00.0", f'dev="{first + i}" sm="90"', **named) for i in range(count))

    yield Case("F14 a GPU by its PCI id", read, (0,), "datasheet: NVIDIA L40S", "H100",
               prepare=text("t.xml", nccl((INTEL, pci("0000:01:00.0", 'dev="0" sm="89"', "0x26b9")))))
    yield Case("F14 a GPU by its sm", read, (0,), "H100 is assumed of sm 90", prepare=text("t.xml", nccl((INTEL, gpus(0, device="0xffff")))))
    yield Case("F14 --gpu of another sm", read + " --gpu H100", (2,), "--gpu names H100, which has sm 90",
               prepare=text("t.xml", nccl((INTEL, pci("0000:01:00.0", 'dev="0" sm="70"', "0x1db5")))))
    yield Case("F14 --gpu of another PCI id", read + " --gpu H20", (0,), "--gpu names H20, though device 0x2330 is H100",
               prepare=text("t.xml", nccl((INTEL, gpus(0)))))
    yield Case("two kinds of GPU in one file", read, (0,), '(?s)device = "L4".*device = "L40S"', "H100",
               prepare=text("t.xml", nccl((INTEL, pci("0000:01:00.0", 'dev="0" sm="89"', "0x27b8") + pci("0000:02:00.0", 'dev="1" sm="89"', "0x26b9")))))
    yield Case("an Intel host", read + " --gpu A100", (0,), "UPI links of 11.2 GT/s, as Xeon Scalable of generation 3 has", "EPYC",
               prepare=text("t.xml", nccl((INTEL, pci("0000:01:00.0", 'dev="0" sm="80"')), (INTEL.replace('"0"', '"1"', 1), pci("0000:02:00.0", 'dev="1" sm="80"')))))
    eight = nccl((INTEL, gpus(0, 4, inside=ON_SWITCH)), (INTEL.replace('"0"', '"1"', 1), gpus(4, 4, inside=ON_SWITCH)))
    yield Case("another host is no DGX H100", read, (0,), "as Xeon Scalable of generation 3 has", "shipped", prepare=text("t.xml", eight))
    yield Case("the same host is one", read, (0,), as_shipped("dgx-h100"), prepare=text("t.xml", eight.replace('modelid="106"', 'modelid="143"')))
    yield Case("narrower slots are no DGX H100", read, (0,), "pcie 32 GB/s", "shipped",
               prepare=text("t.xml", eight.replace('modelid="106"', 'modelid="143"').replace('link_width="16"', 'link_width="8"')))
    for name, change, says in (("an attribute twice", ('numaid="0"', 'numaid="0" numaid="1"'), "t.xml:2: <cpu> has two attributes numaid"),
                               ("a tag in a text", ("GenuineIntel", "<Intel"), "t.xml:2: an attribute of <cpu> is malformed")):
        yield Case(f"NCCL: {name}", refused_input("t.xml"), (2,), says, prepare=text("t.xml", eight.replace(*change)))
    yield Case("NCCL: letters of another encoding", read, (0,), "gpu7", "not TOML",
               prepare=text("t.xml", eight.replace("GenuineIntel", "G\u00e9").encode("latin-1")))
    yield Case("--gpu is named where it is wrong", read + " --gpu 'Foo 9000'", (2,), "--gpu: 'Foo 9000': is not a kind of GPU",
               prepare=text("t.xml", eight))
    yield Case("UTF-16 and prompts", read, (0,), as_shipped("dgx-h100"),
               prepare=text("t.xml", ("$ cat topo.xml\n" + eight.replace('modelid="106"', 'modelid="143"') + "$ exit\n").encode("utf-16")))
    host = 'host_hash="0x%d" numaid="0"'
    hosts = nccl((host % 1, gpus(0, inside=ON_SWITCH)), (host % 2, gpus(0, inside=ON_SWITCH)))
    yield Case("F08 hosts with the same dev and bus", read + SHOW, (0,), "gpu3-xbar3|xbar3-nvswitch", prepare=text("t.xml", hosts))
    yield Case("F08 hosts without NVSwitch", read, (2,), "holds 2 hosts", prepare=text("t.xml", hosts.replace(ON_SWITCH, "")))
    yield Case("F08 a node twice, no hosts", read, (2,), 'a second <cpu> has numaid="0"', prepare=text("t.xml", re.sub(r'host_hash="0x."', "", hosts)))
    yield Case("F10 -1 next to 0", read + SHOW, (0,), "on the first node", "cpu1", prepare=text("t.xml", nccl((INTEL, gpus(0)), ('numaid="-1"', gpus(2)))))
    yield Case("F11 unknown speed", read, (0,), "pcie5", prepare=text("t.xml", nccl((INTEL, gpus(0, speed="Unknown speed", width="255")))))
    yield Case("F11 a speed that is none", read, (2,), 'link_speed="fast"', prepare=text("t.xml", nccl((INTEL, gpus(0, speed="fast")))))
    yield Case("F09 a target without a class", read, (0,), "not in the file are left out", "nvswitch",
               prepare=text("t.xml", nccl((INTEL, gpus(0, 1, inside='<nvlink target="0000:77:00.0" count="4"/>')))))
    yield Case("F12 C2C without a rate", read, (2,), "of <c2c> are not a rate", prepare=text("t.xml", nccl((INTEL, gpus(0, inside='<c2c bw="0" count="5"/>')))))
    yield Case("F13 AMD's vendor id", read, (2,), "AMD's", prepare=text("t.xml", nccl((INTEL, gpus(0))).replace("0x10de", "0x1002")))
    yield Case("F15 one part", read, (2,), "is in parts", prepare=text("t.xml", nccl((INTEL, pci("0000:01:00.0", 'dev="0" sm="90" mlopart="1"')))))


def driver(script):
    def prepare(folder, root, program):
        (folder / ".bin/nvidia-smi").write_text("#!/bin/sh\n" + script)
        (folder / ".bin/nvidia-smi").chmod(0o755)
    return prepare


def here():
    two = table(lambda i, j: "PHB", [0, 0])

    def names(*gpus):
        return (f"case \"$1\" in --query-gpu*) printf '{''.join(gpu + chr(92) + 'n' for gpu in gpus)}';; topo) cat <<'END'\n{two}END\n;; esac\n")

    yield Case("F39 an unknown kind", "keyswap topology here", (2,), "'NVIDIA X1': .*name it with --gpu", prepare=driver(names("NVIDIA L4", "NVIDIA X1")))
    yield Case("F39 --gpu for the unknown one", "keyswap topology here --gpu '48 GB, 864 GB/s, 142 SMs, 2520 MHz'", (0,), '(?s)device = "L4".*device = "48 GB',
               prepare=driver(names("NVIDIA L4", "NVIDIA X1")))
    yield Case("F39 --gpu for each", "keyswap topology here --gpu L40 --gpu T4", (0,), "--gpu names L40, though 'NVIDIA L4' is L4", prepare=driver(names("NVIDIA L4", "Tesla T4")))
    mismatch = "Failed to initialize NVML: Driver/library version mismatch"
    for status in (0, 18):
        yield Case(f"F39 the driver's error, exit {status}", "keyswap topology here", (2,), f"nvidia-smi fails: .{mismatch}",
                   prepare=driver(f"echo '{mismatch}'\nexit {status}\n"))
    yield Case("F39 an error of topo alone", "keyswap topology here", (2,), "nvidia-smi fails: .topo is not there",
               prepare=driver("case $1 in topo) echo topo is not there >&2; exit 3;; *) echo NVIDIA L4;; esac\n"))
    yield Case("F39 no nvidia-smi", "PATH=$PWD/.bin keyswap topology here", (2,), "does not run here")
    yield Case("F39 MIG", "keyswap topology here", (2,), "a part of a GPU", prepare=driver(names("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA L4")))


def round_trips():
    for platform in ("ac922", "dgx-a100", "dgx-h100", "gb200-nvl72", "hgx-h200", "pcie-4gpu"):
        for form in ("nccl", "nvidia-smi") if platform != "gb200-nvl72" else ("nccl",):
            yield Case(f"round trip of {platform}, {form}",
                       f"keyswap topology export {platform} --format {form} --output t && keyswap topology import t --output p.toml && "
                       "keyswap topology show --platform p.toml", (0,), as_shipped(platform), seconds=20)
    yield Case("a cluster is no dump", "keyswap topology export cluster:dgx-h100:2 --format nccl", (2,), "joins several CPUs, as a network does")
    yield Case("a table of many machines", "keyswap topology export gb200-nvl72 --format nvidia-smi", (2,), "is of several machines")


def cases():
    yield from reported()
    yield from as_printed_elsewhere()
    yield from of_other_shapes()
    yield from of_nccl()
    yield from here()
    yield from round_trips()
