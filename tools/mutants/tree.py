"""A copy of the sources with mutants in it, and its build."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess

import operators

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Of product code: what is not a test and needs no browser, GPU, MPI or fuzzer.
PRODUCT = re.compile(r"^(traces|model|simulator|tools)/(?!.*(testing|fuzz|consumer-test|mutants|"
                     r"link_rule_test)/).*(?<!_test)(?<!_prop)(?<!_fixture)(?<!_fixtures)(?<!_tests)"
                     r"(?<!program_process)(?<!program_run)(?<!mpirun)(?<!simgrid_run)"
                     r"(?<!cuda_backend)(?<!mpi_ranks)\.[ch]pp$")
# Eigen, of the libraries that headers of the project include, is in no default folder.
ARGUMENTS = ["-xc++", "-std=c++20", f"-I{ROOT}", "-I/usr/include/eigen3"]
FLAGS = f"-O1 -w -D_GLIBCXX_ASSERTIONS -include {HERE}/mutant.hpp"


def tracked_files():
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True).stdout
    return sorted(name for name in listed.decode().split("\0") if name and (ROOT / name).is_file())


def product_files(path, without=()):
    """Product code that lies in a path, and in none of the others, unless the path does."""
    def lies_in(name, folder):
        return name.rstrip("/") == folder.rstrip("/") or name.startswith(folder.rstrip("/") + "/")
    left_out = [folder for folder in without if not lies_in(path, folder)]
    return [name for name in tracked_files() if PRODUCT.match(name) and lies_in(name, path)
            and not any(lies_in(name, folder) for folder in left_out)]


def changed_lines(revision):
    """{file: its lines that differ from a revision}"""
    diff = subprocess.run(["git", "-C", str(ROOT), "diff", "-U0", "--no-color", revision],
                          check=True, capture_output=True, text=True).stdout
    lines, name = {}, None
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = line[6:] if line.startswith("+++ b/") else None
        elif name and (hunk := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))?", line)):
            first, count = int(hunk[1]), int(hunk[2] or 1)
            lines.setdefault(name, set()).update(range(first, first + count))
    return lines


def mutants_of_file(name, cache):
    """A file's mutants, which are looked for again where the file or the operators changed."""
    content = (ROOT / name).read_bytes()
    rules = (HERE / "operators.py").read_bytes()
    kept = cache / (hashlib.sha256(rules + name.encode() + b"\0" + content).hexdigest()[:32] + ".json")
    if not kept.exists():
        found = operators.find_mutants(str(ROOT / name), content, ARGUMENTS)
        rows = [dataclasses.asdict(dataclasses.replace(mutant, path=name)) for mutant in found]
        kept.write_text(json.dumps(rows), encoding="utf-8")
    return [operators.Mutant(**row) for row in json.loads(kept.read_text(encoding="utf-8"))]


def all_mutants(names, cache, jobs):
    cache.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        found = pool.map(mutants_of_file, names, [cache] * len(names))
        return [mutant for of_file in found for mutant in of_file]


def drawn_mutants(names, count, random, cache, jobs):
    """Different mutants of files that are drawn in proportion to their sizes; others are not parsed."""
    sizes = [(ROOT / name).stat().st_size for name in names]
    drawn = {}
    for _ in range(100):  # fewer than asked for, where there are no more
        files = random.choices(names, sizes, k=count - len(drawn))
        of_file = {name: [] for name in files}
        for mutant in all_mutants(list(of_file), cache, jobs):
            of_file[mutant.path].append(mutant)
        drawn.update((random.choice(of_file[name]), None) for name in files if of_file[name])
        if len(drawn) == count:
            break
    return list(drawn)


class Tree:
    """Sources and build of one set of mutants, below `folder`."""

    def __init__(self, folder, mutants, jobs):
        self.source, self.build = folder / "source", folder / "build"
        self.jobs = jobs
        self.numbered = dict(enumerate(mutants, start=1))
        self.uncompiled = {}

    def write(self):
        """Copies what changed, so that only that is compiled again."""
        of_file = {}
        for number, mutant in self.numbered.items():
            of_file.setdefault(mutant.path, []).append((number, mutant))
        names = tracked_files()
        for name in names:
            content = (ROOT / name).read_bytes()
            if name in of_file:
                if any(mutant.before != operators.on_one_line(
                        content[mutant.start:mutant.end].decode(errors="replace"))
                       for _, mutant in of_file[name]):
                    raise SystemExit(f"mutants: error: {name} has changed (run again)")
                content = operators.with_mutants(content, of_file[name]).encode()
            copy = self.source / name
            if not copy.exists() or copy.read_bytes() != content:
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(content)
                shutil.copymode(ROOT / name, copy)
        for copy in self.source.rglob("*"):
            if copy.is_file() and str(copy.relative_to(self.source)) not in set(names):
                copy.unlink()

    def configure(self):
        run_or_fail(["cmake", "-G", "Ninja", "-S", self.source, "-B", self.build,
                     "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_CXX_FLAGS_DEBUG={FLAGS}",
                     "-DKEYSWAP_CUDA=OFF", "-DKEYSWAP_UNITY=ON"])

    def compile(self, targets):
        """Builds; a mutant that does not compile is left out, and listed in `uncompiled`."""
        while True:
            self.write()
            done = subprocess.run(["ninja", "-C", str(self.build), "-k", "0", "-j", str(self.jobs),
                                   *targets], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                return
            places = re.findall(r"([^\s:]+):(\d+):\d+:", done.stdout)
            faulty = self.mutants_at({(os.path.relpath(file, self.source), int(line))
                                      for file, line in places if str(self.source) in file})
            if not faulty:
                raise SystemExit("mutants: error: what has no mutant does not compile:\n" +
                                 done.stdout[-4000:])
            for number in faulty:
                self.uncompiled[number] = self.numbered.pop(number)

    def mutants_at(self, places):
        found = set()
        for number, mutant in self.numbered.items():
            text = (ROOT / mutant.path).read_bytes()[mutant.start:mutant.end]
            lines = range(mutant.line, mutant.line + text.count(b"\n") + 1)
            if any((mutant.path, line) in places for line in lines):
                found.add(number)
        return found


def run_or_fail(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        raise SystemExit(f"mutants: error: {' '.join(map(str, command))}:\n"
                         f"{(done.stdout + done.stderr)[-4000:]}")
