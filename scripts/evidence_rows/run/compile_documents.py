"""Compiles every unoptimised CPU module of corpus/jax with `halo compile`. Reads, checks and runs the resulting
documents, and compares their planned memory with what XLA's CPU backend planned for the same program. halo compiles
multi-device programs whole, while XLA partitions them and plans for one device's part. To compare the same program,
their bytes are taken from compiling XLA's own partitioned module."""
import json
import math
import pathlib
import re
import tempfile

from common import enough, halo, halo_run, jax_script, json_lines, need_halo, need_shared
from replay import compare

ORDER = 58
QUICK_SECONDS = 3
WHAT = "corpus/jax/cpu: every unoptimised module through `halo compile --dump-to`"
BAR = ("our readers and jaxlib read the dumped module, verifier and memory checker accept it, running it gives the same "
       "outputs; bytes at most 1.05 times XLA CPU's own by geometric mean, no program above 1.5 times")
QUICK_BAR = "the same for every fourth program"
LEAST = {"programs": 38}
QUICK_LEAST = {"programs": 9}
QUICK = 4

ORACLE = """
import json, pathlib, sys
from jaxlib import _hlo
for path in sys.argv[2:]:
    try:
        _hlo.hlo_module_from_text(pathlib.Path(path).read_text())
        print(json.dumps({'path': path, 'error': ''}))
    except Exception as error:
        print(json.dumps({'path': path, 'error': str(error)[:300]}))
"""


def xla_bytes(folder):
    """Returns the total bytes of XLA's own assignment of the program."""
    values = next(folder.glob("*.cpu_after_optimizations-buffer-assignment-values.txt")).read_text(encoding="utf-8")
    return int(re.search(r"Total bytes used: (\d+)", values).group(1))


class Compiled:
    """One program compiled into a separate folder, and the problems of its output."""

    def __init__(self, source, module, target):
        self.name, self.source, self.original = source.name, source, module
        self.problems = []
        run = halo_run("compile", module, "--dump-to", target, "--json")
        if run.returncode != 0:
            self.problems.append(f"halo compile: exit {run.returncode} {run.stdout.decode()[-300:]}")
            return
        self.program = json.loads(run.stdout)["programs"][0]
        stem = module.name.removesuffix(".before_optimizations.txt") + ".cpu_after_optimizations"
        self.dumped = target / f"{stem}.txt"
        pieces = [target / f"{stem}-{piece}.txt" for piece in
                  ("buffer-assignment", "buffer-assignment-values", "live-range")]
        self.expect("check", self.dumped)
        self.expect("memory", self.dumped, *pieces, "--check", "--no-advice")
        self.expect("info", target / f"{stem}-memory-usage-report.txt")
        self.bytes = self.program["total_bytes"]
        header = module.read_text(encoding="utf-8").split("\n", 1)[0]
        self.is_partitioned = "num_partitions=" in header or "replica_count=" in header
        if self.is_partitioned:
            part = next(source.glob("*.cpu_after_optimizations.txt"))
            self.bytes = json.loads(halo("compile", part, "--json"))["programs"][0]["total_bytes"]
        self.ratio = self.bytes / xla_bytes(source)
        self.rerun(target)

    def expect(self, command, *arguments):
        run = halo_run(command, *arguments)
        if run.returncode != 0:
            self.problems.append(f"halo {command}: exit {run.returncode} {(run.stdout + run.stderr).decode()[:300]}")

    def rerun(self, target):
        inputs, expected = self.source / "io.npz", target / "expected.npz"
        if not inputs.exists():
            return
        run = halo_run("run", self.original, "--engine", "reference", "--inputs", inputs, "-o", expected, "--json")
        if run.returncode != 0:
            self.problems.append("the original does not run")
            return
        answer, error = compare(self.dumped, inputs, expected, "--engine", "reference")
        if error or not answer["comparison"]["agrees"]:
            self.problems.append("its results differ: " + (error or json.dumps(answer["comparison"])[:300]))


def measure(quick):
    need_halo()
    root = need_shared("corpus/jax/cpu")
    modules = sorted(root.glob("*/*.before_optimizations.txt"))
    if quick:
        modules = modules[::QUICK]
    with tempfile.TemporaryDirectory() as temporary:
        programs = []
        for module in modules:
            target = pathlib.Path(temporary) / module.parent.name
            target.mkdir()
            programs.append(Compiled(module.parent, module, target))
        by_path = {str(each.dumped): each for each in programs if hasattr(each, "dumped")}
        for row in json_lines(jax_script(ORACLE, "", *by_path)):
            if row["error"]:
                by_path[row["path"]].problems.append("jaxlib: " + row["error"])
    ratios = []
    for each in programs:
        line = f"{each.name:28}"
        if hasattr(each, "ratio"):
            ratios.append(each.ratio)
            line += (f" {each.bytes:>10} bytes, {each.ratio:.3f} of XLA's"
                     f"{' for one of its devices' if each.is_partitioned else ''}; "
                     f"{each.program['fusions']} fusions, {each.program['copies']} copies")
        print(line, *each.problems, sep="\n    " if each.problems else "", flush=True)
    good = sum(not each.problems for each in programs)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf
    worst = max(ratios, default=math.inf)
    held = good == len(programs) == len(ratios) and mean <= 1.05 and worst <= 1.5
    held = held and enough(QUICK_LEAST if quick else LEAST, {"programs": len(programs)})
    return held, (f"{good} of {len(programs)} programs in order; bytes {mean:.3f} times XLA's by geometric "
                  f"mean, {worst:.3f} at worst")
