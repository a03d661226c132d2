"""Modules and the generator of edits for the rows of `halo diff`. No row by itself."""
import json
import subprocess

from common import BUILD, SHARED, hlo_texts, need, need_shared


def generator():
    return need(BUILD / "bench" / "diff_mutations", "the release build's diff_mutations")


def mutations(mode, path, seed, *numbers):
    """Returns what bench/diff_mutations prints, or None if the file is no module that reads without errors."""
    run = subprocess.run([str(generator()), mode, str(path), str(seed), *map(str, numbers)], capture_output=True,
                         text=True, check=False)
    if run.returncode == 2:
        return None
    if run.returncode != 0:
        raise RuntimeError(f"diff_mutations {mode} {path}: exit {run.returncode}\n{run.stderr[-500:]}")
    return [json.loads(line) for line in run.stdout.splitlines()]


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
