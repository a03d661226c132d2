#!/usr/bin/env python3
"""Tests check_words.py on single lines and on small trees."""

import pathlib
import subprocess
import tempfile
import unittest

import check_words


def words_in(line, path="halo/ir/a.cc"):
    return [each.word.name for each in check_words.find(path, line)]


class FindTest(unittest.TestCase):

    def test_every_word_is_found_in_its_sample(self):
        for word in check_words.WORDS:
            self.assertIn(word.name, words_in(word.sample), word.sample)

    def test_identifiers(self):
        self.assertEqual(["room"], words_in("uint32_t room_of_ = 0;"))
        self.assertEqual(["flight"], words_in("std::map<int, Transfer> flights_;"))
        self.assertEqual(["lies"], words_in("bool as_it_lies = true;"))
        self.assertEqual(["stands"], words_in("TEST(A, AFileStandsForItsFolder) {"))
        self.assertEqual(["counting order"], words_in("ParseCountingOrder(scan, order);"))
        self.assertEqual(["question, answer (types)"], words_in("const RunAnswer& run"))
        self.assertEqual(["place (of a value)"], words_in("std::vector<Place> uses_;"))

    def test_ordinary_uses(self):
        for line in ("updates in place, a placeholder, placement", "there is room for one more", "standard, standalone",
                     "a stand-in for the call, RegisterStandIn(x)", "looks up the name; look at it", "in-flight, InFlight(op)",
                     "counting each buffer once", "the client earlier relied on it", "align-self: stretch;",
                     "answers the request; a question of style", "see xla_judge.py", "makeup, made from", "the known owner",
                     "meets the bound", "supposedly", "the columns come first"):
            self.assertEqual([], words_in(line), line)

    def test_position_and_name(self):
        found = check_words.find("halo/text/sieve.cc", "int a;\nint b;  // made up\n")
        self.assertEqual([(0, 11, "sieve"), (2, 12, "made up")], [(f.line, f.column, f.text) for f in found])
        self.assertEqual('halo/text/sieve.cc:2:12: "made up" (made up): write generated', check_words.describe(found[1]))


class CheckTest(unittest.TestCase):

    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, content in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_bytes(content)
            subprocess.run(["git", "init", "-q", str(root)], check=True)
            found, count = check_words.check(root)
            return [each.path for each in found], count

    def test_sources_are_checked(self):
        bad = b"// left to nobody\n"
        names = ("halo/a.cc", "docs/a.md", "scripts/a", "tests/a.hlo", "viewer/src/a.ts", "CMakeLists.txt", "examples/c/a.c")
        self.assertEqual((sorted(names), len(names)), self.check(dict.fromkeys(names, bad)))

    def test_data_is_not(self):
        bad = b"// left to nobody\n"
        names = ("examples/mlp/a.hlo", "tests/run/Inputs/a.hlo", "tests/fuzz/text/a", "docs/glossary.md", "viewer/package-lock.json")
        self.assertEqual(([], 0), self.check(dict.fromkeys(names, bad)))
        self.assertEqual(([], 0), self.check({"halo/a.bin": b"nobody\0", "halo/b.bin": b"nobody\xff"}))


if __name__ == "__main__":
    unittest.main()
