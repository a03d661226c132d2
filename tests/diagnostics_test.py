"""Fails when a diagnostic code has no golden case.

A golden case is a CHECK line with the code in brackets, in a file below tests/ or a layer's test/ folder.
A diagnostic that no file of reasonable size can trigger (a module larger than 4 GiB) may instead be covered
by a unit test that contains the code's text.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^HALO_DIAGNOSTIC\((\w+), (Error|Warning), "([a-z0-9-]+)",', re.MULTILINE)
CHECKED = re.compile(r"^(?://|#|;)?\s*[A-Z][A-Z0-9_-]*:.*\[([a-z0-9-]+)\]\s*$", re.MULTILINE)
# Codes that a unit test may cover, and why no golden file can.
UNIT_TESTED = {"too-large": "takes a text of more than 4 GiB"}


def codes():
    tables = sorted((ROOT / "halo").rglob("*_diagnostics.def"))
    return [text for table in tables for _, _, text in ROW.findall(table.read_text())]


def golden_files():
    for top, patterns in ((ROOT / "tests", ("*.hlo", "*.test")), (ROOT / "halo", ("test/*.hlo", "test/*.test"))):
        for pattern in patterns:
            yield from top.rglob(pattern)


class DiagnosticsTest(unittest.TestCase):
    def test_codes_are_unique(self):
        self.assertEqual(len(codes()), len(set(codes())))
        self.assertGreaterEqual(len(codes()), 90)

    def test_every_code_has_a_golden_case(self):
        shown = set()
        for path in golden_files():
            shown.update(CHECKED.findall(path.read_text(errors="replace")))
        for code in UNIT_TESTED:
            if any(f'"{code}"' in path.read_text() for path in (ROOT / "halo").rglob("*_test.cc")):
                shown.add(code)
        self.assertEqual([], [code for code in codes() if code not in shown])


if __name__ == "__main__":
    unittest.main()
