"""The classes of the documents are those of docs/schemas; scripts/python/document_types.py writes them."""

import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class DocumentTypes(unittest.TestCase):
    def test_up_to_date(self):
        done = subprocess.run([sys.executable, ROOT / "scripts" / "python" / "document_types.py", "--check"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    unittest.main()
