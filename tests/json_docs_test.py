"""Checks what the commands print against the descriptions of results: every document must be valid by its schema and have
no field that it lacks, every field that may be absent must be printed by one of the commands, and docs/json.md must have
the table of every document."""

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
PAGE = ROOT / "docs/json.md"
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
                      ["check", ROOT / "halo/semantics/test/any_instruction.hlo"],
                      ["check", "no-such-file"]],
    "halo.rules.v2": [["check", "--rules"]],
    "halo.memory.v2": [["memory", GPU, "--device", "h100", "--check", "--advice"], ["memory", CPU], ["memory", TPU], ["memory", SMALL],
                       ["memory", TPU, "--repack", "--seconds", "0.05"], ["memory", CPU, "--plan", "--by", "source"],
                       ["memory", CPU, "--drop-alias"]],
    "halo.describe.v1": [["describe"], ["describe", "memory"]],
    "halo.passes.v1": [["passes", EXAMPLES / "cpu_mlp_train"],
                       ["passes", EXAMPLES / "cpu_mlp_train", "--follow", "reduce_multiply_fusion"],
                       ["passes", EXAMPLES / "cpu_mlp_train", "--follow", "no-such-instruction"]],
    "halo.passdiff.v1": [["diff", "--passes", EXAMPLES / "cpu_mlp_train", EXAMPLES / "cpu_mlp_train"],
                         ["diff", "--passes", EXAMPLES / "cpu_mlp_train", EXAMPLES / "h100x4_fsdp_mlp_train"]],
    "halo.numbers.v1": [["diff", SMALL, SMALL, "--run"], ["diff", SMALL, BROKEN, "--run"],
                        ["diff", ROOT / "tests/cli/Inputs/two_programs/before.txt",
                         ROOT / "tests/cli/Inputs/two_programs/after.txt", "--run"]],
    "halo.brokenpass.v1": [["passes", EXAMPLES / "cpu_mlp_train", "--run"]],
    "halo.time.v2": [["time", GPU], ["time", GPU, "--data-parallel", "8"], ["time", CPU], ["time", TPU, "--device", "v5e"],
                     ["time", CPU, "--profile", ROOT / "tests/cli/Inputs/cpu_mlp_train_ops.csv"]],
    "halo.ls.v1": [["ls", EXAMPLES], ["ls", EXAMPLES, "--files"], ["ls", EXAMPLES / "cpu_mlp_train"]],
    "halo.run.v2": [["run", CPU, "--random", "1", "--engine", "reference", "--find-nan", "--trace", "dot*"],
                    ["run", CPU, "--random", "1", "--inputs-only"], ["run", BROKEN, "--random", "1"]],
    "halo.compare.v1": [["compare", SMALL, "--ranks", "--random", "1", "--engine", "reference"],
                        ["compare", "no-such-file", "--ranks"]],
    "halo.ranks.v1": [["diff", "--ranks", ROOT / "docs/guides/dumps/two_ranks"]],
    "halo.recompiles.v1": [["diff", "--recompiles", ROOT / "docs/guides/dumps/recompiles/run.tar.gz"]],
    "halo.snapshot.v1": [["snapshot", CPU], ["snapshot", GPU], ["snapshot", TPU]],
    "halo.gate.v1": [["diff", CPU, GPU, "--fail-on", "peak>+1%,time>+3%,new:all-gather,changed"],
                     ["diff", CPU, CPU, "--markdown"]],
    "halo.diff.v2": [["diff", CPU, GPU], ["diff", CPU, CPU], ["diff", CPU, BROKEN]],
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


