"""Tests the Python package with the standard library alone, against the release build."""

import array
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python" / "src"))

import haloscope as hs  # noqa: E402

DUMP = ROOT / "examples" / "cpu_mlp_train"
MODULE = DUMP / "module_0000.jit_mlp_train.cpu_after_optimizations.txt"
SQUARE = """HloModule square

ENTRY main {
  p = f32[2]{0} parameter(0)
  ROOT r = f32[2]{0} multiply(p, p)
}
"""
FOREVER = """HloModule forever

body {
  b = (s32[]) parameter(0)
  v = s32[] get-tuple-element(b), index=0
  ROOT t = (s32[]) tuple(v)
}

condition {
  c = (s32[]) parameter(0)
  ROOT y = pred[] constant(true)
}

ENTRY main {
  p = s32[] parameter(0)
  i = (s32[]) tuple(p)
  ROOT w = (s32[]) while(i), condition=condition, body=body
}
"""


class Stats:
    """What jaxlib's executable says about memory."""

    def __init__(self, assignment):
        self.serialized_buffer_assignment_proto = assignment

    def get_compiled_memory_stats(self):
        return self


class Requests(unittest.TestCase):
    def test_a_compiled_program_brings_xlas_own_assignment(self):
        inputs = ROOT / "tests" / "memory" / "Inputs"
        module = (inputs / "step.hlo.pb").read_bytes()
        assignment = (inputs / "step.buffer_assignment.pb").read_bytes()
        memory = hs.memory(hs._inputs._with_assignment(module, Stats(assignment)), advice="none")
        self.assertFalse(memory.planned_by_halo)
        self.assertEqual(memory["total_bytes"], 3303)
        # Of older jaxlibs, the module alone; it is planned.
        for executable in (Stats(b""), object()):
            self.assertEqual(hs._inputs._with_assignment(module, executable), module)
        self.assertTrue(hs.memory(module, advice="none").planned_by_halo)

    def test_a_result_has_attributes_and_the_commands_text(self):
        memory = hs.memory(MODULE, device="h100", advice="none")
        self.assertEqual(memory.program, "jit_mlp_train")
        self.assertIsInstance(memory.verdict.text, str)
        self.assertGreater(memory.device_bytes, 0)
        self.assertFalse(memory.planned_by_halo)
        self.assertEqual(json.loads(memory.to_json())["device_bytes"], memory["device_bytes"])
        with self.assertRaises(AttributeError):
            _ = memory.no_such_field
        with self.assertRaises(AttributeError):
            memory.program = "another"

    def test_every_answer(self):
        with hs.open(DUMP) as program:
            self.assertTrue(program.path.endswith("cpu_after_optimizations.txt"))
            self.assertEqual(program.info().modules[0].name, "jit_mlp_train")
            self.assertTrue(program.check().ok)
            self.assertGreater(program.time().step.estimate_seconds, 0)
            self.assertTrue(program.diff(hs.open(MODULE)).same)
            self.assertEqual(len(program.run(random=1).arrays), 9)
        with self.assertRaises(ValueError):
            program.info()

    def test_numbers_snapshots_and_folders(self):
        self.assertEqual(hs.diff(MODULE, MODULE, device="h100").step.device, "h100")
        with self.assertRaisesRegex(hs.HaloError, "`device` is one of"):
            hs.diff(MODULE, MODULE, device="abacus")
        numbers = hs.numbers(SQUARE, SQUARE.replace("multiply", "add"))
        self.assertFalse(numbers.agrees)
        self.assertTrue(hs.numbers(SQUARE, SQUARE, random=3).agrees)
        snapshot = hs.snapshot(MODULE)
        self.assertEqual(snapshot.program, "jit_mlp_train")
        self.assertEqual(snapshot.to_json(), hs.snapshot(DUMP).to_json())
        self.assertEqual(hs.ranks(DUMP).ranks, 1)
        self.assertEqual(hs.recompiles(DUMP).recompiles, 0)
        with self.assertRaisesRegex(hs.HaloError, "no-such-folder"):
            hs.ranks("no-such-folder")

    def test_what_a_program_may_be(self):
        for given in (SQUARE, SQUARE.encode(), bytearray(SQUARE.encode())):
            self.assertEqual(hs.info(given).modules[0].name, "square")
        self.assertEqual(hs.open(DUMP, stage="before").info().modules[0].name, "jit_mlp_train")
        with self.assertRaises(TypeError):
            hs.open(3)
        with self.assertRaisesRegex(hs.HaloError, "no-such-file"):
            hs.open("no-such-file")
        with self.assertRaises(hs.HaloError):
            hs.open(DUMP, module="nothing")
        with self.assertRaises(ValueError):
            hs.open(SQUARE, module="square")

    def test_errors_of_a_module_are_findings(self):
        checked = hs.check(SQUARE.replace("f32[2]{0} multiply(p, p)", "f32[3]{0} multiply(p, p)"))
        self.assertFalse(checked.ok)
        self.assertGreaterEqual(len(checked.diagnostics), 1)
        self.assertTrue(hs.check(DUMP).ok)

    def test_requests_that_fail(self):
        with self.assertRaisesRegex(hs.HaloError, "abacus"):
            hs.time(MODULE, device="abacus")
        with self.assertRaisesRegex(hs.HaloError, "in_0"):
            hs.run(SQUARE)
        with self.assertRaises(hs.HaloError):
            hs.command("ls", "no-such-file")
        with self.assertRaises(ValueError):
            hs.bytes_of("many")
        self.assertEqual(hs.bytes_of("1.5GiB"), 3 << 29)

    def test_other_commands(self):
        self.assertEqual(hs.command("ls", DUMP).schema, "halo.ls.v1")


