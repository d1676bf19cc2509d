#!/usr/bin/python3
"""Tests of the mutants and of the namespaces in which they run."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import unittest

try:
    import cuda_operators
    import operators
    import runs
    import tree
except ImportError as missing:
    print(f"Skipped: {missing}")
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
SAMPLE = """\
#include <array>
#include <cstdio>
#include <optional>

namespace {
constexpr int half(int whole) { return whole / 2; }
static_assert(half(8) == 4);
int power(int base, int exponent) { // by hand
    int result = 1;
    for (int i = 0; i < exponent; ++i) {
        result *= base;
    }
    return result;
}
std::optional<int> found(bool there) {
    return there ? std::optional(5) : std::nullopt;
}
void note(int& place, int value) { place = value; }
} // namespace

int main() {
    std::array<int, 3> const numbers{4, 2, 9};
    int noted = 0;
    note(noted,
         7); // a remark
    if (auto const five = found(true)) {
        noted += *five;
    }
    if (numbers.size() > 2 && noted == 12) {
        std::printf("%d %d %d", power(2, 3), half(numbers[2]), noted);
    }
}
"""
ORIGINAL = "8 4 12"


class Mutants(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="keyswap-mutants.")
        source = pathlib.Path(cls.folder.name) / "sample.cpp"
        cls.program = pathlib.Path(cls.folder.name) / "sample"
        source.write_text(SAMPLE)
        found = operators.find_mutants(str(source), SAMPLE.encode(), ["-xc++", "-std=c++20"])
        cls.mutants = dict(enumerate(found, start=1))
        cls.text = operators.with_mutants(SAMPLE.encode(), list(cls.mutants.items()))
        source.write_text(cls.text)
        subprocess.run(["g++", "-std=c++20", "-w", "-include", HERE / "mutant.hpp", source, "-o",
                        cls.program], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def output(self, number, **environment):
        try:
            return subprocess.run([self.program], capture_output=True, text=True, timeout=2,
                                  env={"KEYSWAP_MUTANT": str(number), **environment},
                                  check=False).stdout
        except subprocess.TimeoutExpired:
            return "no end"

    def output_of(self, operator, before, after):
        """What the program prints with the one mutant of this kind."""
        numbers = [number for number, mutant in self.mutants.items()
                   if (mutant.operator, mutant.before, mutant.after) == (operator, before, after)]
        self.assertEqual(len(numbers), 1, (operator, before, after, self.mutants))
        return self.output(numbers[0])

    def test_without_a_number_the_program_is_as_it_was(self):
        self.assertEqual(self.output(0), ORIGINAL)

    def test_each_operator_changes_what_it_says(self):
        self.assertEqual(self.output_of("comparison", "i < exponent", "i <= exponent"), "16 4 12")
        self.assertEqual(self.output_of("arithmetic", "whole / 2", "whole * 2"), "8 18 12")
        self.assertEqual(self.output_of("arithmetic", "result *= base", "result += base"), "7 4 12")
        self.assertEqual(self.output_of("constant", "7", "8"), "")
        self.assertEqual(self.output_of("removed", "note(noted, 7)", ""), "")
        self.assertEqual(self.output_of("exchanged", "power(2, 3)", "power(3, 2)"), "9 4 12")
        self.assertEqual(self.output_of("branch", "auto const five = found(true)", "false"), "")
        self.assertEqual(
            self.output_of("comparison", "numbers.size() > 2", "numbers.size() >= 2"), ORIGINAL)
        self.assertEqual(self.output_of(
            "connective", "numbers.size() > 2 && noted == 12",
            "numbers.size() > 2 || noted == 12"), ORIGINAL)

    def test_what_has_to_be_constant_stays(self):
        lines = [mutant.line for mutant in self.mutants.values()]
        self.assertNotIn(7, lines)  # the static assertion
        self.assertNotIn(("3", 22), [(mutant.before, mutant.line) for mutant in self.mutants.values()])

    def test_lines_keep_their_numbers(self):
        self.assertEqual(len(self.text.splitlines()), len(SAMPLE.splitlines()))
        self.assertIn("// a remark", self.text.splitlines()[24])

    def test_what_a_program_comes_to_is_marked(self):
        marks = pathlib.Path(self.folder.name) / "marks"
        marks.write_bytes(bytes(len(self.mutants) + 1))
        self.output(0, KEYSWAP_MUTANTS_REACHED=str(marks))
        unreached = [self.mutants[number].before for number, mark in enumerate(marks.read_bytes())
                     if number and not mark]
        self.assertEqual(unreached, [])
        marks.write_bytes(bytes(len(self.mutants) + 1))
        numbers = {mutant.before: number for number, mutant in self.mutants.items()}
        self.output(numbers["auto const five = found(true)"], KEYSWAP_MUTANTS_REACHED=str(marks))
        self.assertEqual(marks.read_bytes()[numbers["noted += *five"]], 0)


CUDA_SAMPLE = """\
__device__ constexpr int twice(int a) { return a < 2 ? a : 2 * a; }
__global__ void sum_kernel(std::uint32_t const* keys, std::uint32_t count, std::uint32_t* out) {
    __shared__ std::uint32_t sums[warps];
    __shared__ std::uint32_t most[warps];
    for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
        atomicAdd(&sums[0], keys[i]); // keys[i] < 3
    }
    __syncthreads();
    out[1] = __shfl_sync(whole_warp, most[0], 0);
}
void launch(cudaStream_t stream) {
    int shares[3] = {};
    if (shares[0] < 3) {
        sum_kernel<<<blocks, 256, 0, stream>>>(keys, count, out);
        sum_kernel<<<1, 256, 0, stream>>>(keys, count, out);
    }
}
"""
HOST_SAMPLE = """\
void upload(Gpu& gpu) {
    gpu.ready.record(gpu.stream);
    auto const waits = gpu.ready;
    waits.make_wait(gpu.stream);
}
"""


class CudaMutants(unittest.TestCase):
    @staticmethod
    def rows(path, text):
        return [(mutant.line, mutant.operator, mutant.before)
                for mutant in cuda_operators.find_cuda_mutants(path, text)]

    def test_each_operator_finds_its_places_in_functions_of_the_gpu_alone(self):
        self.assertEqual(sorted(self.rows("a.cu", CUDA_SAMPLE)), sorted([
            (5, "bound off by one", "count"),
            (6, "atomic weakened", "atomicAdd(&sums[0], keys[i])"),
            (6, "index off by one", "0"),
            (6, "index off by one", "i"),
            (6, "shared buffers exchanged", "sums"),
            (8, "barrier removed", "__syncthreads()"),
            (9, "index off by one", "1"),
            (9, "index off by one", "0"),
            (9, "warp mask", "whole_warp"),
            (9, "shared buffers exchanged", "most"),
            (14, "launch: a block fewer", "blocks"),
            (14, "launch: half a block", "256"),
            (15, "launch: half a block", "256")]))

    def test_waits_of_streams_are_those_of_the_host(self):
        self.assertEqual(self.rows("a.cpp", HOST_SAMPLE), [
            (2, "stream wait removed", "gpu.ready.record(gpu.stream)"),
            (4, "stream wait removed", "waits.make_wait(gpu.stream)")])

    def test_the_code_as_it_is_stands_beside_each_mutant(self):
        found = cuda_operators.find_cuda_mutants("a.cu", CUDA_SAMPLE)
        text = operators.with_mutants(CUDA_SAMPLE.encode(), list(enumerate(found, start=1)))
        self.assertEqual(len(text.splitlines()), len(CUDA_SAMPLE.splitlines()))
        self.assertIn("? void() : __syncthreads())", text)
        self.assertRegex(text, r"i < \(count\) \+ ::keyswap::mutants::one_if\(\d+\)")


class RunMutants(unittest.TestCase):
    """Of a pack whose program finds mutant 1, passes with 2, and hangs with 3."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="keyswap-mutants.", dir=HERE.parent)
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        shutil.copy(HERE / "run-mutants", self.folder)
        (self.folder / "mutants.tsv").write_text("".join(
            f"{number}\tsort\ta.cu:{number}\t{operator}\tx|y\tz\n"
            for number, operator in ((1, "launch"), (2, "barrier removed"), (3, "launch"))))
        program = self.folder / "keyswap_conformance"
        program.write_text("""#!/bin/sh
case $KEYSWAP_MUTANT in
0) printf '\\0\\1\\1' | dd of="$KEYSWAP_MUTANTS_REACHED" conv=notrunc ;;
1) echo 'difference after 0.1 s: sorted: expected 1, found 2' ;;
3) echo $$ >"$KEYSWAP_LOGS/3.pid"; exec sleep 987653 ;;
esac
""")
        program.chmod(0o755)

    def start(self, *numbers):
        return subprocess.Popen(
            [self.folder / "run-mutants", "1", "3", *numbers], stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
            env={**os.environ, "KEYSWAP_LOGS": str(self.folder / "logs")})

    def test_totals_are_the_last_table(self):
        run = self.start("1", "2")
        output, errors = run.communicate()
        self.assertEqual(run.returncode, 1, errors)
        self.assertIn("| 1 | a.cu:1 | launch | `x\\|y` | `z` | sorted | ", output)
        self.assertIn("| **survived** | ", output)
        self.assertIn("\n| barrier removed | 1 | 0 | 1 | 0 |\n| launch | 1 | 1 | 0 | 0 |\n"
                      "| all | 2 | 1 | 1 | 0 |\nlogs: ", output)

    def test_a_row_does_not_wait_for_the_others(self):
        with self.start() as run:
            rows = set()
            while len(rows) < 2:
                line = run.stdout.readline()
                rows |= {line.split(" ")[1]} if line.startswith(("| 1 ", "| 2 ")) else set()
            self.assertIsNone(run.poll())  # mutant 3 still hangs
            os.kill(int((self.folder / "logs/3.pid").read_text()), signal.SIGKILL)

    def test_a_number_that_the_pack_does_not_have_is_refused(self):
        run = self.start("7")
        self.assertIn("none of: 7", run.communicate()[1])
        self.assertEqual(run.returncode, 2)


