"""The programs that rows measure, by one way: subject(path) returns the path to run. Under `scripts/evidence
--self-test`, which sets HALO_EVIDENCE_BROKEN, it is a broken program of the same name instead:

  fails    ends at once with exit code 1 and prints nothing
  silent   ends at once with exit code 0 and prints nothing
  alters   runs the real one and alters what it prints (altering.py states the rule)

A row about the source tree alters the tree instead: tree() is the checkout or, in a self-test, an empty folder (fails),
a copy with every file empty (silent) or a copy in which the row has planted its fault (alters)."""
import atexit
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

KINDS = ("fails", "silent", "alters")
BROKEN = os.environ.get("HALO_EVIDENCE_BROKEN", "")
ALTERING = pathlib.Path(__file__).resolve().with_name("altering.py")


@functools.cache
def scratch():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="halo-broken-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def subject(path):
    """The program to run for this one."""
    if not BROKEN:
        return pathlib.Path(path)
    does = {"fails": "exit 1", "silent": "exit 0", "alters": f'exec "{sys.executable}" -IS "{ALTERING}" "{path}" "$@"'}[BROKEN]
    broken = pathlib.Path(tempfile.mkdtemp(dir=scratch())) / pathlib.Path(path).name
    broken.write_text(f"#!/bin/sh\n{does}\n")
    broken.chmod(0o755)
    return broken


def tree(root, files, plant):
    """The checkout that a row examines: `root` with its tracked `files`. `plant(folder)` damages a copy."""
    if not BROKEN:
        return root
    copy = scratch() / "tree"
    copy.mkdir()
    subprocess.run(["git", "init", "-q", str(copy)], check=True)
    if BROKEN == "fails":
        return copy
    for name in files:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        if BROKEN == "silent":
            (copy / name).touch()
        else:
            shutil.copy(root / name, copy / name)
    if BROKEN == "alters":
        plant(copy)
    return copy
