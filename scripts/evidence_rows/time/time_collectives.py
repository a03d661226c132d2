"""Collectives of at least 1 MB on H100 and A100. Profiles include waiting for other devices, so the shortest execution
of each collective is the one that counts."""
import time_truth as truth
from common import enough

ORDER = 23
WHAT = "collectives of at least 1 MB within a node, against profiles"
BAR = "median error at most 10 %, none above 40 %, at least 20 collectives"
QUICK_SECONDS = 2
LEAST = {"collectives": 20}
QUICK_BAR = "not worse than measured before: median error at most 10 %, none above 45 %, at least 20 collectives"


def measure(quick):
    large, figures = [], []
    for name, load in (("A100", lambda: truth.a100(shortest=True)), ("H100", lambda: truth.h100(shortest=True))):
        module, texts, measured = load()
        _, ops = truth.predict(module, *texts)
        found = [op for op in truth.pairs(measured, ops)[0]
                 if op.kind == "collective" and op.op.get("payload_bytes", 0) >= 1e6]
        for op in found:
            print(f"  {name} {op.name}: {op.op['payload_bytes'] / 1e6:.0f} MB, measured {op.measured * 1e6:.0f} us, "
                  f"predicted {op.predicted * 1e6:.0f} us")
        figures.append(f"{name} median {truth.median_error(found):.1%}, worst {max(op.error for op in found):.0%}")
        large += found
    error = truth.median_error(large)
    median, worst = (0.10, 0.45) if quick else (0.10, 0.40)
    held = enough(LEAST, {"collectives": len(large)}) and error <= median and all(op.error <= worst for op in large)
    return held, f"{len(large)} collectives: median {error:.1%}; " + "; ".join(figures)
