"""Programs compiled for H100 against what XLA's CPU recorded for the same programs at the same sizes:
library calls, fusions, layouts and Triton's block-level products mean what the program says."""
from common import SHARED, need_halo, need_shared
from replay import replay_all

ORDER = 41
WHAT = "replay of corpus/jax/gpu/h100_small (optimised for H100) against the outputs recorded on CPU"
BAR = "every program within the tolerance of eval-cpu-corpus; exceptions listed with the reason"
QUICK = 8  # programs, spread over the list

# Programs whose two compilations compute different things, and what differs. Nothing is excused
# beyond what stands here.
REASONS = {}


def gpu_programs():
    for folder in sorted((SHARED / "corpus/jax/gpu/h100_small").iterdir()):
        archive = SHARED / "corpus/jax/cpu" / folder.name / "io.npz"
        for module in sorted(folder.glob("*gpu_after_optimizations.txt")):
            yield folder.name, module, archive


def measure(quick):
    need_halo()
    need_shared("corpus/jax/gpu/h100_small")
    programs = list(gpu_programs())
    if quick:
        programs = programs[::max(1, len(programs) // QUICK)]
    results = replay_all(programs)
    good = [each for each in results if each.ok]
    excused = [each for each in results if not each.ok and each.name in REASONS]
    for each in results:
        if not each.ok:
            print(f"not within tolerance: {each.name}: {each.verdict}\n    {REASONS.get(each.name, 'no reason known')}")
    figure = f"{len(good)} of {len(results)} programs within tolerance"
    if excused:
        figure += f", {len(excused)} more with a stated reason"
    return len(good) + len(excused) == len(results), figure
