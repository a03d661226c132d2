"""Swaps of operands or parameters of the same shape: each that changes what the program computes must be found.

Where no edit is reported, both programs run on the same random inputs; only if a result differs was the swap missed.
The quick form tries a few swaps of three programs."""
import pathlib
import tempfile
import zipfile

from common import enough, halo_run, need_shared
from diff_common import mutations

ORDER = 122
QUICK_SECONDS = 2
LEAST, QUICK_LEAST = {"swaps": 600, "programs": 30}, {"swaps": 20, "programs": 3}
WHAT = "operands or parameters of the same shape swapped in programs before optimization"
BAR = "of at least 600 swaps in 30 programs, every one that changes a result is found"
QUICK_BAR = "of at least 20 swaps in 3 programs, every one that changes a result is found"


def results(path, folder):
    out = folder / "out.npz"
    if halo_run("run", path, "--random", "1", "--engine", "reference", "-o", out).returncode != 0:
        return None
    with zipfile.ZipFile(out) as arrays:
        return [arrays.read(name) for name in sorted(arrays.namelist())]


def measure(quick):
    modules = sorted((need_shared("corpus") / "jax" / "cpu").rglob("*.before_optimizations.txt"))
    tried = found = alike = missed = unknown = programs = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in modules[3:24:7] if quick else modules:
            rows = mutations("swaps", path, 7, 8 if quick else 25)
            if not rows or not rows[-1]["tried"]:
                continue
            programs += 1
            tried += rows[-1]["tried"]
            found += rows[-1]["found"]
            for row in rows[:-1]:
                (folder / "b.hlo").write_text(row["unfound"])
                before, after = results(path, folder), results(folder / "b.hlo", folder)
                if before is None or after is None:
                    unknown += 1
                elif before == after:
                    alike += 1
                else:
                    missed += 1
                    print(f"  {path.parent.name}: a swap that changes a result was not found")
    held = enough(QUICK_LEAST if quick else LEAST, {"swaps": tried, "programs": programs}) and missed == 0 and unknown <= tried // 50
    return held, (f"{found} of {tried} swaps in {programs} programs found; of the others {alike} change no result, "
                  f"{missed} do, {unknown} could not be run")
