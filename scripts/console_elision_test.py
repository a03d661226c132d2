#!/usr/bin/env python3
"""Tests console_elision.py and what console_blocks.py does with a command's output."""

import tempfile
import unittest

import console_blocks  # makes scripts/lib importable
import console_elision

OUTPUT = """step.txt
  total      11.00MiB: parameters 1.50MiB, temp 9.50MiB
  capacity   10.00MiB: DOES NOT FIT
  peak       10.50MiB at time 12 of 74
  heap       9.50MiB of temp
  by scope
    7.00MiB  mlp
    2.00MiB  attention
"""


class ShowsPartTest(unittest.TestCase):

    def test_lines_and_parts_of_lines(self):
        self.assertTrue(console_elision.shows_part_of(OUTPUT, OUTPUT))
        self.assertTrue(console_elision.shows_part_of("…\n  peak       10.50MiB at time … of 74\n…\n", OUTPUT))
        self.assertTrue(console_elision.shows_part_of("…\n", OUTPUT))

    def test_what_does_not_match(self):
        self.assertFalse(console_elision.shows_part_of("…\n  peak       10.50MiB at time 13 of 74\n…\n", OUTPUT))
        self.assertFalse(console_elision.shows_part_of("  peak       10.50MiB at time 12 of 74\n…\n", OUTPUT))
        self.assertFalse(console_elision.shows_part_of("…\n    2.00MiB  attention\n    7.00MiB  mlp\n", OUTPUT))


class RefreshedTest(unittest.TestCase):

    def refreshed(self, shown, output, lost=()):
        text, found = console_elision.refreshed(shown, output)
        self.assertEqual(list(lost), found)
        self.assertTrue(console_elision.shows_part_of(text, output), text)
        return text

    def test_a_changed_figure(self):
        self.assertEqual("…\n  peak       10.50MiB at time 12 of 74\n…\n",
                         self.refreshed("…\n  peak       9.25MiB at time 7 of 70\n…\n", OUTPUT))

    def test_an_output_that_matches_stays(self):
        shown = "step.txt\n…\n  heap       …\n  …\n    7.00MiB  mlp\n…\n"
        self.assertEqual(shown, self.refreshed(shown, OUTPUT))

    def test_a_new_first_line_is_shown(self):
        self.assertEqual("step.txt\n  does not fit: 1.00MiB too large\n"
                         "  total      11.00MiB: parameters 1.50MiB, temp 9.50MiB\n…\n",
                         self.refreshed("step.txt\n  total      11.00MiB: parameters 1.50MiB, temp 9.50MiB\n…\n",
                                        OUTPUT.replace("step.txt\n", "step.txt\n  does not fit: 1.00MiB too large\n")))

    def test_many_new_lines_are_left_out(self):
        self.assertEqual("…\n  heap       9.50MiB of temp\n…\n  by scope\n…\n",
                         self.refreshed("…\n  heap       9.00MiB of temp\n  by scope\n…\n",
                                        OUTPUT.replace("  by scope", "  a\n  b\n  c\n  d\n  by scope")))

    def test_a_line_that_is_gone(self):
        self.assertEqual("step.txt\n…\n    2.00MiB  attention\n",
                         self.refreshed("step.txt\n…\n  warning: nothing is donated\n…\n    2.00MiB  attention\n", OUTPUT,
                                        ["  warning: nothing is donated"]))

    def test_parts_of_a_line_stay_left_out(self):
        self.assertEqual("4 devices in … s, all of them equal\n",
                         self.refreshed("4 devices in … s, all equal\n", "4 devices in 0.25 s, all of them equal\n"))
        self.assertEqual("  largest  gemm_fusion_dot.9, jit(st…\n",
                         self.refreshed("  largest  gemm_fusion_dot.7, jit(st…\n",
                                        "  largest  gemm_fusion_dot.9, jit(step)/transpose(jvp())/dot_general\n"))

    def test_order_is_kept(self):
        self.assertEqual("…\n    7.00MiB  mlp\n    2.00MiB  attention\n",
                         self.refreshed("…\n    6.00MiB  mlp\n    3.00MiB  attention\n", OUTPUT))


class BlocksTest(unittest.TestCase):

    def run_blocks(self, text, update):
        problems = []
        with tempfile.TemporaryDirectory() as folder:
            now = console_blocks.refreshed(text, "/bin/echo", folder, problems, update)
        return now, problems

    def test_commands_of_one_document_share_a_folder(self):
        text = "```console\n$ halo one > file\n$ cat file\none\n```\n"
        self.assertEqual((text, []), self.run_blocks(text, False))

    def test_a_wrong_output_is_found_and_updated(self):
        self.assertEqual("```console\n$ halo one two\none two\n```\n",
                         self.run_blocks("```console\n$ halo one two\none three\n```\n", False)[0])
        part = "```console\n$ halo size 3 of 4\n…size 2 of 4\n```\n"
        self.assertEqual(1, len(self.run_blocks(part, False)[1]))
        now, problems = self.run_blocks(part, True)
        self.assertEqual([], problems)
        self.assertEqual(self.run_blocks(now, False), (now, []))

    def test_times_are_not_run(self):
        text = "```console\n$ halo run --profile\n  3.2 ms\n```\n"
        self.assertEqual((text, []), self.run_blocks(text, True))

    def test_other_blocks_are_left_alone(self):
        text = "```\n$ halo one\ntwo\n```\n\n    $ halo one\n    two\n"
        self.assertEqual((text, []), self.run_blocks(text, True))
        self.assertEqual([], console_blocks.commands(text))


if __name__ == "__main__":
    unittest.main()
