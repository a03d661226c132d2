"""Products whose time XLA's autotuner measured, against their times within the training step."""
import time_truth as truth
from common import enough

ORDER = 22
WHAT = "products with autotune results, beside their times in training"
BAR = "median error at most 4 % on A100 and 8 % on H100, at least 100 products each"
QUICK_SECONDS = 2
LEAST = {"products": 100}  # of each device
QUICK_BAR = "the same"


def measure(_quick):
    figures, held = [], True
    for name, load, bar in (("A100", truth.a100, 0.04), ("H100", truth.h100, 0.08)):
        module, texts, measured = load()
        _, ops = truth.predict(module, *texts)
        tuned = [op for op in truth.pairs(measured, ops)[0] if op.source == "autotune"]
        error = truth.median_error(tuned)
        held = enough(LEAST, {"products": len(tuned)}) and held and error <= bar
        figures.append(f"{name} median {error:.1%} of {len(tuned)}, weighted {truth.weighted(tuned):.1%}")
    return held, "; ".join(figures)
