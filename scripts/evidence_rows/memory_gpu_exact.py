"""Every GPU dump of corpus/jax (H100, A100, B200): the module's text alone gives XLA's own assignment."""
from memory_exact import measure_all

ORDER = 15
WHAT = "every GPU dump in corpus/jax: module text to assignment"
BAR = "all allocations, offsets and totals equal XLA's printed ones"


def measure(quick):
    del quick
    sums = measure_all("gpu", lambda module: ["--backend=gpu"])
    print(f"  {sums['values']} values, {sums['ranges']} live ranges")
    held = sums["dumps"] >= 56 and sums["same"] == sums["dumps"]
    return held, (f"{sums['same']} of {sums['dumps']} dumps exact: {sums['same_allocations']} of "
                  f"{sums['allocations']} allocations, {sums['same_values']} of {sums['values']} values")
