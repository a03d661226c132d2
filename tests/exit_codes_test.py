"""Checks every command's exit codes against docs/exit_codes.md: 0 done, 1 done with a negative result, 2 not done."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
RUN = ["--random", "1", "--engine", "reference"]
GOOD = """HloModule f

ENTRY e {
  p = f32[4]{0} parameter(0)
  ROOT r = f32[4]{0} add(p, p)
}
"""
FILES = {
    "dump/module_0000.jit_f.before_optimizations.txt": GOOD,
    "good.hlo": GOOD,
    "nan.hlo": GOOD.replace("add(p, p)", "log(c)").replace("  ROOT", "  c = f32[4]{0} constant({-1,-1,-1,-1})\n  ROOT"),
    "broken.hlo": "HloModule f\nENTRY e { ROOT r = f32[4]{0} negate(missing) }\n",
    "buffers.csv": "id,lower,upper,size\na,0,2,64\nb,1,3,64\n",
    "notes.txt": "Dear diary,\n",
    "nothing": "",
    "page.html": "<html><!--halo:data--><!--/halo:data--></html>",
    "empty/notes.txt": "Dear diary,\n",
}
CASES = {
    "ls": {0: [["dump"]], 2: [["missing"], ["dump", "--module", "nonsense"], ["--nonsense"]]},
    "info": {0: [["good.hlo"], ["dump"]], 1: [["broken.hlo"]],
             2: [["missing"], ["empty"], ["broken.hlo", "missing"], ["good.hlo", "--nonsense"], [], ["notes.txt"],
                 ["good.hlo", "nothing"]]},
    "fmt": {0: [["good.hlo"], ["--check", "good.hlo"]], 1: [["--check", "--style=long", "good.hlo"]],
            2: [["broken.hlo"], ["missing"], ["good.hlo", "-o", "missing/x.txt"], ["notes.txt"]]},
    "convert": {0: [["good.hlo"], ["good.hlo", "-o", "x.pb"]],
                2: [["broken.hlo"], ["missing"], ["good.hlo", "-o", "x.nonsense"], ["good.hlo", "-o", "missing/x.pb"]]},
    "check": {0: [["good.hlo"], ["dump"]], 1: [["broken.hlo"], ["good.hlo", "broken.hlo"], ["."]],
              2: [["missing"], ["broken.hlo", "missing"], ["empty"], ["notes.txt"], []]},
    "memory": {0: [["good.hlo"]], 1: [["good.hlo", "--capacity", "1"]], 2: [["broken.hlo"], ["missing"], ["empty"]]},
    "pack": {0: [["buffers.csv"]], 1: [["buffers.csv", "--capacity", "1"]],
             2: [["missing"], ["good.hlo"], ["buffers.csv", "-o", "missing/x.csv"]]},
    "run": {0: [["good.hlo", *RUN]], 1: [["nan.hlo", *RUN, "--find-nan"]],
            2: [["broken.hlo", *RUN], ["missing", *RUN], ["good.hlo", "--engine", "reference"],
                ["good.hlo", *RUN, "-o", "missing/x.npz"]]},
    "compare": {0: [["good.hlo", "--ranks", "--devices", "2", *RUN]],
                2: [["broken.hlo", "--ranks", *RUN], ["missing", "--ranks", *RUN], ["good.hlo", *RUN]]},
    "compile": {0: [["good.hlo"]], 2: [["broken.hlo"], ["missing"], ["good.hlo", "--dump-to", "good.hlo"]]},
    "ask": {0: [["overview", "good.hlo"], ["overview", "dump"]],
            2: [["nonsense", "good.hlo"], ["overview", "missing"], ["{", "good.hlo"], ["overview"]]},
    "diff": {0: [["good.hlo", "good.hlo"], ["--ranks", "dump"], ["--recompiles", "dump"]], 1: [["good.hlo", "nan.hlo"]],
             2: [["good.hlo"], ["good.hlo", "missing"], ["broken.hlo", "good.hlo"],
                 ["good.hlo", "good.hlo", "--fail-on", "peek>1"], ["--ranks", "missing"], ["--ranks", "empty"],
                 ["--recompiles", "empty"]]},
    "snapshot": {0: [["good.hlo"], ["good.hlo", "-o", "x.halo.json"]],
                 2: [["broken.hlo"], ["missing"], ["good.hlo", "-o", "missing/x.json"], []]},
    "scan": {0: [["dump", "--to", "data"], ["dump", "--to", "data"]], 1: [["broken.hlo", "--to", "others"]],
             2: [["dump"], ["dump", "--to", "good.hlo"], ["dump", "--to", "data", "--shard", "1/2"],
                 ["dump", "--to", "data", "--shard", "0/2"]]},
    "shrink": {0: [["good.hlo", "--to", "1MiB"]],
               2: [["good.hlo"], ["broken.hlo", "--to", "1MiB"], ["good.hlo", "--to", "1MiB", "-o", "missing/x.txt"]]},
    "report": {0: [["dump", "--page", "page.html", "-o", "x.html"]],
               2: [["missing"], ["empty", "--page", "page.html", "-o", "x.html"], ["dump", "--page", "notes.txt"],
                   ["dump", "--page", "page.html", "-o", "missing/x.html"]]},
    "view": {2: [["missing"], ["dump", "--page", "notes.txt"], ["dump", "--module", "nonsense"]]},
    "mcp": {2: [["--root", "missing"], ["--root", "good.hlo"], ["--port", "99"], ["--http", "--port", "0"]]},
    "lsp": {2: [["--port", "1"]]},
}


class ExitCodes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name, text in FILES.items():
            path = pathlib.Path(cls.folder.name) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def halo(self, *arguments):
        return subprocess.run([HALO, *arguments], capture_output=True, cwd=self.folder.name, check=False)

    def commands(self):
        listed = self.halo("--help").stdout.decode()
        return [name for name in CASES if re.search(rf"^  {name}\b", listed, re.MULTILINE)]

    def test_exit_codes(self):
        for command in self.commands():
            for code, lines in CASES[command].items():
                for line in lines:
                    for extra in ([], ["--json"]):
                        done = self.halo(command, *line, *extra)
                        self.assertEqual(code, done.returncode, f"{command} {' '.join(line + extra)}\n{done.stderr}")
                        if extra:
                            document = json.loads(done.stdout)
                            self.assertTrue(code < 2 or document["diagnostics"], f"{command} {' '.join(line)}")

    def test_every_command_is_documented(self):
        table = (ROOT / "docs/exit_codes.md").read_text(encoding="utf-8")
        self.assertEqual(list(CASES), re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
        for command, codes in CASES.items():
            row = re.search(rf"^\| `{command}` \| ?(.*?) ?\|", table, re.MULTILINE)
            self.assertTrue(row[1] or 1 not in codes, f"{command}: the table does not say what 1 means")

    def test_wrong_usage(self):
        for line in ([], ["nonsense"], ["good.hlo"], ["--nonsense"]):
            self.assertEqual(2, self.halo(*line).returncode)


if __name__ == "__main__":
    unittest.main()
