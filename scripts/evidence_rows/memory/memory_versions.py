"""Every CPU and GPU assignment of corpus/versions, by jaxlib 0.4.30 to 0.12.0.1: the module's text must reproduce it. From
0.12 on thread-local values are numbered in the order of XLA's computations. A text lists computations in another order,
so this order is taken from the numbers that the assignment prints; the second figure is without it."""
import pathlib
import subprocess
import tempfile

from common import enough, need_shared
from memory_exact import compare, exact

ORDER = 17
WHAT = "every CPU and GPU dump in corpus/versions (jaxlib 0.4.30 to 0.12.0.1): module text to assignment"
BAR = ("at least 45 dumps; all allocations, offsets, live ranges and totals equal XLA's printed ones, given the order of "
       "computations; without that order, all totals")
QUICK_BAR = "the same with every fourth program of cpu_0.12.0.1_programs: at least 17 dumps"
QUICK_SECONDS = 3
LEAST, QUICK_LEAST = {"dumps": 45}, {"dumps": 17}


def unpack(archive, folder):
    """Unpacks the last stage of each module only; an archive holds every pass."""
    wanted = ["*after_optimizations.txt", "*-buffer-assignment.txt", "*-buffer-assignment-values.txt", "*-live-range.txt"]
    subprocess.run(["tar", "-C", str(folder), "--zstd", "-xf", str(archive), "--wildcards", *wanted],
                   check=False, capture_output=True)


def dumps(folder):
    """Returns (module, texts of its assignment, backend) for each assignment below a folder."""
    for first in sorted(folder.rglob("*-buffer-assignment.txt")):
        stem = first.name.removesuffix("-buffer-assignment.txt")
        others = [first.with_name(stem + end) for end in ("-buffer-assignment-values.txt", "-live-range.txt")]
        yield (first.with_name(stem + ".txt"), [first, *(each for each in others if each.exists())],
               "gpu" if "gpu" in stem else "cpu")


def measure(quick):
    count = same = totals = same_in_text_order = values = 0
    for archive in sorted(need_shared("corpus/versions").glob("*.tar.zst")):
        if archive.name.startswith("v5e"):
            continue
        with tempfile.TemporaryDirectory() as place:
            unpack(archive, pathlib.Path(place))
            found = list(dumps(pathlib.Path(place)))
            if quick and "programs" in archive.name:
                found = found[::4]
            for module, texts, backend in found:
                given = compare(module, texts, f"--backend={backend}")
                without = compare(module, texts, f"--backend={backend}", "--text-order")
                count += 1
                same += exact(given)
                same_in_text_order += exact(without)
                totals += without["total"] == without["our_total"] > 0
                values += given["values"]
                if not exact(given):
                    print(f"  differs: {archive.name} {module.name}: {given}")
    held = enough(QUICK_LEAST if quick else LEAST, {"dumps": count}) and same == count and totals == count
    return held, (f"{same} of {count} dumps exact, {values} values; with computations in the order of the text "
                  f"{same_in_text_order} exact and {totals} totals equal")
