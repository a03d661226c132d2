"""Runs every program that the evaluator replays with the compiled engine: CPU programs of corpus/jax before and after
optimisation, the hand-written ones, and those compiled for H100 and TPU v5e at the recorded sizes. Programs for A100
with library gemms have no recording and are compared with the evaluator on generated inputs. A later row covers
programs for several devices. Where the recording itself does not agree with the program (see eval-h100-corpus), the
evaluator is the reference. It also decides which elements of a program that rounds to bf16 depend on the last bit of
an input (nudged.py)."""
import json
import pathlib
import tempfile

from common import SHARED, enough, halo_run, need_halo, need_shared
from nudged import undetermined
from replay import BF16_ROUNDING, compare, cpu_programs, gpu_programs, replay_all, Replay

ORDER = 50
QUICK_SECONDS = 5
WHAT = "everything the evaluator replays, compiled: corpus/jax for CPU, hand-written, H100, A100, TPU v5e"
BAR = "every program within the tolerance of eval-cpu-corpus of what XLA recorded, or of the evaluator"
QUICK_BAR = "the same for every twelfth recorded program; A100 programs left out"
LEAST = {"recorded programs": 133}
QUICK_LEAST = {"recorded programs": 11}
QUICK = 12
UNABLE = 1  # programs at most that the evaluator cannot run either: the A100 training step takes it too long


def tpu_programs():
    for folder in sorted((SHARED / "corpus/jax/tpu/v5e_small").iterdir()):
        archive = SHARED / "corpus/jax/cpu" / folder.name / "io.npz"
        for module in sorted(folder.glob("*tpu_comp_0_after_optimizations.txt")) or sorted(
                folder.glob("*after_optimizations.txt")):
            if archive.exists():
                yield "v5e " + folder.name, module, archive


def a100_programs():
    for folder in sorted((SHARED / "corpus/jax/gpu/a100_cublas").iterdir()):
        for module in sorted(folder.glob("*gpu_after_optimizations.txt")):
            yield "a100 " + folder.name, module, None


def on_one_device(module):
    """Whether the header names neither replicas nor partitions."""
    with open(module, encoding="utf-8", errors="replace") as file:
        header = file.readline()
    return "replica_count=" not in header and "num_partitions=" not in header


def against_evaluator(name, module, archive):
    """Compares the compiled program with the evaluator on the same inputs. Returns None if the evaluator cannot run it,
    or if its results are not finite where the recorded ones are: then it does not replay the program either."""
    text = pathlib.Path(module).read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        inputs, expected = archive or pathlib.Path(folder) / "in.npz", pathlib.Path(folder) / "expected.npz"
        how = ["--inputs", archive] if archive else ["--random", 1, "--save-inputs", inputs]
        run = halo_run("run", module, "--engine", "reference", *how, "-o", expected, "--json")
        if run.returncode != 0:
            return None
        if archive and any(each["nans"] or each["infinities"] for each in json.loads(run.stdout)["outputs"]):
            recorded, _ = compare(module, archive, archive, "--engine", "reference")
            if any(each["largest_expected"] != 0 and not each["ok"] and each.get("max_absolute") in ("inf", "nan")
                   for each in recorded["comparison"]["outputs"]):
                return None
        answer, error = compare(module, inputs, expected, "--engine", "compiled")
        if answer and not answer["comparison"]["agrees"] and b"bf16[" in text:
            # Summing in another order occasionally rounds to a different bf16, which the program then uses.
            answer, error = compare(module, inputs, expected, "--engine", "compiled", "--rtol", BF16_ROUNDING, "--ulp", 2,
                                    "--ulp-of-largest", 1)
        result = Replay(name, answer, error, 0)
        if result.differing and all(each["type"] == "f32" for each in result.differing) and b"bf16[" in text:
            # The last bit of an input may flip a rounding. The evaluator determines where, and by how much.
            found = undetermined(module, inputs, expected, BF16_ROUNDING)
            if found is not None and found[1] == 0:
                result.ok = True
                result.verdict = (f"within, but for {found[0]} elements that the program does not determine: the evaluator "
                                  f"gives ours as well when its inputs move by one step; {result.verdict}")
        return result


def measure(quick):
    need_halo()
    need_shared("corpus/jax/cpu")
    recorded = [each for each in [*cpu_programs(SHARED), *gpu_programs(SHARED), *tpu_programs()]
                if on_one_device(each[1])]
    others = [each for each in a100_programs() if on_one_device(each[1])]
    if quick:
        recorded, others = recorded[::QUICK], []
    results = replay_all(recorded, "compiled")
    good = compared = unable = evaluated = steps = 0
    wrong = []
    for result, (name, module, archive) in zip(results, recorded):
        if not result.ok:
            again = against_evaluator(name, module, archive)
            if again is None:
                unable += 1
                print(f"{name}: the evaluator has no meaning for it either: {result.verdict}")
                continue
            compared += 1
            print(f"{name}: against the evaluator: {again.verdict}")
            result = again
        if result.ok and result.answer["engine"] == "compiled":
            good += 1
            evaluated += result.answer["reference_steps"]
            steps += result.answer["kernel_steps"] + result.answer["library_steps"] + result.answer["reference_steps"]
        else:
            wrong.append(f"{name}: {result.verdict} {json.dumps((result.answer or {}).get('not_compiled_because'))}")
    for name, module, archive in others:
        result = against_evaluator(name, module, archive)
        print(f"{name}: {'the evaluator cannot run it' if result is None else result.verdict}", flush=True)
        if result is None:
            unable += 1
        elif result.ok and result.answer["engine"] == "compiled":
            good, compared = good + 1, compared + 1
        else:
            wrong.append(f"{name}: {result.verdict}")
    for each in wrong:
        print("WRONG " + each)
    total = len(recorded) + len(others) - unable
    counts = enough(QUICK_LEAST if quick else LEAST, {"recorded programs": len(recorded)})
    return counts and not wrong and good == total and unable <= UNABLE, (
        f"{good} of {total} modules within tolerance ({compared} by the evaluator), {unable} without a meaning here; "
        f"{evaluated} of {steps} steps still evaluated")
