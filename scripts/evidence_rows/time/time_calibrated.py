"""A step predicted with what one other step of a profile says about the models."""
import csv
import json
import pathlib
import statistics
import tempfile

import time_truth as truth
from common import enough, halo, need_shared

ORDER = 28
WHAT = "the step after calibration from one profiled step, on the other steady steps of the profile (A100, H100)"
BAR = "every other steady step of A100 and H100 within 5 %"
LEAST = {"steps": 7}
QUICK_SECONDS = 3
QUICK_BAR = "the other steady steps of A100 within 5 %"
QUICK_LEAST = {"steps": 2}


def measured_steps(folder):
    """{step: median seconds over devices}."""
    steps = {}
    with open(need_shared(folder) / "measured_steps.csv") as file:
        for row in csv.DictReader(file):
            steps.setdefault(int(row["step"]), []).append(int(row["duration_ns"]) * 1e-9)
    return {step: statistics.median(each) for step, each in steps.items()}


def errors(load, folder, first, quick):
    """[(step, error)], each predicted after calibration from another one; the error without calibration; and how much
    longer the longest step is than the shortest, which no prediction from one of them can know."""
    module, texts, _ = load()
    steps = {step: seconds for step, seconds in measured_steps(folder).items() if step >= first}
    profile = need_shared(folder) / "measured_ops.csv.gz"
    plain = json.loads(halo("time", module, *texts, "--json"))["step"]["estimate_seconds"]
    found = []
    with tempfile.TemporaryDirectory() as scratch:
        for source in sorted(steps)[:1 if quick else None]:
            calibration = pathlib.Path(scratch) / f"{source}.json"
            halo("time", module, *texts, "--profile", profile, "--profile-step", source, "--save-calibration", calibration)
            document = json.loads(halo("time", module, *texts, "--calibration", calibration, "--json"))
            if f".{document['program']}." not in pathlib.Path(module).name:
                raise RuntimeError(f"predicts {document['program']}, not {module}")
            predicted = document["step"]["estimate_seconds"]
            found += [(step, abs(predicted / seconds - 1)) for step, seconds in steps.items() if step != source]
    spread = max(steps.values()) / min(steps.values()) - 1
    return found, statistics.median(abs(plain / seconds - 1) for seconds in steps.values()), spread


def measure(quick):
    figures, every = [], []
    for name, load, folder, first in (("A100", truth.a100, truth.A100, 2), ("H100", truth.h100, truth.H100, 1)):
        if quick and name != "A100":
            continue
        found, plain, spread = errors(load, folder, first, quick)
        every += [error for _, error in found]
        worst, middle = max(error for _, error in found), statistics.median(error for _, error in found)
        figures.append(f"{name} at most {worst:.1%} on {len(found)} pairs of steps, median {middle:.1%} ({plain:.0%} "
                       f"without); measured steps differ by {spread:.1%}")
    held = max(every) <= 0.05 and enough(QUICK_LEAST if quick else LEAST, {"steps": len(every)})
    return held, "; ".join(figures)
