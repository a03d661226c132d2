"""Fails if a verifier rule has no golden case, or if the rules listed in docs/verifier.md differ from the actual ones.

A golden case is a CHECK line in halo/semantics/test that ends in the rule's label in brackets. A violation that text
cannot express, because the reader rejects it first, must have a unit test that names the label. `rules_test.py
--write` writes the list into the document."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = ROOT / "halo/semantics/rules/rules.def"
DOCUMENT = ROOT / "docs/verifier.md"
ROW = re.compile(r'^HALO_RULE\((\w+), (Error|Warning), "([a-z0-9-]+)", "(.*)"\)$', re.MULTILINE)
CHECKED = re.compile(r"^//\s*[A-Z][A-Z0-9_-]*:.*\[([a-z0-9-]+)\]\s*$", re.MULTILINE)
LIST = re.compile(r"(?<=<!-- rules -->\n).*?(?=<!-- end of rules -->)", re.DOTALL)


def rules():
    return ROW.findall(RULES.read_text())


def table():
    """Returns the list as printed in the document, grouped by the headings of rules.def."""
    lines = []
    for line in RULES.read_text().splitlines():
        heading = re.match(r"^// ([a-z].*)$", line)
        row = ROW.match(line)
        if heading and not heading[1].startswith("clang-format"):
            lines += ["", f"**{heading[1][0].upper()}{heading[1][1:]}**", "", "| rule | what to do |", "|---|---|"]
        elif row:
            mark = " (warning)" if row[2] == "Warning" else ""
            lines.append(f"| `{row[3]}`{mark} | {row[4]} |")
    return "\n".join(lines[1:]) + "\n"


class RulesTest(unittest.TestCase):
    def test_labels_are_unique(self):
        labels = [label for _, _, label, _ in rules()]
        self.assertEqual(len(labels), len(set(labels)))
        self.assertEqual(len(labels), RULES.read_text().count("\nHALO_RULE("))
        diagnostics = re.findall(r'"([a-z0-9-]+)",', "".join(
            path.read_text() for path in (ROOT / "halo").rglob("*_diagnostics.def")))
        self.assertGreaterEqual(len(diagnostics), 90)
        self.assertEqual([], sorted(set(labels) & set(diagnostics)))

    def test_every_rule_has_a_golden_case(self):
        shown = set()
        for path in (ROOT / "halo/semantics/test").iterdir():
            shown.update(CHECKED.findall(path.read_text()))
        units = "".join(path.read_text() for path in (ROOT / "halo/semantics").rglob("*_test.cc"))
        missing = [label for _, _, label, _ in rules() if label not in shown and f'"{label}"' not in units]
        self.assertEqual([], missing)

    def test_the_document_lists_the_rules(self):
        self.assertEqual(table(), LIST.search(DOCUMENT.read_text())[0])


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        text = DOCUMENT.read_text()
        DOCUMENT.write_text(LIST.sub(lambda _: table(), text))
    else:
        unittest.main()
