#!/usr/bin/env python3
"""Tests check_layers.py on small source trees."""

import pathlib
import re
import tempfile
import unittest

import check_layers

TABLE = """# Architecture
| folder | what it decides | may include |
|---|---|---|
| `halo/base` | values | std, zlib |
| `halo/ir` | the program | base |
| `halo/text` | text | ir |
| `halo/runtime` | devices | ir, MPI |
| `halo/api` | the facade | all above |
| `tools/` `python/` | front ends | api only (through its headers), fmt, CLI11 |
"""


class LayersTest(unittest.TestCase):

    def problems(self, files, table=TABLE, complete=True):
        """What the script finds; included files that a case does not write are made empty."""
        if complete:
            included = re.findall(r'#include "((?:halo|haloscope|tools)/[^"]+)"', "\n".join(files.values()))
            included = [re.sub(r"^haloscope/", "include/haloscope/", name) for name in included]
            files = {**dict.fromkeys(included, ""), **files}
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in {**files, "docs/ARCHITECTURE.md": table}.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            return check_layers.check(root)[1]

    def test_allowed(self):
        self.assertEqual([], self.problems({
            "halo/base/a.cc": '#include "halo/base/a.h"\n#include <zlib.h>\n#include <sys/mman.h>\n',
            "halo/text/b.cc": '#include <vector>\n#include "halo/base/a.h"\n',
            "halo/text/b_test.cc": '#include <gtest/gtest.h>\nvoid F() { try { G(); } catch (...) {} }',
            "halo/api/c.cc": '#include "halo/text/b.h"\n',
            "tools/halo/main.cc": '#include <CLI/CLI.hpp>\n#include "halo/api/c.h"\n'
                                  '#include "tools/halo/x.h"\nvoid F() { throw 1; }\n',
        }))

    def test_public_headers(self):
        table = TABLE + "| `include/haloscope` | the interface | std |\n| `halo/public` | the library | api, include/haloscope |\n"
        self.assertEqual([], self.problems({
            "include/haloscope/a.h": '#include <vector>\n#include "haloscope/b.h"\n',
            "halo/public/a.cc": '#include "haloscope/a.h"\n#include "halo/api/c.h"\nvoid F() { try { G(); } catch (...) {} }',
        }, table))
        found = self.problems({"include/haloscope/a.h": '#include "halo/base/a.h"\n',
                               "halo/api/c.cc": '#include "haloscope/a.h"\n'}, table)
        self.assertIn("halo/api may not include include/haloscope", found[0])
        self.assertIn("include/haloscope may not include halo/base", found[1])

    def test_upwards(self):
        self.assertEqual(["halo/ir/a.cc:2: halo/ir may not include halo/text: halo/text/b.h"],
                         self.problems({"halo/ir/a.cc": '\n#include "halo/text/b.h"\n'}))

    def test_missing_file(self):
        self.assertEqual(["halo/text/a.cc:1: no such file: halo/base/gone.h"],
                         self.problems({"halo/text/a.cc": '#include "halo/base/gone.h"\n'}, complete=False))

    def test_sideways(self):
        found = self.problems({"halo/text/a.cc": '#include "halo/runtime/b.h"\n'})
        self.assertIn("may not include halo/runtime", found[0])

    def test_tools_are_not_libraries(self):
        found = self.problems({"halo/api/a.cc": '#include "tools/halo/b.h"\n'})
        self.assertIn("may not include tools", found[0])

    def test_library(self):
        found = self.problems({"halo/ir/a.cc": "#include <fmt/format.h>\n"})
        self.assertIn("may not include fmt", found[0])

    def test_test_library_in_source(self):
        found = self.problems({"halo/ir/a.cc": "#include <gtest/gtest.h>\n"})
        self.assertIn("may not include gtest", found[0])

    def test_unknown_library(self):
        found = self.problems({"halo/ir/a.cc": "#include <boost/any.hpp>\n"})
        self.assertIn("belongs to no library", found[0])

    def test_relative_path(self):
        found = self.problems({"halo/ir/a.cc": '#include "module.h"\n'})
        self.assertIn("write paths from the root", found[0])

    def test_exceptions(self):
        found = self.problems({"halo/ir/a.cc": "// we never throw\nvoid F() {\n  throw 1;\n}\n"})
        self.assertEqual(["halo/ir/a.cc:3: `throw` in the core, which has no exceptions"], found)

    def test_exceptions_in_text_and_outside_the_core(self):
        self.assertEqual([], self.problems({
            "halo/ir/a.cc": 'const char* kA = "try it"; /* catch\n throw */ auto b = R"x(try)x";\n',
            "halo/runtime/b.cc": "void F() { throw 1; }\n",
        }))

    def test_folder_without_row(self):
        self.assertEqual(["halo/new/a.cc: in no folder of the table"],
                         self.problems({"halo/new/a.cc": ""}))

    def test_no_table(self):
        self.assertIn("no table", self.problems({}, "# Architecture\n")[0])

    def test_rows_that_reach_each_other(self):
        table = TABLE.replace("| values | std, zlib |", "| values | std, ir |")
        self.assertIn("rows reach each other: halo/base -> halo/ir -> halo/base", self.problems({}, table)[0])

    def test_unknown_name(self):
        table = TABLE.replace("| values | std, zlib |", "| values | std, nowhere |")
        self.assertIn("“nowhere”, which is neither", self.problems({}, table)[0])


