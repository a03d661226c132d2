"""Runs the 8-device programs of corpus/jax/cpu as 8 processes. Compares with the recorded outputs of every device and
with the evaluator, which runs all devices in one process, on the same inputs."""
import pathlib
import shutil
import tempfile

from common import SHARED, Skipped, enough, halo_run, need_halo, need_shared
from eval_devices import device_count, recorded_programs
from replay import allow_dropped_roundings, compare, replay, Replay

ORDER = 71
QUICK_SECONDS = 8
WHAT = "every program for several devices of corpus/jax/cpu, before and after optimisation, as one process per device"
BAR = "equal to the recorded outputs and to the one-process evaluator (tolerance of eval-cpu-corpus); all compiled"
QUICK_BAR = "the same for four of the programs after optimisation"
LEAST = {"modules": 14}
QUICK_LEAST = {"modules": 4}


def need_ranks():
    need_halo()
    if shutil.which("mpirun") is None:
        raise Skipped("mpirun is not installed")


def against_evaluator(name, module, inputs, devices, folder, *options):
    """Compares the ranks' results with the evaluator's on the same inputs. Returns None if the evaluator cannot run."""
    expected = pathlib.Path(folder) / "expected.npz"
    run = halo_run("run", module, "--engine", "reference", "--inputs", inputs, "-o", expected, *options)
    if run.returncode != 0:
        return None
    answer, error = compare(module, inputs, expected, "--devices", devices, *options)
    expected.unlink()
    return Replay(name, answer, error, 0)


def in_ranks(result, devices):
    return bool(result.answer) and result.answer["engine"] == "compiled" and result.answer["ranks"] == devices


def measure(quick):
    need_ranks()
    need_shared("corpus/jax/cpu")
    programs = [(*each, device_count(each[2])) for each in recorded_programs()]
    programs.sort(key=lambda each: pathlib.Path(each[1]).stat().st_size)
    if quick:
        programs = [each for each in programs if each[0].endswith("after")][:QUICK_LEAST["modules"]]
    recorded = {}
    for name, module, archive, devices in programs:
        recorded[name] = replay(name, module, archive, "--devices", devices)
    good = steps = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, module, archive, devices in programs:
            first = recorded[name]
            if name.endswith(" before"):
                optimised = recorded.get(name.removesuffix("before") + "after")
                allow_dropped_roundings(first, module, archive, optimised, "--devices", devices)
            second = against_evaluator(name, module, archive, devices, folder)
            held = first.ok and second is not None and second.ok and in_ranks(first, devices)
            good += held
            steps += first.answer["collective_steps"] if held else 0
            print(f"{name:40} recorded: {first.verdict}\n{'':40} evaluator: "
                  f"{second.verdict if second else 'cannot run it'}"
                  f"{'' if in_ranks(first, devices) else '  NOT AS PROCESSES'}", flush=True)
    held = good == len(programs) and enough(QUICK_LEAST if quick else LEAST, {"modules": len(programs)})
    return held, f"{good} of {len(programs)} modules of {len({each[2] for each in programs})} programs, {steps} collectives"
