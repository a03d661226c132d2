"""Times of single ops on A100, the GPU that the models were fitted to, against a profile."""
import time_truth as truth
from common import enough

ORDER = 20
WHAT = "times of the ops of a training step on 4 A100, predicted without and with the dump's autotuning"
BAR = "at least 2,400 ops outside collectives: weighted error at most 15 %, Spearman at least 0.93"
QUICK_SECONDS = 2
LEAST = {"ops": 2400}
QUICK_BAR = "the same"


def measure(_quick):
    module, texts, measured = truth.a100()
    document, ops = truth.predict(module, *texts)
    found, missing = truth.pairs(measured, ops)
    truth.by_kind(found)
    kernels = [op for op in found if op.kind != "collective"]
    error, rank = truth.weighted(kernels), truth.spearman(kernels)
    plain = truth.weighted([op for op in truth.pairs(measured, truth.predict(module, texts[1])[1])[0]
                            if op.kind != "collective"])
    held = enough(LEAST, {"ops": len(kernels)}) and error <= 0.15 and rank >= 0.93 and document["device"]["name"] == "a100-40"
    return held, (f"{len(kernels)} ops: weighted error {error:.1%} ({plain:.1%} without autotuning), Spearman {rank:.3f}; "
                  f"{len(missing)} ops have no prediction")