# Optional fields that none of these commands prints, because they need the compiled engine, several devices, a complex result, a
# pass that changes numbers, a dump of all passes or a command that refuses its input.
COMPLEX = {"worst.after_imag", "worst.before_imag"}
NOT_PRINTED = {
    "halo.brokenpass.v1": {"bad", "between", "between.agrees", "between.first", "between.first.worst", "between.results",
                           "between.results[].problem", "between.results[].worst", "between.values", "between.wrong", "checked[].why",
                           "confirmed", "good", "pass", "refused", "sandbox.why_not", "skipped"}
                          | {f"between.{part}.{each}" for part in ("first", "results[]") for each in COMPLEX},
    "halo.compare.v1": {"first_difference.different", "first_difference.index", "first_difference.leaf", "first_difference.op_name",
                        "first_difference.source", "first_difference.values", "first_divergence.leaf", "first_divergence.op_name",
                        "first_divergence.source", "not_compiled_because", "sandbox.why_not"},
    "halo.diff.v2": {"causes[].seconds", "peak.causes[].places[].because", "step.causes[].places[].after", "step.causes[].places[].before"},
    "halo.ls.v1": {"modules[].others[].looks_like", "modules[].others[].module", "modules[].others[].stage",
                   "modules[].stages[].files[].looks_like", "modules[].stages[].files[].module", "modules[].stages[].files[].stage",
                   "modules[].stages[].pass", "modules[].stages[].pipeline", "modules[].stages[].step", "other_files[].module",
                   "other_files[].stage"},
    "halo.machine.v1": {"figures[].source"},
    "halo.numbers.v1": {"results[].problem", "sandbox.why_not"} | {f"{part}.{each}" for part in ("first", "results[]") for each in COMPLEX},
    "halo.pack.v1": {"heaps[].unusable"},
    "halo.passdiff.v1": {"refused"},
    "halo.recompiles.v1": {"list[].rank", "list[].refused"},
    "halo.run.v2": {"checkpoint_step", "checkpoints_written", "collective_steps", "collectives_by_messages", "comparison",
                    "comparison.outputs[].problem", "comparison.outputs[].worst[].expected_imag", "comparison.outputs[].worst[].got_imag",
                    "compile_seconds", "damaged_cache_entries", "decisions", "gathered", "gathered[].parts", "gathered[].problem",
                    "gathered[].sharding", "kernel_steps", "kernels", "kernels_compiled", "library_steps", "machine_copy_bytes_per_second",
                    "machine_f32_flops_per_second", "not_cached_because", "not_compiled_because", "parameters[].gathered_from_shards",
                    "parameters[].path", "parameters[].sliced_by_sharding", "plan", "planned_bytes", "prepare_seconds", "profile",
                    "reference_steps", "references", "resumed_after_step", "run_seconds", "sandbox.why_not", "traced[].literal"},
    "halo.shrink.v1": {"refused"},
}


def fields(schema, path=""):
    """Yields (path, may be absent) of all fields of a schema."""
    if schema.get("type") == "array":
        yield from fields(schema["items"], path + "[]")
    elif "additionalProperties" in schema:
        yield from fields(schema["additionalProperties"], path + "{}")
    required = schema.get("required", ())
    for name, inner in schema.get("properties", {}).items():
        where = f"{path}.{name}" if path else name
        yield where, name not in required
        yield from fields(inner, where)


def printed(value, schema, path=""):
    """Yields the paths of the fields of a schema that a document has."""
    if isinstance(value, list):
        for each in value:
            yield from printed(each, schema.get("items", {}), path + "[]")
    elif isinstance(value, dict) and "additionalProperties" in schema:
        for each in value.values():
            yield from printed(each, schema["additionalProperties"], path + "{}")
    elif isinstance(value, dict):
        for name, inner in value.items():
            where = f"{path}.{name}" if path else name
            yield where
            yield from printed(inner, schema.get("properties", {}).get(name, {}), where)


