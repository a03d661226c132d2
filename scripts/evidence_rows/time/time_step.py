"""Predicted against measured times of whole steps. Of A100, H100 and v6e there is a scheduled module, so the timeline is
compared with the measured step. The profiles of v5p and 7x have the text of ops, not modules: there the sum of all
predicted ops is compared with the sum of all measured ones, without a timeline."""
import csv
import pathlib
import statistics
import tempfile

import time_truth as truth
import tpu_ops
from common import enough, need_shared

ORDER = 26
WHAT = "times of whole steps on A100 and v5p (fitted), H100, v6e-8 and 7x (held out), without a profile"
BAR = "error at most 25 % on four of five; the floor never above the measured step"
LEAST = {"devices": 5}
QUICK_LEAST = {"devices": 3}
QUICK_SECONDS = 3
QUICK_BAR = "the same on A100, H100 and v6e-8: two of three"
V6E = "profiles/wiki_llama3_8b_v6e8"
V6E_SECONDS = 4.217  # by that folder's authors; there is no trace
V5P_STEPS = 8 * 4  # cores and steps in the profile
RUN = "2026_01_11_21_26_41"


def measured_step(folder, first):
    """Median of the steps from `first` on, of all devices."""
    with open(need_shared(folder) / "measured_steps.csv", encoding="utf-8") as file:
        return statistics.median(int(row["duration_ns"]) * 1e-9 for row in csv.DictReader(file)
                                 if int(row["step"]) >= first)


def of_module(module, texts, *options):
    """Estimate and floor; the answer must be about the module that the file's name has."""
    document, _ = truth.predict(module, *texts, *options)
    if f".{document['program']}." not in module.name:
        raise RuntimeError(f"{module.name} is no program called {document['program']}")
    step = document["step"]
    return step["estimate_seconds"], step["floor_seconds"]


def of_ops(device, text, measured, folder, steps):
    path = pathlib.Path(folder) / f"{device}.hlo"
    path.write_text(text)
    _, ops = truth.predict(path, "--device", device, "--backend", "tpu")
    found, missing = truth.pairs(measured, ops)
    seconds = sum(op.weight for op in found) + sum(measured[name][0] * measured[name][1] for name in missing)
    estimate = sum(op.predicted * op.count for op in found)
    floor = sum(op.op["floor_seconds"] * op.count for op in found)
    return seconds / steps, estimate / steps, floor / steps


def measure(quick):
    rows = []
    module, texts, _ = truth.a100()
    rows.append(("A100", measured_step(truth.A100, 2), *of_module(module, texts)))
    module, texts, _ = truth.h100()
    rows.append(("H100", measured_step(truth.H100, 1), *of_module(module, texts)))
    module = next(need_shared(V6E).glob("module_0262*"))
    rows.append(("v6e-8", V6E_SECONDS, *of_module(module, (), "--device", "v6e")))
    if not quick:
        with tempfile.TemporaryDirectory() as folder:
            rows.append(("v5p", *of_ops("v5p", *tpu_ops.v5p(), folder, V5P_STEPS)))
            rows.append(("7x", *of_ops("7x", *tpu_ops.tpu7x(RUN), folder, 1)))
    near = floors = 0
    for name, seconds, estimate, floor in rows:
        print(f"  {name}: measured {seconds * 1e3:.1f} ms, estimate {estimate * 1e3:.1f} ms, floor {floor * 1e3:.1f} ms")
        near += 0 < estimate and abs(estimate - seconds) <= 0.25 * seconds
        floors += 0 < floor <= seconds
    held = near >= len(rows) - 1 and floors == len(rows) and enough(QUICK_LEAST if quick else LEAST, {"devices": len(rows)})
    return held, "; ".join(f"{name} {estimate / seconds - 1:+.1%} of {seconds * 1e3:.0f} ms"
                           for name, seconds, estimate, _ in rows)