class ProductFiles(unittest.TestCase):
    def test_lie_in_a_path_and_in_no_folder_that_is_left_out(self):
        tools = tree.product_files("tools")
        others = tree.product_files("tools", ["tools/record"])
        record = tree.product_files("tools/record", ["tools/record"])
        self.assertEqual(sorted(others + record), tools)
        self.assertIn("tools/record/process/process_tree.cpp", record)
        self.assertFalse([name for name in tools if name.endswith("_test.cpp")])


class Command(unittest.TestCase):
    def test_a_folder_that_tests_could_not_see_is_refused(self):
        done = subprocess.run([HERE / "mutants", "--folder", "/tmp/keyswap", "--list"],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--folder /tmp/keyswap lies below /tmp", done.stderr)


class Listed(unittest.TestCase):
    """Mutants of one small file, as the command lists them."""

    PATH = "model/keys/parallel.cpp"

    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="keyswap-mutants.", dir=HERE.parent)
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def listed(self, *arguments):
        done = subprocess.run([HERE / "mutants", "--folder", self.folder, "--list", *arguments],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def test_a_path_with_a_line_has_those_of_the_line(self):
        everything = self.listed(self.PATH)
        line = everything[-1].split(":")[1]
        one = self.listed(f"{self.PATH}:{line}")
        self.assertEqual(one, [row for row in everything if row.startswith(f"{self.PATH}:{line}:")])
        self.assertLess(len(one), len(everything))

    def test_a_sample_repeats_by_its_seed_and_parses_only_files_that_it_draws(self):
        def sample(seed):
            return self.listed("--sample", "5", "--seed", seed, self.PATH)
        drawn = sample("1")
        self.assertEqual(len(set(drawn)), 5)
        self.assertEqual(drawn, sample("1"))
        self.assertNotEqual(drawn, sample("2"))
        self.assertLessEqual(set(drawn), set(self.listed(self.PATH)))
        self.listed("--sample", "1", "model/keys")
        parsed = len(list(pathlib.Path(self.folder, "found").iterdir()))
        self.assertLess(parsed, len(tree.product_files("model/keys")) / 2)


class Sandbox(unittest.TestCase):
    def run_in_sandbox(self, folder, command):
        test = types.SimpleNamespace(folder="/", command=["sh", "-c", command])
        return runs.passes(test, folder, {}, 20)

    def test_keeps_files_and_processes_from_mutants(self):
        with tempfile.TemporaryDirectory(prefix="keyswap-mutants.", dir=HERE.parent) as folder:
            kept, scratch = pathlib.Path(folder, "kept"), pathlib.Path(folder, "scratch")
            scratch.mkdir()
            kept.write_text("here")
            if not self.run_in_sandbox(scratch, "true"):
                self.skipTest("there are no user namespaces")
            self.assertFalse(self.run_in_sandbox(scratch, f"rm {kept}"))
            self.assertTrue(kept.exists())
            self.assertTrue(self.run_in_sandbox(scratch, f": >{scratch}/mark && : >/tmp/mark"))
            bystander = subprocess.Popen(["sleep", "30"])
            self.run_in_sandbox(scratch, f"kill -9 {bystander.pid}; kill -9 -1")
            self.assertIsNone(bystander.poll())
            bystander.kill()
            bystander.wait()

    def test_ends_what_takes_too_long_with_all_that_it_started(self):
        with tempfile.TemporaryDirectory(prefix="keyswap-mutants.", dir=HERE.parent) as folder:
            test = types.SimpleNamespace(
                folder="/", command=["sh", "-c", "setsid sleep 987654 & sleep 987654"])
            self.assertFalse(runs.passes(test, pathlib.Path(folder), {}, 0.5))
            left = subprocess.run(["pgrep", "-f", "^sleep 987654$"], capture_output=True, text=True,
                                  check=False).stdout
            self.assertEqual(left, "")


if __name__ == "__main__":
    unittest.main()
