"""Every TPU dump of corpus/jax: compares live ranges and measures how far the text determines the rest. XLA decides
what goes into fast memory before buffer assignment, so this is taken from the assignment as input."""
from common import enough
from memory_exact import measure_all

ORDER = 16
QUICK_SECONDS = 2
WHAT = "every TPU dump in corpus/jax, fast memory given as input"
BAR = "all live ranges equal XLA's; the share of offsets is stated"
QUICK_BAR = BAR
LEAST = {"dumps": 58, "ranges": 16_000, "values": 18_600}


def measure(quick):
    del quick
    sums = measure_all("tpu", lambda module: ["--backend=tpu", "--presets"])
    held = sums["same_ranges"] == sums["ranges"] and enough(LEAST, {what: sums[what] for what in LEAST})
    return held, (f"{sums['same_ranges']} of {sums['ranges']} live ranges; {sums['same_values']} of "
                  f"{sums['values']} values in place ({100 * sums['same_values'] / sums['values']:.1f}%), "
                  f"{sums['totals']} of {sums['dumps']} totals, {sums['same']} dumps exact")
