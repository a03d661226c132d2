"""Helpers of the rows about the Python package: interpreters, and processes that use the package of this tree."""
import os
import pathlib
import subprocess
import sys

from common import BUILD, ROOT, VENV, Skipped, need
from subject import subject

VENVS = pathlib.Path(os.environ.get("HALO_VENVS", ROOT.parent / "venvs"))
# JAX versions by environment: pip install jax==VERSION in a venv of that name below HALO_VENVS.
JAX_VERSIONS = {"0.4.30": "jax0430", "0.6.2": "jax062", "0.10.2": "jax0102", "0.12": "jax012"}


def environment(**more):
    need(BUILD / "libhaloscope.so", "the release build; run cmake --workflow --preset release")
    return dict(os.environ, PYTHONPATH=str(ROOT / "python" / "src"), HALOSCOPE_LIBRARY=str(BUILD / "libhaloscope.so"),
                HALOSCOPE_COMMAND=str(BUILD / "halo"), JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3",
                PYTHONDONTWRITEBYTECODE="1", **more)


def run_python(arguments, python=sys.executable, **options):
    """The finished process of an interpreter with the package of this tree."""
    return subprocess.run([str(subject(pathlib.Path(python))), *map(str, arguments)], capture_output=True, text=True,
                          check=False, env=environment(), errors="replace", **options)


def jax_pythons():
    """{version: interpreter} of the environments that exist."""
    found = {}
    for version, name in JAX_VERSIONS.items():
        for folder in sorted(VENVS.glob(f"*{name}")) if VENVS.is_dir() else []:
            if (folder / "bin" / "python").exists():
                found[version] = folder / "bin" / "python"
    own = VENV / "bin" / "python"
    version = subprocess.run([own, "-c", "import jax; print(jax.__version__)"], capture_output=True, text=True,
                             check=False).stdout.strip() if own.exists() else ""
    for name in JAX_VERSIONS:
        if version == name or version.startswith(name + "."):
            found.setdefault(name, own)
    if not found:
        raise Skipped("no environment has jax; run scripts/venv")
    return found


def newest_jax():
    """(version, interpreter) of the newest JAX."""
    found = jax_pythons()
    return next((version, found[version]) for version in reversed(JAX_VERSIONS) if version in found)
