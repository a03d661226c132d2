"""Checks that the commands in README.md and the guides print the output shown there."""

import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent


class Guides(unittest.TestCase):
    def test_commands_print_what_is_written(self):
        halo = os.environ.get("HALO") or str(ROOT / "build/release/halo")
        done = subprocess.run([sys.executable, ROOT / "scripts/console_blocks.py", "--halo", halo], capture_output=True,
                              text=True, check=False)
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
