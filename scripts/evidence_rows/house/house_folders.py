"""Checks the structure of the source tree: folder sizes, names, and the layers of sub-folders."""
import sys

from common import ROOT, enough
from subject import tree

sys.path.insert(0, str(ROOT / "scripts"))
import check_folders  # noqa: E402
import check_layers  # noqa: E402
from tracked_files import tracked_files  # noqa: E402

ORDER = 60
QUICK_SECONDS = 2
WHAT = "folders, header names, names in namespace halo, and the includes that sub-folders are allowed"
BAR = ("at most 30 files directly in a folder; no header name and no name of namespace halo twice; every include allowed "
       "by the table; the checker of assignments reaches neither the planner nor the analyses")
QUICK_BAR = BAR
LEAST = {"folders": 120, "headers": 400, "types": 500, "functions": 700, "files with includes": 1100}
APART = ("halo/memory/check", ("halo/memory/assign", "halo/memory/backend", "halo/analysis"))


def plant(folder):
    """The fault of the self-test: a header of a lower layer includes one of a higher layer."""
    with open(folder / "halo/base/strings/text_buffer.h", "a", encoding="utf-8") as header:
        header.write('#include "halo/memory/assign/assign.h"\n')


def measure(quick):
    del quick  # takes seconds
    root = tree(ROOT, tracked_files(ROOT), plant)
    problems, facts = check_folders.check(root)
    files, broken = check_layers.check(root)
    for problem in problems + broken:
        print(f"  {problem}")
    counted = enough(LEAST, {**{name: facts[name] for name in LEAST if name in facts}, "files with includes": files})
    closed = check_layers.close(check_layers.read_table((root / "docs/ARCHITECTURE.md").read_text()))
    apart, others = APART
    shared = [name for name in closed.get(apart, others) for other in others if name == other or name.startswith(other + "/")]
    for name in shared:
        print(f"  {apart} may include {name}")
    rows = sum("/" in folder.removeprefix("halo/") for folder in closed)
    return (not problems and not broken and counted and not shared,
            f"{facts['folders']} folders with at most {facts['most']} files, {facts['headers']} headers, "
            f"{facts['types']} types and {facts['functions']} functions, {len(problems)} problems; {files} files within "
            f"{len(closed)} rows of the table ({rows} of sub-folders), {len(broken)} includes not allowed")
