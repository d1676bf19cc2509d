#!/usr/bin/env python3
"""Tests of quoted-output."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

PATH = pathlib.Path(__file__).with_name("quoted-output")
LOADER = importlib.machinery.SourceFileLoader("quoted_output", str(PATH))
SPEC = importlib.util.spec_from_loader("quoted_output", LOADER)
quoted_output = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(quoted_output)

OUTPUT = """\
== Building
/root/keyswap

== Sort: on 8 GPUs
sort: 25,101 u64 keys
8 passes: 0x00______________ holds 99 %
Key swap: 20,000 of 25,101 keys (79.7 %)

== Simulate: 2e9 keys
copies    10.5
total    216.5
Expect 204 to 230 ms
"""


def quotation(*lines):
    return "\n".join(["# Title", "", "```", *lines, "```", ""])


def found(*lines, output=OUTPUT):
    return list(quoted_output.differences(quotation(*lines), output, ["sh", "-c"]))


class QuotedOutput(unittest.TestCase):
    def test_agrees_with_numbers_of_other_files(self):
        self.assertEqual(
            found(
                "== Sort: on 8 GPUs",
                "sort: 156,888 u64 keys",
                "8 passes: 0xFF______________ holds 100.00 %",
                "   ...",
                "== Simulate: 2e9 keys",
                "   ...",
                "total    216.5",
            ),
            [None],
        )

    def test_names_the_line_whose_text_differs(self):
        (difference,) = found("== Sort: on 8 GPUs", "sort: 25,101 u32 keys")
        self.assertEqual(difference, "5: not printed here: sort: 25,101 u32 keys\n    but: sort: 25,101 u64 keys")

    def test_compares_numbers_below_simulate(self):
        (difference,) = found("== Simulate: 2e9 keys", "...", "total    216.6")
        self.assertIn("6: not printed here: total    216.6", difference)

    def test_lines_are_left_out_only_at_dots(self):
        self.assertEqual(found("== Sort: on 8 GPUs", "...", "Key swap: 1 of 2 keys (5 %)"), [None])
        self.assertNotEqual(found("== Sort: on 8 GPUs", "Key swap: 1 of 2 keys (5 %)"), [None])

    def test_empty_lines_are_no_matter(self):
        self.assertEqual(found("== Building", "/root/keyswap", "== Sort: on 8 GPUs", "", "sort: 1 u64 keys"), [None])

    def test_order_is_that_of_the_output(self):
        self.assertNotEqual(found("== Simulate: 2e9 keys", "...", "== Sort: on 8 GPUs"), [None])

    def test_a_line_that_is_there_twice_is_tried_twice(self):
        self.assertEqual(found("== A", "...", "x", "z", output="== A\nx\ny\nx\nz\n"), [None])

    def test_commands_are_run_and_compared_letter_by_letter(self):
        self.assertEqual(found("$ printf '1\\n2\\n'", "1", "2"), [None])
        (difference,) = found("$ printf '1\\n2\\n'", "1", "3")
        self.assertEqual(difference, "6: not printed here: 3\n    but: 2")

    def test_indented_quotations_may_be_wrapped_elsewhere(self):
        def found(*lines):
            markdown = "\n".join(["    $ keyswap plan", *lines, "", "text"])
            return list(quoted_output.differences(markdown, "", ["echo", "a b", "c\nd e", "f"]))

        self.assertEqual(found("    a", "      b c", "    ...", "    e f"), [None])
        (difference,) = found("    a b", "    ...", "    e g")
        self.assertEqual(difference, "4: not printed here: e g")
        self.assertNotEqual(found("    d", "    ...", "    b"), [None])

    def test_other_blocks_are_no_quotations(self):
        self.assertEqual(found("git clone somewhere"), [])


if __name__ == "__main__":
    unittest.main()