class Arrays(unittest.TestCase):
    def test_a_run_takes_and_gives_arrays_without_numpy(self):
        for inputs in ([memoryview(array.array("f", [3, 4]))], {"in_0": memoryview(array.array("f", [3, 4]))}):
            result = hs.run(SQUARE, inputs)
            self.assertEqual(result.arrays[0].tolist(), [9.0, 16.0])
            self.assertEqual((result.arrays[0].name, result.arrays[0].type, result.arrays[0].shape), ("out_0", "f32", (2,)))
        data = result.arrays[0].data
        del result
        self.assertEqual(data.cast("f").tolist(), [9.0, 16.0])


class Tables(unittest.TestCase):
    def test_columns(self):
        program = hs.open(DUMP)
        table = program.table("instructions")
        columns = table.to_pydict()
        self.assertEqual(list(columns), table.column_names)
        self.assertEqual(len(columns["name"]), len(table))
        self.assertEqual(len(table), sum(program.info().modules[0]["opcodes"][i]["count"]
                                         for i in range(len(program.info().modules[0]["opcodes"]))))
        self.assertGreater(len(program.table("values")), 0)
        with self.assertRaises(ValueError):
            program.table("chairs")

    def test_a_stream_that_is_never_read_is_released(self):
        from haloscope import _table
        table = hs.open(SQUARE).table("instructions")
        for _ in range(100):
            capsule = table.__arrow_c_stream__()
            self.assertIn("arrow_array_stream", repr(capsule))
            del capsule
        self.assertEqual(_table._held, {})


