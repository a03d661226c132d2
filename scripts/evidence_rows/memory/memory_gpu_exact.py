"""Every GPU dump of corpus/jax (H100, A100, B200): the module's text alone must reproduce XLA's assignment."""
from memory_exact import measure_exact

ORDER = 15
QUICK_SECONDS = 2
WHAT = "every GPU dump in corpus/jax: module text to assignment"
BAR = "all allocations, offsets and totals equal XLA's printed ones"
QUICK_BAR = BAR
LEAST = {"dumps": 56, "allocations": 2824, "values": 6828}


def measure(quick):
    del quick
    return measure_exact("gpu", LEAST)
