#!/usr/bin/env python3
"""Tests scripts/setup (its groups, what it refuses, that no other file lists packages) and the parts of the evidence
row house-setup that parse documents and outputs."""

import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
for folder in ("house", "lib"):
    sys.path.insert(0, str(ROOT / "scripts/evidence_rows" / folder))
import house_setup  # noqa: E402

DOCUMENT = """# Contributing

```sh
not this
```

## Set up, build and test

On Debian 12:

```sh
scripts/setup            # installs packages
# a comment

cmake --workflow --preset release
```

```sh
nor this
```

## Style
"""
SUMMARY = """
98% tests passed, 2 tests failed out of 700

The following tests did not run:
\t 12 - LibConvTest.Strided (Skipped)
\t 13 - devices.ranks4 (Skipped)

The following tests FAILED:
\t 20 - lit (Failed)
\t 21 - python.view_test (Timeout)
"""


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
        groups = ("build", "engine", "test", "dev", "package", "cluster", "viewer", "editor")
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
        self.assertEqual(set(listed("all")) - set(listed("editor", "package", "cluster")), set(listed(*groups[1].split())))
        self.assertNotIn("apt-get", text)
        self.assertNotIn("slurm-wlm", listed(*groups[1].split()))


class HouseSetupTest(unittest.TestCase):

    def test_documented_commands(self):
        self.assertEqual(["scripts/setup", "cmake --workflow --preset release"],
                         house_setup.documented_commands(DOCUMENT))
        self.assertEqual([], house_setup.documented_commands(DOCUMENT.replace("```sh", "```")))

    def test_our_commands_are_sound(self):
        commands = house_setup.documented_commands((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
        self.assertEqual([], house_setup.check_commands(commands))

    def test_broken_commands_are_found(self):
        for commands, why in (([], "0 commands"), (["scripts/setup"], "1 commands"),
                              (["apt-get install x", "cmake --workflow --preset release"], "is not scripts/setup"),
                              (["scripts/setup", "cmake --workflow --preset gone"], "no workflow preset gone"),
                              (["scripts/setup", "make"], "no documented command runs")):
            self.assertIn(why, "\n".join(house_setup.check_commands(commands)))

    def test_summary(self):
        self.assertEqual((696, 2), house_setup.test_summary(SUMMARY))
        self.assertEqual((0, 0), house_setup.test_summary("ninja: build stopped: subcommand failed.\n"))
        self.assertEqual((1000, 0), house_setup.test_summary("100% tests passed, 0 tests failed out of 1000\n"))


if __name__ == "__main__":
    unittest.main()