class Calls(unittest.TestCase):
    def test_threads_run_at_the_same_time(self):
        programs = [hs.open(FOREVER) for _ in range(2)]
        failures = []

        def run(program):
            try:
                program.run(random=1)
            except hs.HaloError as error:
                failures.append(str(error))

        threads = [threading.Thread(target=run, args=(program,)) for program in programs]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 20
        from haloscope._library import library
        while any(library().halo_steps(each._handle) < 1000 for each in programs) and time.monotonic() < deadline:
            time.sleep(0.01)
        for program in programs:
            library().halo_stop(program._handle)
        for thread in threads:
            thread.join(20)
        self.assertEqual(len(failures), 2)

    def test_ctrl_c_stops_a_run(self):
        code = ("import haloscope as hs, sys\n"
                "try:\n"
                "    print('begins', flush=True)\n"
                "    hs.run(sys.argv[1], random=1)\n"
                "except KeyboardInterrupt:\n"
                "    print('stopped')\n")
        with subprocess.Popen([sys.executable, "-c", code, FOREVER], stdout=subprocess.PIPE, text=True,
                              env=dict(os.environ, PYTHONPATH=str(ROOT / "python" / "src"))) as process:
            self.assertEqual(process.stdout.readline(), "begins\n")
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.communicate(timeout=20)[0], "stopped\n")

    def test_either_engine_is_stopped_by_another_thread(self):
        from haloscope._library import library
        for engine in ("reference", "compiled"):
            program = hs.open(FOREVER)

            def stop(handle=program._handle):
                while library().halo_steps(handle) < 1000:
                    time.sleep(0.01)
                library().halo_stop(handle)

            thread = threading.Thread(target=stop)
            thread.start()
            with self.assertRaisesRegex(hs.HaloError, "stopped", msg=engine):
                program.run(random=1, engine=engine)
            thread.join()

    def test_a_document_may_be_closed_during_a_call(self):
        from haloscope._library import library
        program = hs.open(FOREVER)
        handle, ended = program._handle, []

        def run():
            try:
                program.run(random=1)
            except hs.HaloError as error:
                ended.append(str(error))

        thread = threading.Thread(target=run)
        thread.start()
        while library().halo_steps(handle) < 1000:
            time.sleep(0.01)
        program.close()
        self.assertEqual(repr(program), "Document(closed)")
        with self.assertRaises(ValueError):
            program.info()
        library().halo_stop(handle)
        thread.join(20)
        self.assertIn("stopped", ended[0])
        self.assertIsNone(program._handle)

    def test_progress_of_long_calls(self):
        shown = []
        hs.set_progress(lambda what, seconds, steps: shown.append((what, steps)))
        try:
            program = hs.open(FOREVER)
            with self.assertRaises(hs.HaloError):
                _run_for(program, 1.5)
        finally:
            hs.set_progress(None)
        self.assertTrue(any(what.startswith("run of") and steps > 0 for what, steps in shown), shown)
        self.assertEqual(shown[-1], ("", 0))


def _run_for(program, seconds):
    """Runs until a timer stops it."""
    from haloscope._library import library
    timer = threading.Timer(seconds, lambda: library().halo_stop(program._handle))
    timer.start()
    program.run(random=1)


class Imports(unittest.TestCase):
    def test_only_the_standard_library_is_imported(self):
        code = ("import sys, haloscope as hs; hs.memory(sys.argv[1]); "
                "print(sorted({n.split('.')[0] for n in sys.modules} - set(sys.stdlib_module_names)))")
        if sys.version_info < (3, 10):
            self.skipTest("stdlib_module_names is new in 3.10")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-S", "-c", code, str(MODULE)], cwd=folder, capture_output=True, text=True,
                                  check=True, env=dict(os.environ, PYTHONPATH=str(ROOT / "python" / "src")))
        self.assertEqual(set(eval(done.stdout)) - {"__main__", "__mp_main__"}, {"haloscope"})


