"""Every CPU dump of corpus/jax: the module's text alone gives XLA's own assignment."""
from memory_exact import measure_all

ORDER = 14
WHAT = "every CPU dump in corpus/jax: module text to assignment"
BAR = "all allocations, offsets and totals equal XLA's printed ones"


def measure(quick):
    del quick
    sums = measure_all("cpu", lambda module: ["--backend=cpu"])
    print(f"  {sums['values']} values, {sums['ranges']} live ranges")
    held = sums["dumps"] >= 38 and sums["same"] == sums["dumps"]
    return held, (f"{sums['same']} of {sums['dumps']} dumps exact: {sums['same_allocations']} of "
                  f"{sums['allocations']} allocations, {sums['same_values']} of {sums['values']} values")