SUB_FOLDERS = """# Architecture
| folder | what it decides | may include |
|---|---|---|
| `halo/base` | values | std |
| `halo/base/io` | files | base, zlib |
| `halo/memory` | assignments | base |
| `halo/memory/model` | what one says | base |
| `halo/memory/assign` | makes one | memory/model |
| `halo/memory/check` | proves one | memory/model; never memory/assign |
"""


class SubFoldersTest(LayersTest):

    def sub_problems(self, files, table=SUB_FOLDERS):
        return self.problems(files, table)

    def test_a_layer_is_all_of_its_folders(self):
        self.assertEqual([], self.sub_problems({
            "halo/memory/model/a.h": '#include "halo/base/io/file.h"\n',
            "halo/base/io/file.h": '#include "halo/base/ids.h"\n#include <zlib.h>\n',
        }))

    def test_a_sub_folder_is_only_itself(self):
        self.assertEqual(
            ["halo/memory/check/a.cc:1: halo/memory/check may not include halo/memory/assign: "
             "halo/memory/assign/b.h"],
            self.sub_problems({"halo/memory/check/a.cc": '#include "halo/memory/assign/b.h"\n'}))

    def test_a_parent_does_not_reach_its_sub_folders(self):
        found = self.sub_problems({"halo/base/a.cc": '#include "halo/base/io/file.h"\n'})
        self.assertIn("halo/base may not include halo/base/io", found[0])

    def test_tests_see_their_layer(self):
        self.assertEqual([], self.sub_problems(
            {"halo/memory/check/a_test.cc": '#include "halo/memory/assign/b.h"\n'}))
        found = self.sub_problems({"halo/base/io/a_test.cc": '#include "halo/memory/model/b.h"\n'})
        self.assertIn("may not include halo/memory/model", found[0])

    def test_never(self):
        table = SUB_FOLDERS.replace("| memory/model; never", "| memory/model, memory/assign; never")
        self.assertIn("`halo/memory/check` must never reach `halo/memory/assign`", self.sub_problems({}, table)[0])

    def test_no_further_than_the_layer(self):
        table = SUB_FOLDERS.replace("| assignments | base |", "| assignments | std |")
        self.assertIn("which the row of `halo/memory` does not", self.sub_problems({}, table)[0])


if __name__ == "__main__":
    unittest.main()
