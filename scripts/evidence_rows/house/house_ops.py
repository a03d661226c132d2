"""Measures the effort of adding an opcode. Counts the files that list opcodes, applies a stored patch that adds an
opcode to a copy of the tree, builds it, and tests the opcode with every command. The copy is kept in build/house-ops,
so a second run rebuilds only what changed."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from common import ROOT
from patched_tree import PatchedTree, tracked_files
from subject import tree

ORDER = 61
QUICK_SECONDS = 1
WHAT = "files and labels that list opcodes; a stored patch that adds one (softsign), built and used"
BAR = ("at most 35 files with 500 labels `case Opcode::`; the patch applies and touches at most 8 files; with it the "
       "command reads, verifies, evaluates, plans, compiles, shrinks and shows a module of the new op, numbers as expected")
QUICK_BAR = ("at most 35 files with 500 labels `case Opcode::`; the patch applies and touches at most 8 files; nothing is "
             "built")
LEAST = {"labels": 300, "files touched": 2}
MOST_FILES, MOST_LABELS, MOST_TOUCHED = 35, 500, 8
PATCHED = PatchedTree("tests/house/Inputs/add_opcode.patch", "house-ops")
COPY = PATCHED.copy


def count_labels(root):
    """Returns {file: number of labels} for the sources of libraries and tools."""
    found = collections.Counter()
    for folder in ("halo", "tools"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cc", ".h"):
                count = path.read_text(encoding="utf-8").count("case Opcode::")
                if count:
                    found[str(path.relative_to(root))] = count
    return found


def use():
    """Runs each command on the patch's module. Returns {use: whether the output is as expected}."""
    module = COPY / "tests/run/softsign.hlo"

    def halo(*arguments):
        run = subprocess.run([str(COPY / "build/release/halo"), *map(str, arguments)], capture_output=True, text=True,
                             check=False)
        if run.returncode != 0:
            print(f"  halo {' '.join(map(str, arguments))}: exit {run.returncode}\n{run.stderr[:1000]}")
            return ""
        return run.stdout

    def parsed(text):
        return json.loads(text) if text else {}

    numbers = "out_0 = f32[4] {-1.5, 0, 0.4, 1}"
    with tempfile.TemporaryDirectory() as folder:
        inputs, plain, small = (os.path.join(folder, name) for name in ("in.npz", "plain.hlo", "small.hlo"))
        subprocess.run([sys.executable, str(COPY / "tests/run/Inputs/make_npz.py"), inputs, "in_0=<f4:4:-3,0,0.25,1"],
                       check=True)
        # The module without the comments that the test runner reads.
        text = "\n".join(line for line in module.read_text().splitlines() if not line.startswith("//")) + "\n"
        pathlib.Path(plain).write_text(text, encoding="utf-8")
        compiled = parsed(halo("run", plain, "--json", "--cache", "none", "--inputs", inputs))
        plan = parsed(halo("memory", "--plan", "--json", plain))
        halo("shrink", plain, "--dim", "4=2", "-o", small)
        shown = parsed(halo("ask", '{"ask":"graph"}', plain))
        nodes = shown.get("nodes", {"detail": [], "category": []})
        categories = [shown["categories"][number] for number in nodes["category"]] if shown else []
        found = parsed(halo("ask", '{"ask":"search","query":"opcode:softsign"}', plain))
        return {
            "read and printed": halo("fmt", plain) == text,
            "verified": "0 errors, 0 warnings" in halo("check", plain),
            "evaluated": numbers in halo("run", plain, "--engine=reference", "--inputs", inputs),
            "planned": plan.get("total_bytes", 0) > 0,
            "compiled": "softsign(" in halo("compile", plain),
            "run": (numbers in halo("run", plain, "--cache", "none", "--inputs", inputs)
                    and compiled.get("kernel_steps", 0) >= 1 and compiled.get("reference_steps") == 0),
            "shrunk": os.path.exists(small) and "f32[2] softsign(" in pathlib.Path(small).read_text(encoding="utf-8"),
            "shown": ("softsign f32[4]", "elementwise") in zip(nodes["detail"], categories) and found.get("total") == 1,
        }


def measure(quick):
    root = tree(ROOT, tracked_files(ROOT), PATCHED.plant)
    labels = count_labels(root)
    touched = PATCHED.touched()
    problem = PATCHED.apply(root, "--check")
    if problem:
        print(f"  {problem.strip()}")
    held = (len(labels) <= MOST_FILES and sum(labels.values()) <= MOST_LABELS and not problem
            and LEAST["files touched"] <= len(touched) <= MOST_TOUCHED and sum(labels.values()) >= LEAST["labels"])
    figure = (f"{sum(labels.values())} labels in {len(labels)} files; the patch touches {len(touched)} files and "
              f"{'does not apply' if problem else 'applies'}")
    if quick or problem:
        return held, figure
    PATCHED.make()
    PATCHED.build("halo")
    uses = use()
    for name, right in uses.items():
        print(f"  {name}: {'as expected' if right else 'NOT as expected'}")
    return held and all(uses.values()), f"{figure}; built, {sum(uses.values())} of {len(uses)} uses as expected"
