#!/usr/bin/env python3
"""Tests of scripts/setup: the groups it lists, what it refuses, and that no other file keeps its own list."""

import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


def setup(*arguments):
    return subprocess.run(["bash", str(ROOT / "scripts/setup"), *arguments], capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL)


def listed(*groups):
    return setup("--list", *groups).stdout.split()


class SetupTest(unittest.TestCase):

    def test_default_groups(self):
        self.assertEqual(listed("build", "engine", "test", "dev"), listed())
        for package in ("clang-19", "llvm-19-dev", "libdnnl-dev", "libhwy-dev", "libgtest-dev", "clang-format-19"):
            self.assertIn(package, listed())

    def test_groups_are_disjoint_and_complete(self):
        groups = ("build", "engine", "test", "dev", "viewer", "editor")
        parts = [package for group in groups for package in listed(group)]
        self.assertEqual(sorted(parts), sorted(listed("all")))
        self.assertEqual(len(parts), len(set(parts)))
        self.assertGreaterEqual(len(parts), 30)

    def test_unknown_group_and_option(self):
        for argument in ("nothing", "--nothing"):
            run = setup("--list", argument)
            self.assertEqual(2, run.returncode)
            self.assertIn("nothing", run.stderr)
            self.assertEqual("", run.stdout)

    def test_ci_takes_the_list_from_here(self):
        text = (ROOT / ".ci/run").read_text(encoding="utf-8")
        groups = re.search(r"^step packages -- scripts/setup ([a-z ]+)$", text, re.MULTILINE)
        self.assertTrue(groups)
        self.assertEqual(set(listed("all")) - set(listed("editor")), set(listed(*groups[1].split())))
        self.assertNotIn("apt-get", text)


if __name__ == "__main__":
    unittest.main()
