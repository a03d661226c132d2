"""Every TPU dump of corpus/jax: live ranges, and how far the text determines the rest. What fast memory holds
was decided before buffers are assigned and is given as input, taken from the assignment."""
from memory_exact import measure_all

ORDER = 16
WHAT = "every TPU dump in corpus/jax, fast memory given as input"
BAR = "all live ranges equal XLA's; the share of offsets is stated"


def measure(quick):
    del quick
    sums = measure_all("tpu", lambda module: ["--backend=tpu", "--presets"])
    held = sums["dumps"] >= 58 and sums["same_ranges"] == sums["ranges"]
    return held, (f"{sums['same_ranges']} of {sums['ranges']} live ranges; {sums['same_values']} of "
                  f"{sums['values']} values in place ({100 * sums['same_values'] / sums['values']:.1f}%), "
                  f"{sums['totals']} of {sums['dumps']} totals, {sums['same']} dumps exact")