def strict(schema):
    """The same schema, by which an object has no other members."""
    if isinstance(schema, list):
        return [strict(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(each) for key, each in schema.items()}
    if "properties" in made and "type" in made:
        made["additionalProperties"] = False
    return made


class JsonDocs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        scratch = pathlib.Path(cls.folder.name)
        (scratch / "schemas").mkdir()
        subprocess.run([HALO, "describe", "--schemas", scratch / "schemas"], check=True)
        cls.schemas = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (scratch / "schemas").iterdir()}
        COMMANDS["halo.scan.v1"] = [["scan", EXAMPLES, "--to", scratch / "dataset"]]
        if subprocess.run([HALO, "compile", "--help"], capture_output=True, check=False).returncode == 0:
            COMMANDS["halo.compile.v1"] = [["compile", CPU, "--dump-to", scratch / "compiled"], ["compile", "no-such-file"]]
        # With sanitizers, compiling what a calibration runs takes minutes.
        if "halo.compile.v1" in COMMANDS and os.environ.get("HALO_SANITIZED", "0") == "0":
            COMMANDS["halo.machine.v1"] = [["time", "--calibrate", scratch / "cpu.json", "--threads", "1"]]
        cls.documents = {schema: list(documents(schema)) for schema in COMMANDS}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def seen(self, name):
        return set().union(*(set(printed(answer, self.schemas[name])) for answer in self.documents[name]))

    def test_documents_are_valid(self):
        if jsonschema is None:
            self.skipTest("jsonschema is not installed; run scripts/venv")
        self.assertGreaterEqual(len(self.schemas), 30)
        for name, answers in self.documents.items():
            jsonschema.Draft202012Validator.check_schema(self.schemas[name])
            # The other fields of an answer are those of viewer/protocol.md.
            schema = self.schemas[name] if name == "halo.ask.v1" else strict(self.schemas[name])
            for answer in answers:
                jsonschema.Draft202012Validator(schema).validate(answer)

    def test_schemas_reject_damaged_documents(self):
        if jsonschema is None:
            self.skipTest("jsonschema is not installed; run scripts/venv")
        for name in ("halo.check.v1", "halo.fmt.v1", "halo.error.v1"):
            validator = jsonschema.Draft202012Validator(self.schemas[name])
            good = self.documents[name][0]
            for key in self.schemas[name]["required"]:
                damaged = copy.deepcopy(good)
                del damaged[key]
                self.assertFalse(validator.is_valid(damaged), f"{name} without {key}")
            self.assertFalse(validator.is_valid(dict(good, diagnostics=[{"path": "x"}])))

    def test_fields_that_may_be_absent_are_printed(self):
        missing = {}
        for name in self.documents:
            seen = self.seen(name)
            absent = {where for where, optional in fields(self.schemas[name]) if optional and where not in seen}
            # What every document has is printed by one of them.
            absent -= {where for where in absent if where.startswith(("inputs[].", "diagnostics[]."))}
            absent -= NOT_PRINTED.get(name, set())
            if absent:
                missing[name] = sorted(absent)
        self.assertEqual({}, missing)
        for name, left_out in NOT_PRINTED.items():
            self.assertEqual(set(), left_out - {where for where, optional in fields(self.schemas[name]) if optional}, name)

    def test_parts_of_every_document_are_printed(self):
        seen = set().union(*map(self.seen, self.documents))
        for name in ("path", "kind", "compression", "stored_bytes", "bytes", "found"):
            self.assertIn(f"inputs[].{name}", seen)
        for name in ("path", "code", "severity", "message", "line", "column", "offset", "computation", "instruction", "help"):
            self.assertIn(f"diagnostics[].{name}", seen)

    def test_the_test_sees_missing_fields(self):
        schema = {"type": "object", "required": ["a"], "properties": {
            "a": {"type": "array", "items": {"type": "object", "required": [], "properties": {"b": {"type": "string"}}}}}}
        self.assertEqual([("a", False), ("a[].b", True)], list(fields(schema)))
        self.assertIn("a[].b", set(printed({"a": [{"b": 1}]}, schema)))
        self.assertNotIn("a[].b", set(printed({"a": [{}]}, schema)))
        self.assertFalse(strict(schema)["additionalProperties"])

    def test_the_page_has_every_document(self):
        named = re.findall(r"^<!-- fields: (\S+) -->$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(sorted({*self.schemas, "parts"}), sorted(named))
        for name in named:
            done = subprocess.run([HALO, "describe", name, "--markdown"], capture_output=True, text=True, check=True)
            self.assertGreater(done.stdout.count("\n| `"), 1 if name == "parts" else 0, name)

    def test_classes_are_listed(self):
        table = (ROOT / "halo/dump/file_roles.def").read_text(encoding="utf-8")
        for name in CLASS_ROW.findall(table):
            self.assertIn(f"| `{name}` |", PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
