"""Checks that docs/json.md matches the commands' JSON: every printed field must be documented with its type, every
document must be valid by its schema, and docs/schemas must be what docs/json.md generates."""

import copy
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import json_schemas  # noqa: E402

try:
    import jsonschema
except ImportError:
    venv = ROOT / "build/venv"
    if __name__ == "__main__" and (venv / "bin/python").exists() and pathlib.Path(sys.prefix).resolve() != venv.resolve():
        os.execv(venv / "bin/python", [str(venv / "bin/python"), *sys.argv])  # the environment of scripts/venv
    jsonschema = None

HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
EXAMPLES = ROOT / "examples"
CPU = EXAMPLES / "cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt"
SMALL = ROOT / "tests/run/devices/compare_ranks.hlo"  # for unoptimised builds too
GPU = EXAMPLES / "h100x4_fsdp_mlp_train/module_0001.jit_fsdp_mlp_train.sm_9.0a_gpu_after_optimizations.txt"
TPU = EXAMPLES / "v5e_2x2_fsdp_mlp_train/module_0000.jit_fsdp_mlp_train.cl_1003875606.after_optimizations.txt"
BROKEN = EXAMPLES / "broken.hlo"
CLASS_ROW = re.compile(r'^HALO_FILE_ROLE\(\w+, "([^"]+)"', re.MULTILINE)


def beside(path, ending):
    return path.with_name(path.stem + ending)


COMMANDS = {
    "halo.info.v1": [["info", CPU, GPU, TPU, BROKEN, CPU.with_suffix(".hlo.pb"), beside(CPU, "-buffer-assignment.txt"),
                      beside(GPU, "-live-range.txt"), beside(CPU, "-memory-usage-report.txt")]],
    "halo.check.v1": [["check", CPU, BROKEN, beside(CPU, "-buffer-assignment.txt")], ["check", EXAMPLES],
                      ["check", "no-such-file"]],
    "halo.rules.v1": [["check", "--rules"]],
    "halo.memory.v1": [["memory", GPU, "--device", "h100", "--check", "--advice"], ["memory", CPU],
                       ["memory", TPU, "--repack", "--seconds", "0.05"], ["memory", CPU, "--plan", "--by", "source"],
                       ["memory", CPU, "--drop-alias"]],
    "halo.passes.v1": [["passes", EXAMPLES / "cpu_mlp_train"],
                       ["passes", EXAMPLES / "cpu_mlp_train", "--follow", "reduce_multiply_fusion"],
                       ["passes", EXAMPLES / "cpu_mlp_train", "--follow", "no-such-instruction"]],
    "halo.passdiff.v1": [["diff", "--passes", EXAMPLES / "cpu_mlp_train", EXAMPLES / "cpu_mlp_train"],
                         ["diff", "--passes", EXAMPLES / "cpu_mlp_train", EXAMPLES / "h100x4_fsdp_mlp_train"]],
    "halo.numbers.v1": [["diff", SMALL, SMALL, "--run"], ["diff", SMALL, BROKEN, "--run"],
                        ["diff", ROOT / "tests/cli/Inputs/two_programs/before.txt",
                         ROOT / "tests/cli/Inputs/two_programs/after.txt", "--run"]],
    "halo.brokenpass.v1": [["passes", EXAMPLES / "cpu_mlp_train", "--run"]],
    "halo.time.v1": [["time", GPU], ["time", GPU, "--data-parallel", "8"], ["time", CPU], ["time", TPU, "--device", "v5e"],
                     ["time", CPU, "--profile", ROOT / "tests/cli/Inputs/cpu_mlp_train_ops.csv"]],
    "halo.ls.v1": [["ls", EXAMPLES], ["ls", EXAMPLES, "--files"], ["ls", EXAMPLES / "cpu_mlp_train"]],
    "halo.run.v1": [["run", CPU, "--random", "1", "--engine", "reference", "--find-nan", "--trace", "dot*"],
                    ["run", CPU, "--random", "1", "--inputs-only"], ["run", BROKEN, "--random", "1"]],
    "halo.compare.v1": [["compare", SMALL, "--ranks", "--random", "1", "--engine", "reference"],
                        ["compare", "no-such-file", "--ranks"]],
    "halo.ranks.v1": [["diff", "--ranks", ROOT / "docs/guides/dumps/two_ranks"]],
    "halo.recompiles.v1": [["diff", "--recompiles", ROOT / "docs/guides/dumps/recompiles/run.tar.gz"]],
    "halo.snapshot.v1": [["snapshot", CPU], ["snapshot", GPU], ["snapshot", TPU]],
    "halo.gate.v1": [["diff", CPU, GPU, "--fail-on", "peak>+1%,time>+3%,new:all-gather,changed"],
                     ["diff", CPU, CPU, "--markdown"]],
    "halo.diff.v1": [["diff", CPU, GPU], ["diff", CPU, CPU], ["diff", CPU, BROKEN]],
    "halo.shrink.v1": [["shrink", CPU, "--to", "16KiB"], ["shrink", BROKEN, "--to", "1MB"]],
    "halo.pack.v1": [["pack", EXAMPLES / "cpu_mlp_train", "--steps", "10", "--capacity", "1"],
                     ["pack", "no-such-file"]],
    "halo.fmt.v1": [["fmt", CPU, BROKEN], ["fmt", "--check", "--style=short", CPU]],
    "halo.convert.v1": [["convert", CPU], ["convert", BROKEN, "--to", "text"]],
    "halo.lsp.v1": [["lsp"]],
    "halo.ask.v1": [["ask", "overview", EXAMPLES / "cpu_mlp_train"], ["ask", "nonsense", CPU]],
    "halo.error.v1": [["memory", "no-such-file"], ["ls", "no-such-folder"], ["ask", "overview", "no-such-file"],
                      ["info"], ["info", "--no-such-option"], ["no-such-command"], ["memory", BROKEN],
                      ["convert", CPU, "-o", "x.unknown"], ["report", "no-such-folder"], ["view", "no-such-folder"],
                      ["mcp", "--root", "no-such-folder"],
                      ["fmt", CPU, "-o", "/no/such/folder/x.txt"]],
}


