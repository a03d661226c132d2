#!/usr/bin/env python3
"""Tests check_folders.py on small declarations and trees."""

import pathlib
import subprocess
import tempfile
import unittest

import check_folders


class DeclaredTest(unittest.TestCase):

    def test_types_and_functions_of_the_namespace(self):
        types, functions = check_folders.declared("""
            namespace halo {
            class A final : public B { void Inner(); struct Nested {}; };
            enum class Kind : uint8_t { kOne };
            using Ids = std::vector<int>;
            class Forward;
            template <class T> std::vector<T> Make(const T& from);
            inline bool Is(Kind kind) { return Other(kind); }
            namespace detail { class Hidden {}; }
            }
            class Outside {};
            """)
        self.assertEqual({"A", "Kind", "Ids"}, types)
        self.assertEqual(["Make", "Is"], [name for name, _ in functions])


class CheckTest(unittest.TestCase):

    def problems(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text)
            subprocess.run(["git", "init", "-q", str(root)], check=True)
            return check_folders.check(root)[0]

    def test_nothing_wrong(self):
        self.assertEqual([], self.problems({
            "halo/ir/a.h": "namespace halo { enum class A {}; const char* TextOf(A a); }",
            "halo/text/b.h": "namespace halo { enum class B {}; const char* TextOf(B b); class A; }",
        }))

    def test_a_full_folder(self):
        found = self.problems({f"halo/ir/f{i}.cc": "" for i in range(31)})
        self.assertEqual(["halo/ir: 31 files directly in it, at most 30 may be"], found)

    def test_headers_of_one_name(self):
        found = self.problems({"halo/ir/a.h": "", "halo/text/a.h": ""})
        self.assertEqual(["a.h: the base name of 2 headers: halo/ir/a.h, halo/text/a.h"], found)

    def test_public_headers_are_a_name_space_of_their_own(self):
        public = "namespace halo { HALO_V0_BEGIN struct Op { int x; }; HALO_EXPORT int CountOf(int i); HALO_V0_END }"
        internal = "namespace halo { struct Op { int x; }; int CountOf(int i); }"
        self.assertEqual([], self.problems({"include/haloscope/a.h": public, "halo/ir/a.h": internal}))
        found = self.problems({"include/haloscope/a.h": public, "include/haloscope/b.h": public})
        self.assertEqual(2, len(found), found)

    def test_names_declared_twice(self):
        found = self.problems({
            "halo/ir/a.h": "namespace halo { struct Op { int x; }; int CountOf(int i); }",
            "halo/text/b.h": "namespace halo { enum class Op { kA }; int CountOf(long i); }",
        })
        self.assertEqual(["halo::CountOf: a function of this name in halo/ir/a.h, halo/text/b.h",
                          "halo::Op: a type of this name in halo/ir/a.h, halo/text/b.h"], found)

    def test_names_local_to_two_files_of_a_folder(self):
        one = "namespace halo {\nnamespace {\nconstexpr int kMost = 3;\nbool Is(int i) { return i; }\n}\n}\n"
        found = self.problems({"halo/ir/a.cc": one, "halo/ir/b.cc": one, "halo/text/c.cc": one,
                               "halo/ir/a_test.cc": one, "halo/ir/a_fuzz.cc": one})
        self.assertEqual(["halo/ir: Is(int) is local to 2 files: halo/ir/a.cc, halo/ir/b.cc",
                          "halo/ir: kMost is local to 2 files: halo/ir/a.cc, halo/ir/b.cc"], found)
        overload = "namespace halo {\nnamespace {\nbool Is(const A& a) { return a; }\n}\n}\n"
        self.assertEqual([], self.problems({"halo/ir/a.cc": one, "halo/ir/b.cc": overload}))


if __name__ == "__main__":
    unittest.main()
