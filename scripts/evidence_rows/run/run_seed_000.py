"""Compiles seed 000 (a decode step compiled for a GPU) at full size and compares with XLA's CPU on the same program
in plain HLO with the same inputs: outputs must be equal, and both are timed in one run. The quick form shrinks the
program and compares with the evaluator: XLA's part takes a minute."""
import json
import pathlib
import tempfile

from common import enough, halo_run, need_shared
from replay import problem_of
from seed_runs import measure_seed

ORDER = 52
QUICK_SECONDS = 7
SPEED = True
WHAT = "seed 000 at full size (batch 64, all layers): one decode step compiled here"
BAR = "equal to XLA's CPU within the tolerance of eval-seeds; at most 1/8 of its time in the same run"
LEAST = {"outputs": 4}
QUICK_BAR = "shrunk to 64 MB, equal to the evaluator within the tolerance of eval-seeds; no step is evaluated"


def has_amx():
    """Whether this CPU multiplies bf16 tiles in hardware, on which the full bar rests."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        return "amx_bf16" in info.read()


def shrunk():
    seed = next(need_shared("seeds").glob("000_*"))
    with tempfile.TemporaryDirectory() as name:
        small, expected = pathlib.Path(name) / "small.txt", pathlib.Path(name) / "expected.npz"
        halo_run("shrink", seed, "--to", "64MB", "-o", small)
        halo_run("run", small, "--random", 1, "--engine", "reference", "-o", expected)
        answer = json.loads(halo_run("run", small, "--random", 1, "--compare", expected, "--json").stdout)
        problem = problem_of(answer, expected)
    outputs = answer["comparison"]["outputs"]
    steps = answer["kernel_steps"] + answer["library_steps"]
    held = problem is None and answer["comparison"]["agrees"] and answer["reference_steps"] == 0 and steps >= 100
    return held and enough(LEAST, {"outputs": len(outputs)}), (
        f"{problem or f'{len(outputs)} outputs compared'}; {steps} compiled steps, {answer['reference_steps']} evaluated")


def measure(quick):
    if quick:
        return shrunk()
    print(f"  this CPU has {'AMX' if has_amx() else 'no AMX'}")
    return measure_seed("000", 8, LEAST, quick)
