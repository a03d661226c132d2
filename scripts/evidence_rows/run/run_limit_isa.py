"""Measures the programs of run-limit at three levels of vector extensions: limited to AVX2, to AVX-512 without bf16, and
not limited. oneDNN and numpy are limited likewise; memcpy is not, since it is the machine's bandwidth that counts.
HALO_EVIDENCE_ONLY=avx2,... restricts a run, which then never holds."""
import os

from common import Skipped, enough, need_halo
from cpu_levels import LEVELS, limited_to, need_levels
from run_limit import MODULES, REPEAT, ROUNDS, best_times, shares_of

ORDER = 58
QUICK_SECONDS = 0
SPEED = True
WHAT = "products, memory-bound programs and a sort at three levels of vector extensions against the limits of the machine"
BAR = ("at every level: a product of 2048^3 in f32 at least 90 % of bare oneDNN at that level, in bf16 at least as fast as bare "
       "oneDNN in f32; copy, add, softmax and layer norm of 64M elements at least 85 % of the bandwidth of memcpy; sort of 1e6 "
       "f32 no slower than numpy")
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"levels": 3, "programs at each": 7, "runs of each": 24}


def measure(quick):
    if quick:
        raise Skipped("takes minutes; the quick form of run-limit runs the same programs at the machine's level")
    need_halo()
    need_levels()
    held, told, counts = True, [], []
    only = [each for each in os.environ.get("HALO_EVIDENCE_ONLY", "").split(",") if each]
    for level in (each for each in LEVELS if not only or each in only):
        print(f"at {level}:")
        with limited_to(level):
            best, limits, numpy = best_times(ROUNDS, REPEAT)
        shares = shares_of(best, limits, numpy, "matmul_f32_seconds")
        held &= all(share >= bar for _, share, bar in shares)
        counts.append(len(best))
        told.append(f"{level}: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share, _ in shares))
    least = enough(LEAST, {"levels": len(counts), "programs at each": min(counts), "runs of each": ROUNDS * REPEAT})
    return held and least and min(counts) == len(MODULES), "; ".join(told)
