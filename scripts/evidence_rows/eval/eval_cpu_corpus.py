"""Evaluates every CPU program of corpus/jax with its recorded inputs, before and after optimisation, and the
hand-written programs. Compares the results with those of XLA's CPU."""
from common import SHARED, enough, need_halo, need_shared
from replay import cpu_programs, replay_all

ORDER = 40
QUICK_SECONDS = 4
WHAT = "replay of corpus/jax on CPU, modules before and after optimisation, with recorded inputs"
BAR = ("every output of every program within tolerance: f32 1e-5 relative or 4 ulp of the output's largest times the "
       "root of the longest sum's length, f64 1e-13 or the same, bf16 and f16 2 ulp or 1 of the largest, f8 1 ulp, "
       "integers bit-exact, with them sorts and generators of integers; what XLA's CPU does with denormals and dropped roundings allowed for")
QUICK_BAR = BAR
LEAST = {"modules": 97}


def measure(quick):
    del quick  # the full form takes seconds
    need_halo()
    need_shared("corpus/jax/cpu")
    programs = list(cpu_programs(SHARED))
    results = replay_all(programs, "reference")
    good = sum(each.ok for each in results)
    exact = sum(each.bit_exact for each in results)
    for each in results:
        if not each.ok:
            print(f"not within tolerance: {each.name}: {each.verdict}")
    return good == len(results) and enough(LEAST, {"modules": len(results)}), f"{good} of {len(results)} modules within tolerance, {exact} of them bit-exact"
