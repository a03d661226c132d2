"""Compares programs compiled for H100 with the results that XLA's CPU recorded for the same programs at the same
sizes. Covers library calls, fusions, layouts and Triton's block-level products."""
from common import SHARED, enough, need_halo, need_shared
from replay import gpu_programs, replay, replay_all

ORDER = 41
QUICK_SECONDS = 1
WHAT = "replay of corpus/jax/gpu/h100_small (optimised for H100) against the outputs recorded on CPU"
BAR = "every program within the tolerance of eval-cpu-corpus; exceptions listed with the reason"
QUICK_BAR = "the same for a third of the programs, spread over the list"
LEAST = {"programs": 25}
QUICK_LEAST = {"programs": 8}
QUICK = 8  # programs, spread over the list

DENORMAL = [31]  # index of 1e-38 in math_zoo's inputs
BF16_ROUNDING = 2.0**-9  # the most that rounding to bf16 once changes a number by, relative to it


def only_denormals(result, archive):
    """Whether the input is denormal at the index of every element beyond tolerance."""
    del archive
    return all(each["beyond"] == 1 and each["worst"][0]["index"] == DENORMAL for each in result.differing)


def exact_as_compiled_for_cpu(result, archive):
    """Whether the module that XLA's CPU ran reproduces the recorded bits, and this one's results are no further from
    them than one rounding to bf16. Then the two programs differ only in where they round."""
    if any(each["max_absolute"] > BF16_ROUNDING * each["largest_expected"] for each in result.differing):
        return False
    module = next(archive.parent.glob("*.cpu_after_optimizations.txt"))
    return replay("as compiled for CPU", module, archive, "--engine", "reference").bit_exact


# Programs that cannot agree, with the reason and a predicate that must hold for the reason to apply.
REASONS = {
    "math_zoo": ("one input is denormal, and XLA's CPU takes denormal numbers for zero; here they count",
                 only_denormals),
    "transformer_train_bf16": ("the module for CPU keeps f32 where this one rounds to bf16, as the program says; "
                               "replayed as compiled for CPU it is bit-exact", exact_as_compiled_for_cpu),
}


def measure(quick):
    need_halo()
    need_shared("corpus/jax/gpu/h100_small")
    programs = list(gpu_programs(SHARED))
    if quick:
        programs = programs[::max(1, len(programs) // QUICK)]
    results = replay_all(programs, "reference")
    good = sum(each.ok for each in results)
    excused = 0
    for each, (name, _, archive) in zip(results, programs):
        if each.ok:
            continue
        why, holds = REASONS.get(name, ("no reason known", None))
        proven = holds is not None and each.differing and holds(each, archive)
        excused += bool(proven)
        print(f"not within tolerance: {name}: {each.verdict}\n    {why}{'' if proven else ' (NOT SHOWN)'}")
    figure = f"{good} of {len(results)} programs within tolerance"
    if excused:
        figure += f", {excused} more differ for a reason that the row shows"
    return good + excused == len(results) and enough(QUICK_LEAST if quick else LEAST, {"programs": len(results)}), figure