class Scans(unittest.TestCase):
    def test_a_scan_adds_what_is_missing(self):
        with tempfile.TemporaryDirectory() as folder:
            first = hs.scan.write(ROOT / "examples", folder)
            self.assertEqual((first.files, first.programs, first.refused), (4, 3, 1))
            self.assertEqual(hs.scan.write([ROOT / "examples"], folder, threads=2).skipped, 4)
            parts = sorted(str(each.relative_to(folder)) for each in pathlib.Path(folder).rglob("*.parquet"))
            self.assertEqual(parts, sorted(f"{table}/part-001of001-00000.parquet" for table in hs.scan.TABLES))
            with self.assertRaisesRegex(hs.HaloError, "another number of shards"):
                hs.scan.write(ROOT / "examples", folder, shard=1, shards=2)

    def test_parts_cover_everything_once(self):
        parts = hs.scan.parts([f"job{i}" for i in range(10)], 3)
        self.assertEqual([part["part"] for part in parts], [1, 2, 3])
        self.assertEqual(sorted(path for part in parts for path in part["paths"]), sorted(f"job{i}" for i in range(10)))

    def test_rows_of_one_program(self):
        rows = hs.scan.rows(MODULE)
        self.assertEqual(rows.refused, "")
        self.assertIn("is not defined", hs.scan.rows(ROOT / "examples" / "broken.hlo").refused)
        with self.assertRaises(ValueError):
            rows.table("no such table")
        for table in hs.scan.TABLES:
            self.assertIn("arrow_array_stream", repr(rows[table].__arrow_c_stream__()))

    def test_rows_are_those_of_the_document(self):
        try:
            import pyarrow
        except ImportError:
            self.skipTest("pyarrow is not installed")
        rows = hs.scan.rows(MODULE)
        instructions = pyarrow.table(rows["instructions"])
        instructions.validate(full=True)
        expected = hs.open(MODULE).table("instructions").to_pydict()
        for name in ("name", "opcode", "shape", "bytes", "op_name", "source"):
            self.assertEqual(instructions.column(name).to_pylist(), expected[name], name)
        module = pyarrow.table(rows["modules"]).to_pylist()[0]
        memory = hs.memory(MODULE, advice="none")
        self.assertEqual((module["memory_bytes"], module["peak_bytes"]), (memory.device_bytes, memory.peak.bytes))
        batches = list(hs.scan.rows_in_arrow("times")(iter([pyarrow.RecordBatch.from_pydict({"path": [str(MODULE)] * 2})])))
        self.assertEqual(sum(each.num_rows for each in batches), 2 * pyarrow.table(rows["times"]).num_rows)
        refused = hs.scan.rows_batch("files")(pyarrow.table({"path": [str(ROOT / "examples" / "broken.hlo")]})).to_pylist()[0]
        self.assertIsNone(refused["program"])
        self.assertIn("is not defined", refused["refused"])
        self.assertIn("modified timestamp_ntz", hs.scan.spark_schema("files"))


class Records(unittest.TestCase):
    def test_equal_records_have_no_different_hashes(self):
        from haloscope._record import Record
        one, other = Record({"a": 1}), Record({"a": 1})
        self.assertEqual(one, other)
        with self.assertRaises(TypeError):
            hash(one)


class Sweeps(unittest.TestCase):
    def test_targets(self):
        from haloscope._sweep import parse_target
        self.assertEqual(parse_target("h100:8")[1:], ("cuda", "h100", "h100", "1x1x8", 8))
        self.assertEqual(parse_target("h100:64").topology, "1x8x8")
        self.assertEqual(parse_target("v5p:2x2x4")[1:], ("tpu", "v5p", "v5p:2x2x4", "", 16))
        self.assertEqual(parse_target("cpu:4").devices, 4)
        for wrong in ("h100:12", "h100:x", "abacus:3", "v5p:0x2"):
            with self.assertRaises(ValueError, msg=wrong):
                parse_target(wrong)

    def test_a_gpu_needs_its_description(self):
        with self.assertRaisesRegex(hs.HaloError, "target_configs"):
            hs.sweep(len, (), targets=["h100:8"])

    def test_functions_of_one_module_are_different_variants(self):
        from haloscope._sweep import _source_of
        self.assertNotEqual(_source_of(Sweeps.test_targets), _source_of(Sweeps.test_the_frontier))

    def test_the_frontier(self):
        def row(memory, seconds, fits=True, refused=""):
            return {"target": "h100:8", "mesh": {"<x>": 8}, "memory_bytes": memory, "seconds": seconds, "fits": fits,
                    "refused": refused}
        rows = [row(4, 1.0), row(5, 2.0), row(2, 3.0), row(1, 0.5, fits=False), row(3, 3.0), row(None, None, None, "no\nroom")]
        sweep = hs.Sweep(rows, "")
        self.assertEqual(sweep.frontier, [rows[0], rows[2]])
        page = sweep._repr_html_()
        self.assertEqual(page.count("<circle"), 5)
        self.assertIn("&lt;x&gt;=8", page)
        self.assertNotIn("<x>", page)


if __name__ == "__main__":
    unittest.main()
