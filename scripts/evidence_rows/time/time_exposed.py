"""Exposed communication as a share of the step, predicted and measured. Measured: the time in which a collective runs and
no kernel does. On a device that arrives early this includes waiting for the others, which depends on the data (the
scatter of H100) and is not communication; so the device of each step that waits least counts, and the mean over all
devices is shown beside it."""
import collections
import csv
import gzip
import statistics

import time_truth as truth
from common import enough, need_shared

ORDER = 27
WHAT = "exposed communication as a share of the step on A100 and H100 (held out)"
BAR = "within 5 points of the measured share"
LEAST = {"device-steps": 24, "exposed collectives": 4}
QUICK_SECONDS = 3
QUICK_BAR = "the same"
COLLECTIVES = ("all-", "reduce-scatter", "collective-")


def covered(intervals):
    total, end = 0, None
    for begin, until in sorted(intervals):
        if end is None or until > end:
            total += until - (begin if end is None else max(begin, end))
            end = until
    return total


def measured_shares(folder, first):
    """{step: [share of each device]} of the steps from `first` on."""
    kernels, collectives = collections.defaultdict(list), collections.defaultdict(list)
    with gzip.open(folder / "measured_ops.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if int(row["step"]) < first or row["opcode"] == "while":
                continue
            begin = int(row["start_ns"])
            kind = collectives if row["opcode"].startswith(COLLECTIVES) else kernels
            kind[row["step"], row["device"]].append((begin, begin + int(row["duration_ns"])))
    with open(folder / "measured_steps.csv", encoding="utf-8") as file:
        steps = {(row["step"], row["device"]): int(row["duration_ns"]) for row in csv.DictReader(file)}
    shares = collections.defaultdict(list)
    for key, each in kernels.items():
        exposed = covered(each + collectives[key]) - covered(each)
        shares[key[0]].append(exposed / steps[key])
    return shares


def measure(quick):
    held, figures, count, exposed = True, [], 0, 0
    for name, load, folder, first in (("A100", truth.a100, truth.A100, 2), ("H100", truth.h100, truth.H100, 1)):
        module, texts, measured = load()
        document, _ = truth.predict(module, *texts)
        exposed += sum(each["name"] in measured for each in document["exposed"])
        step = document["step"]
        predicted = step["exposed_seconds"] / step["estimate_seconds"]
        shares = measured_shares(need_shared(folder), first)
        least = statistics.median(min(each) for each in shares.values())
        every = [share for each in shares.values() for share in each]
        held &= predicted > 0 and abs(predicted - least) <= 0.05
        count += len(every)
        figures.append(f"{name} {predicted:.1%} predicted, {least:.1%} measured "
                       f"({statistics.mean(every):.1%} with waiting for other devices)")
    held &= enough(LEAST, {"device-steps": count, "exposed collectives": exposed})
    return held, "; ".join(figures)
