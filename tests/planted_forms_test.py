"""Plants an unknown form in every small grammar of HLO text: one warning, everything else as before.

The texts come from scripts/evidence_rows/lib/planted_forms.py."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
HALO = os.environ.get("HALO") or str(ROOT / "build/release/halo")
sys.path.insert(0, str(ROOT / "scripts/evidence_rows/lib"))

from planted_forms import planted_forms  # noqa: E402

LEAST = 60
# Commands that need the meaning of what is planted say so, with the exit code 1 or 2. None of them crashes.
COMMANDS = (("memory",), ("time", "--device=h100"), ("run", "--random=1", "--engine=reference"), ("diff", None))


def halo(*arguments):
    return subprocess.run([HALO, *map(str, arguments)], capture_output=True, timeout=60)


class PlantedFormsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def instructions(self, path):
        [module] = json.loads(halo("info", "--json", path).stdout)["modules"]
        return module["instructions"], module["computations"]

    def test_enough_grammars(self):
        self.assertGreaterEqual(len({name for name, _, _ in planted_forms()}), LEAST)

    def test_original_texts_are_clean(self):
        for name, original, _ in planted_forms():
            with self.subTest(name):
                path = self.file("original.hlo", original)
                checked = halo("check", path)
                self.assertEqual(0, checked.returncode, checked.stdout.decode())
                self.assertIn(b"1 file, 0 errors, 0 warnings", checked.stdout)
                self.assertEqual(original.encode(), halo("fmt", path).stdout)

    def test_planted_form_gives_one_warning(self):
        for name, _, planted in planted_forms():
            with self.subTest(name):
                path = self.file("planted.hlo", planted)
                checked = halo("check", path)
                self.assertEqual(0, checked.returncode, checked.stdout.decode())
                self.assertIn(b"1 file, 0 errors, 1 warning\n", checked.stdout, name)

    def test_planted_form_is_printed_back(self):
        for name, _, planted in planted_forms():
            with self.subTest(name):
                path = self.file("planted.hlo", planted)
                self.assertEqual(planted, halo("fmt", path).stdout.decode())

    def test_other_instructions_are_read(self):
        for name, original, planted in planted_forms():
            with self.subTest(name):
                before = self.instructions(self.file("original.hlo", original))
                self.assertEqual(before, self.instructions(self.file("planted.hlo", planted)))

    def test_proto_round_trip(self):
        for name, _, planted in planted_forms():
            with self.subTest(name):
                proto = self.folder / "planted.pb"
                written = halo("convert", self.file("planted.hlo", planted), "-o", proto)
                self.assertIn(written.returncode, (0, 1), written.stderr.decode())
                if proto.exists():
                    self.assertIn(halo("check", proto).returncode, (0, 1))
                    proto.unlink()

    def test_commands_survive(self):
        for name, original, planted in planted_forms():
            path = self.file("planted.hlo", planted)
            other = self.file("original.hlo", original)
            for command in COMMANDS:
                with self.subTest(name, command=command[0]):
                    files = (other, path) if None in command else (path,)
                    done = halo(*(each for each in command if each), *files)
                    self.assertIn(done.returncode, (0, 1, 2), (done.stdout + done.stderr).decode())


if __name__ == "__main__":
    unittest.main()
