"""Compiles seed 000 (a decode step compiled for a GPU) at full size and compares with XLA's CPU on the same program
in plain HLO with the same inputs: outputs must be equal, and both are timed in one run."""
from seed_runs import measure_seed

ORDER = 52
WHAT = "seed 000 at full size (batch 64, all layers): one decode step compiled here"
BAR = "equal to XLA's CPU within the tolerance of eval-seeds; at most 1/8 of its time in the same run"
QUICK_BAR = "equal to XLA's CPU within the tolerance of eval-seeds, and faster"


def measure(quick):
    return measure_seed("000", 1 if quick else 8)
