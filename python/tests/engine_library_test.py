"""Where the package looks for the library of haloscope-engine, and which one it refuses."""

import os
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "src"))

from haloscope import _library  # noqa: E402

NAME = "libhaloscope.so"


class EngineLibrary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = pathlib.Path(folder.name)
        self.command, self.package = root / "bin" / "halo", root / "site-packages" / "haloscope"
        self.engine = root / "lib" / "haloscope" / "engine-1.2.3" / NAME
        for path in (self.command, self.package / NAME, self.engine):
            path.parent.mkdir(parents=True)
            path.touch()
            path.chmod(0o755)
            path.parent.chmod(0o755)

    def found(self, version="1.2.3"):
        with unittest.mock.patch.object(_library, "installed_file", lambda ending: str(self.command)), \
                unittest.mock.patch.object(_library, "_PACKAGE", self.package), \
                unittest.mock.patch.object(_library.importlib.metadata, "version", lambda name: version):
            return _library._engine_library(NAME)

    def test_same_version(self):
        self.assertEqual(str(self.engine), self.found())
        self.assertIsNone(self.found("1.2.4"))

    def test_others_can_write_it(self):
        for path in (self.engine, self.engine.parent):
            path.chmod(0o757)
            self.assertIsNone(self.found(), path)
            path.chmod(0o755)
        self.assertIsNotNone(self.found())

    def test_a_group_can_write_it(self):
        self.engine.chmod(0o775)
        self.assertIsNone(self.found())
        self.package.chmod(0o775)  # the group can replace the package as well
        self.assertIsNotNone(self.found())

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_another_owner(self):
        os.chown(self.engine, 12345, -1)
        self.assertIsNone(self.found())


if __name__ == "__main__":
    unittest.main()
