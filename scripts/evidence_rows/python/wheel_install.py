"""The wheel as a user gets it: installed into a fresh environment of every Python, used by the command and by import."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from common import ROOT, Skipped, enough, need
from subject import subject

ORDER = 144
QUICK_SECONDS = 6
WHAT = "the built wheel in fresh environments of every Python from 3.9 on: the command, import, five answers, what is imported"
BAR = ("at least 5 versions of Python: `halo memory` runs, five answers equal the command's, nothing but the standard library is "
       "imported; the wheel has at most 15,000,000 bytes and needs no symbol younger than glibc 2.17")
QUICK_BAR = "1 version of Python, a wheel of the release build; size and glibc are not measured"
LEAST = {"versions": 5, "answers": 25}
QUICK_LEAST = {"versions": 1, "answers": 5}
MOST_BYTES = 15_000_000
EXAMPLE = ROOT / "examples" / "cpu_mlp_train" / "module_0000.jit_mlp_train.cpu_after_optimizations.txt"

CHILD = r"""
import json, sys
before = set(sys.modules)  # an environment may load modules itself
import haloscope as hs
path = sys.argv[1]
program = hs.open(path)
print(json.dumps({
    "version": list(sys.version_info[:2]),
    "answers": [program.info().to_json(), program.check().to_json(), program.memory().to_json(), program.time().to_json(),
                program.diff(program).to_json()],
    "run": [each.name for each in program.run(random=1).arrays],
    "page": len(program.to_html()) > 1_000_000,
    "from": hs.__file__,
    "others": sorted({name.split(".")[0] for name in set(sys.modules) - before} - set(getattr(sys, "stdlib_module_names", ()))
                     - {"__main__", "__mp_main__", "haloscope"}) if hasattr(sys, "stdlib_module_names") else [],
}))
"""


def interpreters():
    """Every Python from 3.9 on that pyenv has, or this one: {version: path}."""
    root = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    found = {}
    for python in sorted(root.glob("*/bin/python")):
        version = re.match(r"(\d+)\.(\d+)", python.parent.parent.name)
        if version and (int(version[1]), int(version[2])) >= (3, 9):
            found[python.parent.parent.name] = python
    return found or {"this": pathlib.Path(sys.executable)}


def built_wheel():
    wheels = sorted((ROOT / "build" / "wheel" / "dist").glob("haloscope-*-manylinux_2_17_x86_64*.whl"))
    if not wheels:
        raise Skipped("the wheel is not built; run scripts/python/build_wheel")
    return wheels[-1]


def native_wheel(folder):
    """The same wheel from the release build, for this machine only."""
    need(ROOT / "build" / "release" / "share" / "haloscope" / "viewer.html", "the viewer's page; run scripts/build_viewer")
    subprocess.run([ROOT / "scripts" / "python" / "build_wheel", "--native", "--out", folder], check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def youngest_glibc(wheel, folder):
    """The youngest version of glibc that a symbol of the library or the command needs."""
    versions = {(0, 0)}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if name.endswith((".so", "/scripts/halo")):
                path = archive.extract(name, folder)
                listed = subprocess.run(["readelf", "-V", path], capture_output=True, text=True, check=True).stdout
                versions |= {tuple(map(int, each.split("."))) for each in re.findall(r"GLIBC_(\d+\.\d+)", listed)}
    return max(versions)


def answers_of(command):
    """What the installed command says, the reference for import."""
    return [subprocess.run([command, *question, EXAMPLE, *(more or []), "--json"], capture_output=True, text=True, check=False).stdout
            for question, more in ((["info"], None), (["check"], None), (["memory"], None), (["time"], None), (["diff"], [EXAMPLE]))]


def check_python(version, python, wheel, folder):
    """(answers that are equal, problems)."""
    venv = folder / version
    # Environments have a pip of their age; the one of scripts/venv saves the time to install it.
    shared = ROOT / "build" / "venv" / "bin" / "python"
    made = subprocess.run([python, "-m", "venv", venv, *(["--without-pip"] if shared.exists() else [])], capture_output=True,
                          text=True, check=False)
    pip = [shared, "-m", "pip", "--python", venv / "bin" / "python"] if shared.exists() else [venv / "bin" / "python", "-m", "pip"]
    installed = subprocess.run([*map(str, pip), "install", "--no-index", "--no-deps", "--quiet", "--disable-pip-version-check",
                                str(wheel)], capture_output=True, text=True, check=False)
    if made.returncode or installed.returncode:
        return 0, [f"not installed: {made.stderr[-300:]}{installed.stderr[-300:]}"]
    clean = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    halo = subject(venv / "bin" / "halo")
    said = subprocess.run([halo, "memory", EXAMPLE], capture_output=True, text=True, check=False, env=clean).stdout
    problems = [] if "212.2KiB" in said else [f"halo memory printed {said[:200]!r}"]
    done = subprocess.run([subject(venv / "bin" / "python"), "-c", CHILD, EXAMPLE], capture_output=True, text=True, check=False,
                          env=clean, cwd=folder)
    try:
        child = json.loads(done.stdout.strip().splitlines()[-1])
        equal = sum(a == b for a, b in zip(child["answers"], answers_of(venv / "bin" / "halo")))
        if not child["from"].startswith(str(venv)) or child["others"] or len(child["run"]) != 9 or not child["page"]:
            problems.append(f"from {child['from']}, other modules {child['others']}, results {child['run']}, page {child['page']}")
    except (ValueError, IndexError, KeyError, TypeError) as error:
        return 0, [*problems, f"{error!r} {done.stdout[-200:]}{done.stderr[-800:]}"]
    shutil.rmtree(venv, ignore_errors=True)
    return equal, problems


def measure(quick):
    chosen = interpreters()
    if quick:
        chosen = dict([list(chosen.items())[0]])
    answers = failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wheel = native_wheel(folder) if quick else built_wheel()
        glibc = youngest_glibc(wheel, folder / "unpacked")
        size = wheel.stat().st_size
        for version, python in chosen.items():
            equal, problems = check_python(version, python, wheel, folder)
            answers += equal
            failed += bool(problems) or equal != 5
            print(f"  Python {version}: {equal} of 5 answers{''.join('; ' + each for each in problems)}")
    small = quick or (size <= MOST_BYTES and glibc <= (2, 17))
    counts = {"versions": len(chosen) - failed, "answers": answers}
    return (failed == 0 and small and enough(QUICK_LEAST if quick else LEAST, counts),
            f"{len(chosen) - failed} of {len(chosen)} versions of Python ({', '.join(chosen)}), {answers} answers equal; "
            f"{size:,} bytes, glibc {'.'.join(map(str, glibc))}")
