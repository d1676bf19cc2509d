"""Sums gcov's JSON (one document a line on standard input) by folder.

usage: coverage_table.py ROOT UNCOVERED
Prints a table of traces/ and model/ without their tests, writes lines that nothing executes to
UNCOVERED, and exits with 1 where less than 95 % of a folder's lines are executed.
"""

import collections
import json
import pathlib
import signal
import sys

FOLDERS = ("traces", "model")
LINE_SHARE_MIN = 0.95
# Files that are themselves tests, or what tests need.
TEST_ENDINGS = ("_test.cpp", "_prop.cpp", "_fixtures.hpp", "plain_source.hpp", "temporary_folder.hpp",
                "temporary_keys.hpp")


def own_file(root, name, directory):
    """The file's path below ROOT, or nothing where it is not measured."""
    path = pathlib.Path(name)
    path = (path if path.is_absolute() else pathlib.Path(directory) / path).resolve()
    if not path.is_relative_to(root):
        return None
    relative = path.relative_to(root)
    measured = relative.parts[0] in FOLDERS and not relative.name.endswith(TEST_ENDINGS)
    return relative if measured else None


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # ends quietly if the reader stops early
    root = pathlib.Path(sys.argv[1]).resolve()
    lines = collections.Counter()  # (file, line) -> executions
    branches = collections.Counter()  # (file, line, place) -> executions
    for text in sys.stdin:
        document = json.loads(text)
        for entry in document["files"]:
            path = own_file(root, entry["file"], document["current_working_directory"])
            if path is None:
                continue
            for line in entry["lines"]:
                lines[path, line["line_number"]] += line["count"]
                for place, branch in enumerate(line["branches"]):
                    if not branch["throw"]:
                        branches[path, line["line_number"], place] += branch["count"]

    good = True
    print(f"{'folder':<8} {'lines':>7} {'executed':>9} {'share':>7} {'branches':>9} {'taken':>7}")
    for folder in FOLDERS:
        of_lines = [count for (path, _), count in lines.items() if path.parts[0] == folder]
        of_branches = [count for (path, *_), count in branches.items() if path.parts[0] == folder]
        executed = sum(count > 0 for count in of_lines)
        taken = sum(count > 0 for count in of_branches)
        share = executed / max(1, len(of_lines))
        good = good and share >= LINE_SHARE_MIN
        print(
            f"{folder:<8} {len(of_lines):>7} {executed:>9} {share:>7.1%} "
            f"{len(of_branches):>9} {taken / max(1, len(of_branches)):>7.1%}"
        )

    with open(sys.argv[2], "w", encoding="utf-8") as out:
        for path, number in sorted(key for key, count in lines.items() if count == 0):
            code = (root / path).read_text(encoding="utf-8").splitlines()[number - 1].strip()
            out.write(f"{path}:{number}: {code}\n")
    return 0 if good else 1


sys.exit(main())
