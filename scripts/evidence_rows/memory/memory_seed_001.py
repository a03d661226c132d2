"""Assigns the buffers of seed 001 again from the values and live ranges in its dump; compares with XLA's offsets."""
from common import need_shared
from memory_exact import compare_printed, exact

ORDER = 12
WHAT = "seed 001 from its own printed values and ranges"
BAR = "54 of 54 allocations, 135 of 135 offsets, total exact"


def measure(quick):
    del quick
    seed = sorted(need_shared("seeds").glob("001_*.txt"))[0]
    result = compare_printed([seed], "--backend=gpu")
    held = exact(result) and result["allocations"] == 54 and result["values"] == 135
    return held, (f"{result['same_allocations']} of {result['allocations']} allocations, {result['same_values']} of "
                  f"{result['values']} values in place, total {result['our_total']:,} of {result['total']:,}")
