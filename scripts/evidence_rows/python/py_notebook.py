"""The notebook examples/notebook: every cell runs and shows what its text says, in Jupyter or, in the quick form, cell by cell in
plain Python."""
import json
import pathlib
import re
import subprocess
import tempfile

from common import BUILD, ROOT, Skipped, enough, need
from python_common import VENVS, environment, newest_jax, run_python
from subject import subject

ORDER = 145
QUICK_SECONDS = 6
WHAT = "examples/notebook/four_answers.ipynb executed without a display"
BAR = "Jupyter runs all of at least 12 cells without an error; the viewer's page and 6 expected results are in the outputs"
QUICK_BAR = "the same cells in plain Python, with the outputs that a notebook would show"
LEAST = {"cells": 12, "results": 6}
NOTEBOOK = ROOT / "examples" / "notebook" / "four_answers.ipynb"
RESULTS = (r"\d+% temporary", r"per step on h100", r"\(True, 0\)", r"(?m)^True$|'True'|\"True\"", r"jit__lambda", r"-\d{6,}")

CHILD = r"""
import ast, json, sys
names = {}
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] != "code":
        continue
    tree = ast.parse("".join(cell["source"]))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    shown = {}
    if last is not None:
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
        shown["text/plain"] = repr(value)
        if hasattr(value, "_repr_html_"):
            shown["text/html"] = value._repr_html_()
    print(json.dumps(shown), flush=True)
"""


def by_jupyter():
    """The outputs of the cells, by nbconvert in an environment that has jax and Jupyter."""
    for python in sorted(VENVS.glob("*/bin/python")):
        probe = subprocess.run([python, "-c", "import jax, nbconvert, ipykernel"], capture_output=True, check=False)
        if probe.returncode == 0:
            break
    else:
        raise Skipped("no environment has jax, nbconvert and ipykernel (HALO_VENVS)")
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([subject(python), "-m", "nbconvert", "--to", "notebook", "--execute", NOTEBOOK, "--output-dir", folder,
                               "--output", "executed.ipynb"], capture_output=True, text=True, check=False, env=environment())
        made = pathlib.Path(folder) / "executed.ipynb"
        if done.returncode != 0 or not made.exists():
            print(done.stderr[-1500:])
            return []
        cells = json.loads(made.read_text())["cells"]
    shown = []
    for cell in cells:
        if cell["cell_type"] == "code":
            shown.append({kind: "".join(text) for each in cell["outputs"] for kind, text in each.get("data", {}).items()})
    return shown


def by_python():
    done = run_python(["-c", CHILD, NOTEBOOK], python=newest_jax()[1])
    shown = []
    for line in done.stdout.splitlines():
        try:
            shown.append(json.loads(line))
        except ValueError:
            print(f"  not an output: {line[:80]}")
    if done.returncode != 0:
        print(f"  {done.stderr[-800:]}")
    return shown if done.returncode == 0 else []


def measure(quick):
    need(BUILD / "share" / "haloscope" / "viewer.html", "the viewer's page; run scripts/build_viewer")
    shown = by_python() if quick else by_jupyter()
    cells = sum(cell["cell_type"] == "code" for cell in json.loads(NOTEBOOK.read_text())["cells"])
    text = "\n".join(each.get("text/plain", "") for each in shown)
    results = 0
    for pattern in RESULTS:
        found = bool(re.search(pattern, text))
        results += found
        if not found:
            print(f"  {pattern} is in no output")
    page = any("iframe" in each.get("text/html", "") and "halo-manifest" in each["text/html"] for each in shown)
    return (len(shown) == cells and page and enough(LEAST, {"cells": len(shown), "results": results}),
            f"{len(shown)} of {cells} cells, {results} of {len(RESULTS)} results, {'the' if page else 'no'} viewer's page")
