"""Compiles seed 000 (a decode step compiled for a GPU) at full size and compares with XLA's CPU on the same program
in plain HLO with the same inputs: outputs must be equal, and both are timed in one run."""
from seed_runs import measure_seed

ORDER = 52
QUICK_SECONDS = 20
SPEED = True
WHAT = "seed 000 at full size (batch 64, all layers): one decode step compiled here"
BAR = "equal to XLA's CPU within the tolerance of eval-seeds; at most 1/8 of its time in the same run"
LEAST = {"outputs": 4}
QUICK_BAR = ("equal to XLA's CPU within the tolerance of eval-seeds; with AMX faster, on CPUs without it in at most 1.5 times "
             "XLA's time")


def has_amx():
    """Whether this CPU multiplies bf16 tiles in hardware, on which the full bar rests."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        return "amx_bf16" in info.read()


def measure(quick):
    print(f"  this CPU has {'AMX' if has_amx() else 'no AMX'}")
    return measure_seed("000", (1 if has_amx() else 1 / 1.5) if quick else 8, LEAST, quick)
