"""Compiles seed 004 (an LSTM trainer of 2020) at full size, one replica with its collectives as identity, and compares
with XLA's CPU on the same program in plain HLO with the same inputs."""
from common import Skipped
from seed_runs import measure_seed

ORDER = 53
QUICK_SECONDS = 0
SPEED = True
WHAT = "seed 004 at full size, one replica: one training step compiled here"
BAR = "equal to XLA's CPU within the tolerance of eval-seeds; at most 1/2 of its time in the same run"
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"outputs": 79}


def measure(quick):
    if quick:
        raise Skipped("XLA's CPU alone takes minutes to compile and run it; the full row measures it")
    return measure_seed("004", 2, LEAST, quick)
