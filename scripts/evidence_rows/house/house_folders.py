"""Checks the structure of the source tree: folder sizes, names, and the layers of sub-folders."""
import sys

from common import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import check_folders  # noqa: E402
import check_layers  # noqa: E402

ORDER = 60
WHAT = "folders, header names, names in namespace halo, and the includes that sub-folders are allowed"
BAR = ("at most 30 files directly in a folder; no header name and no name of namespace halo twice; every include allowed "
       "by the table; the checker of assignments reaches neither the planner nor the analyses")
LEAST = {"folders": 120, "headers": 400, "types": 500, "functions": 700}
LEAST_FILES = 1100
APART = ("halo/memory/check", ("halo/memory/assign", "halo/memory/backend", "halo/analysis"))


def measure(quick):
    del quick  # takes seconds
    problems, facts = check_folders.check(ROOT)
    files, broken = check_layers.check(ROOT)
    for problem in problems + broken:
        print(f"  {problem}")
    missing = [f"only {facts[name]} {name}" for name, least in LEAST.items() if facts[name] < least]
    if files < LEAST_FILES:
        missing.append(f"only {files} files with includes")
    for each in missing:
        print(f"  {each} were counted")
    closed = check_layers.close(check_layers.read_table((ROOT / "docs/ARCHITECTURE.md").read_text()))
    apart, others = APART
    shared = [name for name in closed.get(apart, others) for other in others if name == other or name.startswith(other + "/")]
    for name in shared:
        print(f"  {apart} may include {name}")
    rows = sum("/" in folder.removeprefix("halo/") for folder in closed)
    return (not problems and not broken and not missing and not shared,
            f"{facts['folders']} folders with at most {facts['most']} files, {facts['headers']} headers, "
            f"{facts['types']} types and {facts['functions']} functions, {len(problems)} problems; {files} files within "
            f"{len(closed)} rows of the table ({rows} of sub-folders), {len(broken)} includes not allowed")
