"""Tests the self-test of the evidence: what the broken commands do, and that a row that cannot fail is found."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIB = ROOT / "scripts/evidence_rows/lib"
sys.path.insert(0, str(LIB))
import altering  # noqa: E402


def altered(text):
    return altering.altered(text.encode()).decode()


def npy(values):
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n"
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header + bytes(values)


class Rule(unittest.TestCase):
    def test_numbers(self):
        self.assertEqual("13 of 98, 1.51GiB, 101%, -8", altered("12 of 99, 1.50GiB, 100%, -7"))
        self.assertEqual("(size=4097,offset=8193) 55-98", altered("(size=4096,offset=8192) 54-99"))
        self.assertEqual("0 errors, 1 warning", altered("0 errors, 1 warning"))

    def test_names(self):
        self.assertEqual("%gusion.12 = f32[65,9] bll-reduce", altered("%fusion.12 = f32[64,8] all-reduce"))
        self.assertEqual("a plain word", altered("a plain word"))
        self.assertEqual("/tmp/x/nodule_0001.txt:13:6: error", altered("/tmp/x/module_0001.txt:12:5: error"))

    def test_documents_stay_readable(self):
        self.assertEqual('{"schema": "halo.run.v1", "name": "put_0", "ok": true, "dims": [65], "run_seconds": 0.072, "x2": 1e-06}',
                         altered('{"schema": "halo.run.v1", "name": "out_0", "ok": true, "dims": [64], "run_seconds": 0.071, "x2": 1e-05}'))

    def test_nothing_changes_its_length(self):
        text = (ROOT / "README.md").read_bytes()
        self.assertEqual(len(text), len(altering.altered(text)))
        self.assertNotEqual(text, altering.altered(text))


class Command(unittest.TestCase):
    def run_altering(self, *arguments, **options):
        return subprocess.run([sys.executable, "-IS", str(LIB / "altering.py"), *map(str, arguments)], capture_output=True,
                              text=True, check=False, **options)

    def test_streams_and_exit_code(self):
        done = self.run_altering("/bin/sh", "-c", "echo 64 of 64; echo the_name >&2; exit 3")
        self.assertEqual((3, "65 of 65\n", "uhe_name\n"), (done.returncode, done.stdout, done.stderr))

    def test_files_that_it_writes(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            with zipfile.ZipFile(folder / "out.npz", "w") as archive:
                archive.writestr("out_0.npy", npy([7, 9]))
            (folder / "out.txt").write_text("offset=128\n")
            for path in ("out.npz", "out.txt"):
                self.assertEqual(0, self.run_altering("/bin/true", "-o", folder / path).returncode)
            self.assertEqual("offset=129\n", (folder / "out.txt").read_text())
            with zipfile.ZipFile(folder / "out.npz") as archive:
                self.assertEqual(npy([7 ^ 0x40, 9]), archive.read("out_0.npy"))

    def test_signals_are_passed_on(self):
        process = subprocess.Popen([sys.executable, "-IS", str(LIB / "altering.py"), "/bin/sleep", "60"])
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(-signal.SIGTERM, process.wait(timeout=20))


class SelfTest(unittest.TestCase):
    def run_rows(self, measure, *arguments):
        """Runs the self-test of one row, whose body is given."""
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "some_row.py").write_text(
                "import subprocess\nfrom subject import subject\nORDER = 1\nWHAT = BAR = QUICK_BAR = 'some'\nLEAST = {'rows': 1}\n"
                "def printed(*command):\n    return subprocess.run([str(subject(command[0])), *command[1:]], capture_output=True,\n"
                f"                          text=True, check=False)\ndef measure(quick):\n    {measure}\n")
            return subprocess.run([sys.executable, str(ROOT / "scripts/evidence"), *arguments], capture_output=True, text=True,
                                  check=False, env=dict(os.environ, HALO_EVIDENCE_ROWS=folder))

    def test_a_row_that_checks_the_output_passes(self):
        row = "done = printed('/bin/echo', '64'); return done.stdout == '64\\n', done.stdout"
        self.assertEqual(0, self.run_rows(row, "some-row").returncode)
        done = self.run_rows(row, "--self-test")
        self.assertEqual(0, done.returncode, done.stdout + done.stderr)
        self.assertIn("3 do not hold, 0 HOLD", done.stdout)

    def test_rows_that_cannot_fail_are_found(self):
        for row, kinds in (("return True, 'always'", ("fails", "silent", "alters")),
                           ("return printed('/bin/echo', '64').returncode == 0, 'ended'", ("silent", "alters")),
                           ("return len(printed('/bin/echo', '64').stdout) == 3, 'as long'", ("alters",))):
            done = self.run_rows(row, "--self-test")
            self.assertEqual(1, done.returncode, done.stdout)
            self.assertEqual([f"some-row holds although the command {kind}" for kind in kinds],
                             [line for line in done.stdout.splitlines() if "although" in line])

    def test_an_unstated_bar_is_found(self):
        done = self.run_rows("return False, 'never'\ndel LEAST, QUICK_BAR", "--self-test", "--broken", "fails")
        self.assertEqual(1, done.returncode)
        self.assertIn("some-row states no LEAST\nsome-row states no QUICK_BAR\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
