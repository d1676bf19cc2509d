"""Tests of a build with mutants: which mutants each comes to, and which mutants it notices.

Each runs in namespaces of its own, since a mutant may end or remove what it should not: other
processes and the network are out of its sight, all files are read-only but those in its /tmp.
"""

import concurrent.futures
import json
import os
import pathlib
import resource
import signal
import subprocess
import time

MEMORY_BYTES = 12 << 30
# The own /tmp holds the file of reached mutants, which is bound before everything else is locked.
IN_SANDBOX = """
mount --bind "$1" "$1" && mount -o remount,ro,bind / && mount -t tmpfs -o size=4g none /tmp || exit 125
cd "$2"; shift 2; "$@"; exit $?
"""
SANDBOX = ["unshare", "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child",
           "--mount-proc", "--net", "sh", "-c", IN_SANDBOX, "sandbox"]


class Test:
    """A test of ctest's list."""

    def __init__(self, entry):
        self.name = entry["name"]
        self.command = entry["command"]
        properties = {item["name"]: item["value"] for item in entry["properties"]}
        self.folder = properties.get("WORKING_DIRECTORY", "/")
        self.labels = "+".join(properties.get("LABELS", []))
        self.seconds = 0.0
        self.reached = set()


def listed_tests(build, targets, name_pattern):
    """Unit tests and properties that are programs of the build. Of programs beside the targets that
    were built now, an old one may be there, with other mutants."""
    text = subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True,
                          capture_output=True, text=True).stdout
    tests = [Test(entry) for entry in json.loads(text)["tests"] if "command" in entry]
    return [test for test in tests if name_pattern.search(test.name)
            and test.command[0].startswith(str(build)) and "gpu" not in test.labels
            and (not targets or pathlib.Path(test.command[0]).name in targets)]


def limit_memory():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def passes(test, scratch, environment, seconds):
    """Whether a test passes within a time."""
    process = subprocess.Popen(
        [*SANDBOX, str(scratch), test.folder, *test.command], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        preexec_fn=limit_memory,
        env={**os.environ, "RC_PARAMS": "seed=1", "RC_NO_PROGRESS": "1", **environment})
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


class Runs:
    """What tests do with the mutants of a tree."""

    def __init__(self, folder, build, jobs, numbers):
        self.scratch = folder / "scratch"
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.build, self.jobs = build, jobs
        self.size = max(numbers, default=0) + 1

    def reach(self, tests, seconds):
        """Runs each test once without a mutant. Returns those that pass, with what they reach."""
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return [test for test in pool.map(lambda test: self.reach_of(test, seconds), tests)
                    if test is not None]

    def reach_of(self, test, seconds):
        marks = self.scratch / f"reached-{id(test)}"
        marks.write_bytes(bytes(self.size))
        begin = time.monotonic()
        passed = passes(test, self.scratch, {"KEYSWAP_MUTANTS_REACHED": str(marks)}, seconds)
        test.seconds = time.monotonic() - begin
        test.reached = {number for number, mark in enumerate(marks.read_bytes()) if mark}
        marks.unlink()
        return test if passed else None

    def kill(self, numbers, tests, seconds, report):
        """{number: the test that notices it, or None}, those first that take the least time."""
        def run(number):
            left = seconds
            for test in sorted(tests, key=lambda test: test.seconds):
                if number not in test.reached:
                    continue
                if left < 0:
                    break
                begin = time.monotonic()
                if not passes(test, self.scratch, {"KEYSWAP_MUTANT": str(number)},
                              10 + 5 * test.seconds):
                    report(number, test.name)
                    return number, test.name
                left -= time.monotonic() - begin
            report(number, None)
            return number, None
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return dict(pool.map(run, numbers))
