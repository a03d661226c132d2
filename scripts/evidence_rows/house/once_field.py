"""Measures the effort of adding a field to a result. Applies a stored patch that adds one to what `halo memory` lists
(`steps_live`) to a copy of the tree, builds that, and asks for the field in every way in which a user sees results. Its value
is compared with what the positions beside it say."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT, enough
from patched_tree import PatchedTree, tracked_files
from small_parquet import read_table
from subject import tree

ORDER = 63
QUICK_SECONDS = 1
WHAT = "a stored patch that adds a field to what `halo memory` lists, built and asked for in nine ways"
BAR = ("the patch applies, touches at most 2 files and adds at most 6 lines; the field is then in JSON, its schema, the tables of the "
       "documents, C++, Python, TypeScript, MCP (schema and rows) and `halo scan`, with the right value wherever there is one")
QUICK_BAR = "the patch applies, touches at most 2 files and adds at most 6 lines; nothing is built"
LEAST = {"lines": 3, "ways": 9}
QUICK_LEAST = {"lines": 3}
MOST_FILES, MOST_LINES = 2, 6
FIELD = "steps_live"
PATCHED = PatchedTree("tests/house/Inputs/add_field.patch", "once-field", ["-DHALO_ENGINE=OFF"])
MODULE = ROOT / "examples/cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt"
PROGRAM = """#include <cstdio>
#include <haloscope/haloscope.h>
int main(int, char** argv) {
  const halo::MemoryResult memory = halo::Memory(halo::OpenPath(argv[1]));
  for (const halo::LiveValue& each : *memory.largest) {
    std::printf("%s %lld\\n", each.name.c_str(), static_cast<long long>(each.steps_live));
  }
}
"""


class Asked:
    """The patched build and what it says; each method returns {name: value of the field}, or whether the field is there."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.build = PATCHED.copy / "build/release"
        self.document = json.loads(self.halo("memory", MODULE, "--json", "--top", "100000"))
        self.right = {each["name"]: each["to"] - each["from"] + 1 for each in self.document["largest"]}

    def halo(self, *arguments):
        return subprocess.run([str(self.build / "halo"), *map(str, arguments)], capture_output=True, text=True, check=True).stdout

    def in_json(self):
        return {each["name"]: each[FIELD] for each in self.document["largest"]}

    def in_schema(self):
        self.halo("describe", "--schemas", self.folder)
        schema = json.loads((self.folder / f"{self.document['schema']}.json").read_text(encoding="utf-8"))
        return schema["properties"]["largest"]["items"]["properties"][FIELD]["type"] == "integer"

    def in_documents(self):
        return f"| `largest[].{FIELD}` | int |" in self.halo("describe", "memory", "--markdown")

    def in_cpp(self):
        source, program = self.folder / "ask.cc", self.folder / "ask"
        source.write_text(PROGRAM, encoding="utf-8")
        subprocess.run(["clang++-19", "-std=c++20", "-I", PATCHED.copy / "include", source, "-L", self.build, "-lhaloscope", f"-Wl,-rpath,{self.build}",
                        "-o", program], check=True)
        text = subprocess.run([program, MODULE], capture_output=True, text=True, check=True).stdout
        return {name: int(value) for name, value in (line.rsplit(" ", 1) for line in text.splitlines())}

    def in_python(self):
        package = self.folder / "haloscope"
        package.mkdir()
        for path in (PATCHED.copy / "python/src/haloscope").iterdir():
            (package / path.name).write_bytes(path.read_bytes())
        (package / "_documents.py").write_text(self.halo("describe", "--python"), encoding="utf-8")
        code = (f"import haloscope as hs, json; m = hs.memory({str(MODULE)!r}, top=100000);"
                f"print(json.dumps({{each.name: each.{FIELD} for each in m.largest}}));"
                f"assert '{FIELD}' in type(m.largest[0]).__annotations__")
        environment = dict(os.environ, PYTHONPATH=str(self.folder), HALOSCOPE_LIBRARY=str(self.build / "libhaloscope.so"))
        return json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout)

    def in_typescript(self):
        text = self.halo("describe", "--typescript")
        begin = text.index("export interface LiveValue {")
        return f"  {FIELD}: number;" in text[begin:text.index("\n}", begin)]

    def mcp(self, method, parameters):
        messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
                     "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "row", "version": "1"}}},
                    {"jsonrpc": "2.0", "method": "notifications/initialized"}, {"jsonrpc": "2.0", "id": 2, "method": method, "params": parameters}]
        done = subprocess.run([str(self.build / "halo"), "mcp", "--root", str(MODULE.parent)], input="".join(json.dumps(each) + "\n" for each in messages),
                              capture_output=True, text=True, check=False)
        return next(each["result"] for each in map(json.loads, done.stdout.splitlines()) if each.get("id") == 2)

    def in_mcp_schema(self):
        tool = next(each for each in self.mcp("tools/list", {})["tools"] if each["name"] == "memory")
        return FIELD in tool["outputSchema"]["properties"]["rows"]["items"]["properties"]

    def in_mcp_rows(self):
        answer = self.mcp("tools/call", {"name": "memory", "arguments": {"program": MODULE.name, "rows": "values"}})
        rows = answer["structuredContent"]["rows"]
        return {each["name"]: each[FIELD] for each in rows} if len(rows) >= 5 else False

    def in_scan(self):
        self.halo("scan", MODULE, "--to", self.folder / "dataset")
        rows = read_table(self.folder / "dataset", "buffers")
        # Similar values share a row, which shows the largest of them.
        return {each["name"]: each[FIELD] for each in rows if each["count"] == 1}


def right(asked, value):
    """Whether an answer is there and agrees with the positions beside it."""
    if isinstance(value, bool):
        return value
    return len(value) >= 5 and all(asked.right[name] == each for name, each in value.items())


def measure(quick):
    root = tree(ROOT, tracked_files(ROOT), PATCHED.plant)
    touched, lines = PATCHED.touched(), PATCHED.added_lines()
    problem = PATCHED.apply(root, "--check")
    if problem:
        print(f"  {problem.strip()}")
    held = not problem and len(touched) <= MOST_FILES and lines <= MOST_LINES
    figure = f"{lines} lines in {len(touched)} files; the patch {'does not apply' if problem else 'applies'}"
    if quick or problem:
        return held and enough(QUICK_LEAST, {"lines": lines}), figure
    PATCHED.make()
    PATCHED.build("halo", "haloscope")
    with tempfile.TemporaryDirectory() as folder:
        asked = Asked(folder)
        ways = {name[3:].replace("_", " "): right(asked, getattr(asked, name)()) for name in dir(Asked) if name.startswith("in_")}
    for name, found in ways.items():
        print(f"  {name}: {'as expected' if found else 'NOT as expected'}")
    return (held and all(ways.values()) and enough(LEAST, {"lines": lines, "ways": len(ways)}),
            f"{figure}; built, {sum(ways.values())} of {len(ways)} ways as expected")
