"""Assigns the buffers of seed 003 again from the values and live ranges in its dump; compares with XLA's offsets."""
from common import enough, need_shared
from memory_exact import compare_printed, exact

ORDER = 13
QUICK_SECONDS = 1
WHAT = "seed 003 likewise, fast memory given as input"
BAR = "83 of 83 values, total exact"
QUICK_BAR = BAR
LEAST = {"allocations": 10, "values": 83}


def measure(quick):
    del quick
    seed = sorted(need_shared("seeds").glob("003_*.txt"))[0]
    result = compare_printed([seed], "--backend=tpu", "--presets")
    held = exact(result) and enough(LEAST, {what: result[what] for what in LEAST})
    return held, (f"{result['same_allocations']} of {result['allocations']} allocations, {result['same_values']} of "
                  f"{result['values']} values in place, total {result['our_total']:,} of {result['total']:,}")
