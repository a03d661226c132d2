"""Checks that docs/json.md matches the commands' JSON: every printed field must be documented with its type."""

import json
import os
import pathlib
import re
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
EXAMPLES = ROOT / "examples"
CPU = EXAMPLES / "cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt"
GPU = EXAMPLES / "h100x4_fsdp_mlp_train/module_0001.jit_fsdp_mlp_train.sm_9.0a_gpu_after_optimizations.txt"
TPU = EXAMPLES / "v5e_2x2_fsdp_mlp_train/module_0000.jit_fsdp_mlp_train.cl_1003875606.after_optimizations.txt"
BROKEN = EXAMPLES / "broken.hlo"
ROW = re.compile(r"^\| `([^`]+)` \| ([a-z ]+) \|", re.MULTILINE)
CLASS_ROW = re.compile(r'^HALO_FILE_ROLE\(\w+, "([^"]+)"', re.MULTILINE)


def beside(path, ending):
    return path.with_name(path.stem + ending)


COMMANDS = {
    "halo.info.v1": [["info", CPU, GPU, TPU, BROKEN, CPU.with_suffix(".hlo.pb"), beside(CPU, "-buffer-assignment.txt"),
                      beside(GPU, "-live-range.txt"), beside(CPU, "-memory-usage-report.txt")]],
    "halo.check.v1": [["check", CPU, BROKEN, beside(CPU, "-buffer-assignment.txt")]],
    "halo.memory.v1": [["memory", GPU, "--device", "h100", "--check", "--advice"], ["memory", CPU],
                       ["memory", TPU, "--repack", "--seconds", "0.05"], ["memory", CPU, "--plan", "--by", "source"],
                       ["memory", CPU, "--drop-alias"]],
    "halo.ls.v1": [["ls", EXAMPLES], ["ls", EXAMPLES, "--files"], ["ls", EXAMPLES / "cpu_mlp_train"]],
}


def sections(text):
    """Returns the fields of each `## NAME` section of the document: {name: {path: set of types}}."""
    found = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, body = part.split("\n", 1)
        found[name.strip()] = {path: set(types.split(" or ")) for path, types in ROW.findall(body)}
    return found


def type_of(value):
    return {dict: "object", list: "list", str: "string", bool: "bool", int: "int", float: "number",
            type(None): "null"}[type(value)]


def fields(value, path=""):
    """Yields (path, type) of every leaf and of objects in lists."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from fields(each, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for each in value:
            if not isinstance(each, (dict, list)):
                yield path + "[]", type_of(each)
            else:
                yield from fields(each, path + "[]")
    else:
        yield path, type_of(value)


class JsonDocs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = (ROOT / "docs/json.md").read_text(encoding="utf-8")
        cls.sections = sections(cls.text)

    def documented(self, schema, path):
        own = {**self.sections["Parts of every document"], **self.sections[schema]}
        if path in own:
            return own[path]
        parent = path.rpartition(".")[0]
        return own.get(parent + "{}")

    def test_every_field_is_described(self):
        for schema, commands in COMMANDS.items():
            for command in commands:
                done = subprocess.run([HALO, *map(str, command), "--json"], capture_output=True, check=False)
                answer = json.loads(done.stdout)
                self.assertEqual(schema, answer["schema"])
                for path, kind in fields(answer):
                    types = self.documented(schema, path)
                    self.assertIsNotNone(types, f"{schema}: {path} is not in docs/json.md")
                    self.assertIn(kind, types, f"{schema}: {path}")

    def test_the_test_sees_missing_fields(self):
        self.assertIsNone(self.documented("halo.info.v1", "modules[].no_such_field"))
        self.assertEqual({"int"}, self.documented("halo.memory.v1", "device_bytes_by_kind.temp"))

    def test_classes_are_listed(self):
        table = (ROOT / "halo/dump/file_roles.def").read_text(encoding="utf-8")
        for name in CLASS_ROW.findall(table):
            self.assertIn(f"| `{name}` |", self.text)


if __name__ == "__main__":
    unittest.main()
