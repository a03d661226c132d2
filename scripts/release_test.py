#!/usr/bin/env python3
"""Tests scripts/release on a small repository that is created for each case."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent / "release"
CHANGELOG = """# Changelog

## [Unreleased]

## [1.2.3] - 2026-01-31

### Added
- A thing.

## [1.2.2] - 2026-01-01

- An older thing.
"""


@unittest.skipUnless(shutil.which("git"), "needs git")
class ReleaseTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "checkout"
        (self.root / "scripts").mkdir(parents=True)
        shutil.copy(SCRIPT, self.root / "scripts/release")
        self.write("CMakeLists.txt", "project(haloscope VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("CHANGELOG.md", CHANGELOG)
        self.git("init", "-q")
        self.commit()
        self.git("tag", "v1.2.3")

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def run_in(self, *command):
        # Ignores the user's git settings and any repository that contains the build folder.
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        for role in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{role}_NAME": "Test", f"GIT_{role}_EMAIL": "test@example.com",
                            f"GIT_{role}_DATE": "2026-01-31T12:00:00Z"}
        return subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, check=False)

    def git(self, *arguments):
        done = self.run_in("git", *arguments)
        self.assertEqual(0, done.returncode, done.stderr)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def release(self, *arguments):
        return self.run_in("bash", "scripts/release", *arguments)

    def refused(self, why, *arguments):
        done = self.release("--out", "../out", *arguments)
        self.assertEqual(1, done.returncode, done.stdout + done.stderr)
        self.assertIn(why, done.stderr)
        self.assertFalse((self.root.parent / "out").exists())

    def test_archive_sums_and_notes(self):
        done = self.release("--out", "../out")
        self.assertEqual(0, done.returncode, done.stderr)
        out = self.root.parent / "out"
        self.assertEqual(["NOTES.md", "SHA256SUMS", "haloscope-1.2.3.tar.gz"], sorted(p.name for p in out.iterdir()))
        archive = out / "haloscope-1.2.3.tar.gz"
        self.assertEqual(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n",
                         (out / "SHA256SUMS").read_text())
        self.assertEqual("### Added\n- A thing.\n", (out / "NOTES.md").read_text())
        with tarfile.open(archive) as tar:
            self.assertIn("haloscope-1.2.3/CMakeLists.txt", tar.getnames())
            self.assertEqual({1769860800}, {member.mtime for member in tar.getmembers()})

    def test_same_bytes_from_another_clone(self):
        self.assertEqual(0, self.release("--out", "../out").returncode)
        self.git("clone", "-q", ".", "../clone")
        old = os.umask(0o077)
        try:
            self.root = self.root.parent / "clone"
            self.assertEqual(0, self.release("--out", "../again").returncode)
        finally:
            os.umask(old)
        first, second = (self.root.parent / place / "haloscope-1.2.3.tar.gz" for place in ("out", "again"))
        self.assertEqual(first.read_bytes(), second.read_bytes())

    def test_uncommitted_changes(self):
        self.write("new.txt", "new\n")
        self.refused("uncommitted changes")

    def test_no_tag(self):
        self.git("tag", "-d", "v1.2.3")
        self.refused("HEAD is not tagged v1.2.3")

    def test_tag_of_another_commit(self):
        self.write("new.txt", "new\n")
        self.commit()
        self.refused("HEAD is not tagged v1.2.3")

    def test_changelog_without_the_version(self):
        self.write("CHANGELOG.md", CHANGELOG.replace("[1.2.3]", "[1.2.4]"))
        self.commit()
        self.git("tag", "-f", "v1.2.3")
        self.refused("no heading '## [1.2.3] - YYYY-MM-DD'")

    def test_changelog_without_a_date(self):
        self.write("CHANGELOG.md", CHANGELOG.replace(" - 2026-01-31", ""))
        self.commit()
        self.git("tag", "-f", "v1.2.3")
        self.refused("no heading '## [1.2.3] - YYYY-MM-DD'")

    def test_project_of_another_version(self):
        self.write("CMakeLists.txt", "project(haloscope VERSION 1.3.0 LANGUAGES CXX)\n")
        self.commit()
        self.git("tag", "-f", "v1.2.3")
        self.refused("HEAD is not tagged v1.3.0")

    def test_dry_run_writes_nothing(self):
        self.git("tag", "-d", "v1.2.3")
        self.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n\n- A thing.\n")
        self.commit()
        self.write("new.txt", "new\n")
        done = self.release("--dry-run", "--out", "../out")
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("haloscope-1.2.3.tar.gz", done.stdout)
        self.assertFalse((self.root.parent / "out").exists())

    def test_dry_run_still_checks(self):
        self.write("CHANGELOG.md", "# Changelog\n\n## [Unreleased]\n")
        self.commit()
        self.refused("is empty", "--dry-run")


if __name__ == "__main__":
    unittest.main()
