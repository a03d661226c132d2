"""A copy of the tree with a stored patch applied, for rows that measure the effort of a change and try what it makes. The copy
is kept below build/, so a second run rebuilds only what changed. This is not a row."""
import filecmp
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from common import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from tracked_files import tracked_files  # noqa: E402

SETTINGS = ["-DHALO_PCH=ON", "-DHALO_UNITY=ON", *(f"-DHALO_{name}=OFF" for name in ("BUILD_TESTS", "BUILD_FUZZERS", "BUILD_BENCHMARKS", "MPI"))]


class PatchedTree:
    def __init__(self, patch, name, settings=()):
        self.patch, self.copy, self.settings = ROOT / patch, ROOT / "build" / name, [*SETTINGS, *settings]
        self.text = self.patch.read_text(encoding="utf-8")

    def touched(self):
        """The files that the patch changes or adds."""
        return re.findall(r"^\+\+\+ b/(.*)$", self.text, re.MULTILINE)

    def added_lines(self):
        """How many lines the patch adds or replaces, but for empty ones."""
        return sum(line.startswith("+") and not line.startswith("+++") and line[1:].strip() != "" for line in self.text.splitlines())

    def plant(self, folder):
        """The fault of the self-test: a file that the patch changes has other lines than it expects."""
        name = re.search(r"^\+\+\+ b/((?:halo|include)/.*)$", self.text, re.MULTILINE)[1]
        lines = (folder / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / name).write_text("".join(reversed(lines)), encoding="utf-8")

    def apply(self, folder, *options):
        """Applies the patch to a folder that is not a repository and returns git's errors."""
        environment = dict(os.environ, GIT_CEILING_DIRECTORIES=str(pathlib.Path(folder).parent))
        return subprocess.run(["git", "-c", f"safe.directory={folder}", "apply", *options, str(self.patch)], cwd=folder, env=environment,
                              capture_output=True, text=True, check=False).stderr

    def make(self):
        """Writes the patched tree. Unchanged files keep their modification times."""
        with tempfile.TemporaryDirectory() as folder:
            fresh = pathlib.Path(folder) / "tree"
            for name in tracked_files(ROOT):
                (fresh / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, fresh / name)
            problem = self.apply(fresh)
            if problem:
                raise RuntimeError(problem)
            names = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
            for path in list(self.copy.rglob("*")):
                name = path.relative_to(self.copy)
                if path.is_file() and name.parts[0] != "build" and name not in names:
                    path.unlink()
            for name in names:
                if not (self.copy / name).exists() or not filecmp.cmp(fresh / name, self.copy / name, shallow=False):
                    (self.copy / name).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(fresh / name, self.copy / name)
                    shutil.copymode(fresh / name, self.copy / name)

    def build(self, *targets):
        for command in (["cmake", "--preset", "release", *self.settings],
                        ["cmake", "--build", "--preset", "release", "--target", *targets]):
            run = subprocess.run(command, cwd=self.copy, capture_output=True, text=True, check=False)
            if run.returncode != 0:
                raise RuntimeError(f"{' '.join(command)}: exit {run.returncode}\n{(run.stdout + run.stderr)[-3000:]}")
