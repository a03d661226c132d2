"""Helpers of the rows about wheels: which were built, environments that have them, and what auditwheel and readelf say."""
import os
import pathlib
import re
import subprocess
import sys
import zipfile

from common import BUILD, ROOT, VENV, Skipped, need

EXAMPLE = ROOT / "examples" / "cpu_mlp_train" / "module_0000.jit_mlp_train.cpu_after_optimizations.txt"
DIST = ROOT / "build" / "wheel" / "dist"
# Environments are made without pip, which takes seconds; the one of scripts/venv serves all.
SHARED_PIP = VENV / "bin" / "python"


def interpreters():
    """Every Python from 3.9 on that pyenv has, or this one: {version: path}."""
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    found = {}
    for python in sorted(root.glob("*/bin/python")):
        version = re.match(r"(\d+)\.(\d+)", python.parent.parent.name)
        if version and (int(version[1]), int(version[2])) >= (3, 9):
            found[python.parent.parent.name] = python
    return found or {"this": pathlib.Path(sys.executable)}


def built_wheel(pattern, how):
    wheels = sorted(DIST.glob(pattern))
    if not wheels:
        raise Skipped(f"the wheel {pattern} is not built; run {how}")
    return wheels[-1]


def native_wheel(folder):
    """The wheel `haloscope` from the release build, for this machine only."""
    need(BUILD / "share" / "haloscope" / "viewer.html", "the viewer's page; run scripts/build_viewer")
    subprocess.run([ROOT / "scripts" / "python" / "build_wheel", "--native", "--out", folder], check=True, capture_output=True)
    return next(folder.glob("haloscope-*.whl"))


def make_venv(python, venv):
    """A fresh environment. Returns what failed."""
    made = subprocess.run([python, "-m", "venv", venv, *(["--without-pip"] if SHARED_PIP.exists() else [])], capture_output=True,
                          text=True, check=False)
    return made.stderr[-300:] if made.returncode else ""


def install(venv, *wheels):
    """Installs wheels without their dependencies. Returns what failed."""
    python = venv / "bin" / "python"
    pip = [SHARED_PIP, "-m", "pip", "--python", python] if SHARED_PIP.exists() else [python, "-m", "pip"]
    installed = subprocess.run([*map(str, pip), "install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check",
                                *map(str, wheels)], capture_output=True, text=True, check=False)
    return installed.stderr[-300:] if installed.returncode else ""


def youngest_glibc(wheel, folder):
    """The youngest version of glibc that a symbol of a binary in the wheel needs."""
    versions = {(0, 0)}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if archive.open(name).read(4) == b"\x7fELF":
                path = archive.extract(name, folder)
                listed = subprocess.run(["readelf", "-V", path], capture_output=True, text=True, check=True).stdout
                versions |= {tuple(map(int, each.split("."))) for each in re.findall(r"GLIBC_(\d+\.\d+)", listed)}
    return max(versions)


def audited_tag(wheel):
    """The platform tag that auditwheel finds for a wheel."""
    tool = need(ROOT / "build" / "venv-packaging" / "bin" / "auditwheel", "auditwheel; run scripts/venv packaging")
    said = subprocess.run([tool, "show", wheel], capture_output=True, text=True, check=False)
    # The report is wrapped at any space.
    found = re.search(r'following\s+platform\s+tag:\s+"([^"]+)"', said.stdout)
    return found[1] if found else f"none: {(said.stdout + said.stderr)[-300:]}"
