"""Modules and the generator of edits for the rows of `halo diff`. No row by itself."""
import json
import pathlib
import subprocess
import tempfile

from common import SHARED, hlo_texts, need_shared, program

KNOWN = """HloModule known

ENTRY e {
  a = f32[8,4]{1,0} parameter(0)
  b = f32[4,8]{1,0} parameter(1)
  s = f32[8,4]{1,0} sine(a)
  c = f32[4,8]{1,0} cosine(b)
  d = f32[8,8]{1,0} dot(s, c), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  n = f32[8,8]{1,0} negate(d)
  ROOT r = f32[8,8]{1,0} multiply(d, n)
}
"""


def mutations(mode, path, seed, *numbers):
    """Returns what bench/diff_mutations prints, or None if the file is no module that reads without errors."""
    run = subprocess.run([str(program("bench/diff_mutations")), mode, str(path), str(seed), *map(str, numbers)], capture_output=True,
                         text=True, check=False)
    if run.returncode == 2:
        return None
    if run.returncode != 0:
        raise RuntimeError(f"diff_mutations {mode} {path}: exit {run.returncode}\n{run.stderr[-500:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


def counts_rightly():
    """Whether the program counts the values of a module for which the number is known: one for each instruction."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "known.hlo"
        path.write_text(KNOWN, encoding="utf-8")
        counted = mutations("same", path, 1)[0]["values"]
    if counted != KNOWN.count(" = "):
        print(f"  counts {counted} values instead of {KNOWN.count(' = ')} in a module that is known")
    return counted == KNOWN.count(" = ")


def corpus_modules():
    """Every module text of the corpus, and the seeds that are modules."""
    corpus = need_shared("corpus")
    modules = list(hlo_texts(corpus / "jax")) + sorted((corpus / "xla").rglob("*.hlo"))
    return modules + [next((SHARED / "seeds").glob(seed + "_*")) for seed in ("000", "002", "004")]


def optimized_modules():
    """Optimized modules of CPU programs and the seeds that are modules, largest first."""
    corpus = need_shared("corpus")
    modules = list((corpus / "jax" / "cpu").rglob("*.cpu_after_optimizations.txt"))
    modules += [next((SHARED / "seeds").glob(seed + "_*")) for seed in ("000", "002", "004")]
    return sorted(modules, key=lambda path: (-path.stat().st_size, path))
