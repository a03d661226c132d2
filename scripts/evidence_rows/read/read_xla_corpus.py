"""The .hlo files of openxla/xla: halo must read every file that jaxlib reads and print it canonically as jaxlib does.

XLA's reader changes two things that halo keeps. Both sides are normalized before comparing:
- a float constant written -0 is read as the integer 0 and loses its sign;
- a complex constant with one NaN part gets two.
So is what newer versions print in other words (as_before_2026).
Everything else, including stack tables, backend_config, async wrappers and the order of computations, is equal."""
import concurrent.futures
import os
import pathlib
import re
import tempfile

from common import as_before_2026, enough, halo_run, jax_script, json_lines, reference_version, need_shared

ORDER = 2
QUICK_SECONDS = 10
WHAT = "corpus/xla: the files jaxlib parses, canonical style against its to_string()"
BAR = "all that jaxlib reads parse and print equal; each of the others parses or gives a sensible diagnostic"
QUICK_BAR = BAR
LEAST = {"files that jaxlib reads": 435, "other files": 46}
# How many of the 483 files a reference reads: jaxlib 0.12.0.1 knows more attributes than 0.10.2.
READ_BY = {"0.12.0.1": 437, "0.10.2": 435}

ORACLE = """
import json, pathlib, sys
from jaxlib import _hlo
root, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
for number, path in enumerate(sorted(p for p in root.rglob('*') if p.is_file())):
    try:
        text = _hlo.hlo_module_from_text(path.read_text(errors='replace')).to_string()
        (out / str(number)).write_text(text)
        print(json.dumps({'path': str(path), 'canonical': str(out / str(number))}))
    except Exception as error:
        print(json.dumps({'path': str(path), 'error': str(error)[:200]}))
"""

ZERO = re.compile(rb"(?<=[({ ])-0(?=[,)} ])")
# An error must have a location, or must say what kind of file it is if it contains no module.
SENSIBLE = re.compile(rb"\.hlo:\d+:\d+: error: |: error: no module here: this is .* \[not-hlo\]")
NAN_PAIR = re.compile(rb"\((?:-?nan, [^()]*|[^(),]*, -?nan)\)")


def undo_reading(text):
    lines = []
    for line in text.split(b"\n"):
        if b" constant(" in line:
            line = NAN_PAIR.sub(b"(nan, nan)", ZERO.sub(b"0", line))
        lines.append(line)
    return as_before_2026(b"\n".join(lines))


def measure(quick):
    del quick
    root = need_shared("corpus/xla")
    parsed = equal = refused = placed = tolerant = 0

    def run_on(row):
        return row, halo_run(*(["fmt", "--style=canonical"] if "canonical" in row else ["check"]), row["path"])

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for row, run in pool.map(run_on, json_lines(jax_script(ORACLE, root, folder))):
            if "canonical" in row:
                parsed += 1
                want = pathlib.Path(row["canonical"]).read_bytes()
                if run.returncode == 0 and undo_reading(run.stdout) == undo_reading(want):
                    equal += 1
                else:
                    print(f"  differs: {row['path']}")
                continue
            refused += 1
            if run.returncode == 0 and b" 0 errors, " in run.stdout:
                tolerant += 1
            elif SENSIBLE.search(run.stdout + run.stderr):
                placed += 1
            else:
                print(f"  no sensible diagnostic: {row['path']}")
    print(f"  jaxlib refuses {refused}: halo reads {tolerant} of them and says what is wrong in {placed}")
    held = (equal == parsed == READ_BY[reference_version()] and placed + tolerant == refused
            and enough(LEAST, {"files that jaxlib reads": parsed, "other files": refused}))
    return held, f"{equal} of {parsed} equal; {placed + tolerant} of {refused} refused files answered"
