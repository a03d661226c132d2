"""Assigns the buffers of seed 001 again from the values and live ranges in its dump; compares with XLA's offsets."""
from common import enough, need_shared
from memory_exact import compare_printed, exact

ORDER = 12
QUICK_SECONDS = 1
WHAT = "seed 001 from its own printed values and ranges"
BAR = "54 of 54 allocations, 135 of 135 offsets, total exact"
QUICK_BAR = BAR
LEAST = {"allocations": 54, "values": 135}


def measure(quick):
    del quick
    seed = sorted(need_shared("seeds").glob("001_*.txt"))[0]
    result = compare_printed([seed], "--backend=gpu")
    held = exact(result) and enough(LEAST, {what: result[what] for what in LEAST})
    return held, (f"{result['same_allocations']} of {result['allocations']} allocations, {result['same_values']} of "
                  f"{result['values']} values in place, total {result['our_total']:,} of {result['total']:,}")
