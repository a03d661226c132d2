"""Every CPU dump of corpus/jax: the module's text alone must reproduce XLA's assignment."""
from memory_exact import measure_exact

ORDER = 14
QUICK_SECONDS = 1
WHAT = "every CPU dump in corpus/jax: module text to assignment"
BAR = "all allocations, offsets and totals equal XLA's printed ones"
QUICK_BAR = BAR
LEAST = {"dumps": 38, "allocations": 1800, "values": 5066}


def measure(quick):
    del quick
    return measure_exact("cpu", LEAST)