def documents(schema):
    """Yields what the commands of a schema print, each as an object. Raises if one does not print exactly one."""
    for command in COMMANDS.get(schema, ()):
        done = subprocess.run([HALO, *map(str, command), "--json"], capture_output=True, check=False)
        answer = json.loads(done.stdout)
        if answer["schema"] != schema:
            raise AssertionError(f"{command}: {answer['schema']} instead of {schema}")
        yield answer


def type_of(value):
    return {dict: "object", list: "list", str: "string", bool: "bool", int: "int", float: "number",
            type(None): "null"}[type(value)]


def undocumented(value, node, path=""):
    """Yields the paths of fields that the tree of documented fields lacks, or has with another type."""
    if node.element is not None and isinstance(value, list):
        for each in value:
            yield from undocumented(each, node.element, path + "[]")
    elif node.value is not None and isinstance(value, dict):
        for key, each in value.items():
            yield from undocumented(each, node.value, f"{path}.{key}")
    elif isinstance(value, dict) and (not node.types or "object" in node.types):
        for key, each in value.items():
            inner = f"{path}.{key}" if path else key
            if key in node.fields:
                yield from undocumented(each, node.fields[key], inner)
            else:
                yield inner
    elif not (type_of(value) in node.types or (type_of(value) == "int" and "number" in node.types)):
        yield f"{path} ({type_of(value)})"


class JsonDocs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.text = json_schemas.TABLES.read_text(encoding="utf-8")
        cls.sections = json_schemas.rows(cls.text)
        cls.schemas = json_schemas.schemas(cls.text)
        cls.folder = tempfile.TemporaryDirectory()
        COMMANDS["halo.scan.v1"] = [["scan", EXAMPLES, "--to", pathlib.Path(cls.folder.name) / "dataset"]]
        if subprocess.run([HALO, "compile", "--help"], capture_output=True, check=False).returncode == 0:
            COMMANDS["halo.compile.v1"] = [["compile", CPU, "--dump-to", cls.folder.name], ["compile", "no-such-file"]]
        # With sanitizers, compiling what a calibration runs takes minutes.
        if "halo.compile.v1" in COMMANDS and os.environ.get("HALO_SANITIZED", "0") == "0":
            COMMANDS["halo.machine.v1"] = [["time", "--calibrate", pathlib.Path(cls.folder.name) / "cpu.json", "--threads", "1"]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_schemas_are_generated(self):
        done = subprocess.run([sys.executable, str(ROOT / "scripts/json_schemas.py"), "--check"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)

    def test_every_field_is_described(self):
        for schema in COMMANDS:
            tree = json_schemas.tree_of(schema, self.sections)
            for answer in documents(schema):
                if schema == "halo.ask.v1":  # the other fields are those of viewer/protocol.md
                    answer = {key: each for key, each in answer.items() if key in tree.fields}
                self.assertEqual([], list(undocumented(answer, tree)), schema)

    def test_documents_are_valid(self):
        if jsonschema is None:
            self.skipTest("jsonschema is not installed; run scripts/venv")
        for name, schema in self.schemas.items():
            jsonschema.Draft202012Validator.check_schema(schema)
            for answer in documents(name):
                jsonschema.Draft202012Validator(schema).validate(answer)

    def test_schemas_reject_damaged_documents(self):
        if jsonschema is None:
            self.skipTest("jsonschema is not installed; run scripts/venv")
        for name in ("halo.check.v1", "halo.fmt.v1", "halo.error.v1"):
            validator = jsonschema.Draft202012Validator(self.schemas[name])
            good = next(documents(name))
            for key in self.schemas[name]["required"]:
                damaged = copy.deepcopy(good)
                del damaged[key]
                self.assertFalse(validator.is_valid(damaged), f"{name} without {key}")
            self.assertFalse(validator.is_valid(dict(good, diagnostics=[{"path": "x"}])))

    def test_the_test_sees_missing_fields(self):
        tree = json_schemas.tree_of("halo.memory.v1", self.sections)
        self.assertEqual(["no_such_field"], list(undocumented({"no_such_field": 1}, tree)))
        self.assertEqual(["peak.time (string)"], list(undocumented({"peak": {"time": "x"}}, tree)))
        self.assertEqual([], list(undocumented({"device_bytes_by_kind": {"temp": 1}}, tree)))

    def test_every_document_of_the_sources_is_described(self):
        found = set()
        for path in [*(ROOT / "halo").rglob("*.cc"), *(ROOT / "tools").rglob("*.cc")]:
            found |= set(re.findall(r'BeginJson\("([^"]+)"', path.read_text(encoding="utf-8")))
        self.assertEqual(found, set(self.schemas))

    def test_classes_are_listed(self):
        table = (ROOT / "halo/dump/file_roles.def").read_text(encoding="utf-8")
        for name in CLASS_ROW.findall(table):
            self.assertIn(f"| `{name}` |", self.text)


if __name__ == "__main__":
    unittest.main()
