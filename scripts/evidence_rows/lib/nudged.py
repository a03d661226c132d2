"""Finds elements that a program itself does not determine. If a program rounds a sum to bf16, the last bit of an input
sometimes decides which way it rounds, and values computed from it change by far more than a tolerance in ulps of the
result. Only the evaluator determines which elements these are: it runs again with every f32 input randomly moved by at
most one step. An element of the compiled program that is beyond tolerance must be within the same tolerance of one of
those runs. This does not relax the check for elements that do not depend on such a rounding."""
import pathlib
import tempfile

from common import halo_run, jax_script

RUNS = 8

NUDGE = """
import sys, numpy as np
base, to, seed = np.load(sys.argv[1]), sys.argv[2], int(sys.argv[3])
generator = np.random.default_rng(seed)
moved = {}
for name in base.files:
    value = base[name]
    if name.startswith('in_') and value.dtype == np.float32:
        way = generator.integers(-1, 2, value.shape)
        value = np.where(way == 0, value, np.nextafter(value, np.where(way > 0, np.inf, -np.inf).astype(np.float32)))
    moved[name] = value
np.savez(to, **moved)
"""

ORACLE = """
import sys, numpy as np
got, relative, runs = np.load(sys.argv[1]), float(sys.argv[2]), [np.load(name) for name in sys.argv[3:]]
beyond = beyond_first = 0
for name in got.files:
    value = got[name]
    if value.dtype != np.float32:
        continue
    far = np.ones(value.shape, bool)
    for number, run in enumerate(runs):
        expected = run[name].astype(np.float64)
        largest = np.spacing(np.float32(np.abs(run[name]).max(initial=0)))
        allowed = np.maximum(np.maximum(relative * np.abs(expected), 2 * np.spacing(np.abs(run[name]))), largest)
        far &= ~((np.abs(value - expected) <= allowed) | (value == run[name]) | (np.isnan(value) & np.isnan(run[name])))
        if number == 0:
            beyond_first += int(far.sum())
    beyond += int(far.sum())
print(beyond_first, beyond)
"""


def undetermined(module, inputs, expected, relative):
    """Returns (number of elements beyond tolerance of the evaluator, number of those also beyond tolerance of each of
    its runs on moved inputs), or None if a run fails. `expected` contains the evaluator's outputs on `inputs`. Checks
    f32 outputs only."""
    with tempfile.TemporaryDirectory() as folder:
        ours = pathlib.Path(folder) / "ours.npz"
        if halo_run("run", module, "--inputs", inputs, "-o", ours).returncode != 0:
            return None
        runs = [expected]
        for seed in range(RUNS):
            moved, out = pathlib.Path(folder) / "moved.npz", pathlib.Path(folder) / f"out{seed}.npz"
            jax_script(NUDGE, inputs, moved, seed)
            if halo_run("run", module, "--engine", "reference", "--inputs", moved, "-o", out).returncode != 0:
                return None
            runs.append(out)
        first, all_runs = jax_script(ORACLE, ours, relative, *runs).split()
        return int(first), int(all_runs)
