"""Measured times of real programs, beside what `halo time` predicts. Profiles are read from the shared folder; nothing
of them is stored here. Errors are time-weighted: sum of |predicted - measured| over the sum of measured."""
import collections
import csv
import gzip
import json
import statistics

from common import halo, need_shared

H100 = "profiles/jax_toolbox_maxtext_fsdp4_h100"
A100 = "profiles/jax_toolbox_pax_fsdp4"


def a100(shortest=False):
    """Returns (module, texts, measured) of the training step on A100; of each op, the median or the shortest time."""
    folder = need_shared(A100)
    module = next(folder.glob("dump/rank0.*after_optimizations.hlo.pb"))
    texts = [next(folder.glob("dump/*autotune_results.pbtxt")), next(folder.glob("dump/*gpu_target_config.pbtxt"))]
    return module, texts, medians(folder, 2, None if shortest else "0", shortest)


def h100(shortest=False):
    folder = need_shared(H100)
    module = next(folder.glob("dump/*gpu_after_optimizations.hlo.pb"))
    texts = [next(folder.glob("dump/*autotune_results.pbtxt")), next(folder.glob("dump/*gpu_target_config.pbtxt"))]
    return module, texts, medians(folder, 1, None, shortest)


def medians(folder, skip, device, shortest):
    """{op: (median seconds, executions)} of the steady steps; loops contain their ops and are left out."""
    times = collections.defaultdict(list)
    with gzip.open(folder / "measured_ops.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if int(row["step"]) < skip or row["opcode"] in ("while", "") or device not in (None, row["device"]):
                continue
            times[row["hlo_op"]].append(int(row["duration_ns"]) * 1e-9)
    choose = min if shortest else statistics.median
    return {op: (choose(each), len(each)) for op, each in times.items()}


def predict(module, *arguments):
    """Returns the document of `halo time` and its ops by name."""
    document = json.loads(halo("time", module, *arguments, "--json", "--top", "10000000"))
    return document, {op["name"]: op for op in document["ops"]}


class Pair:
    """One op, measured and predicted."""

    def __init__(self, op, measured, count):
        self.name, self.kind, self.predicted = op["name"], op["kind"], op["seconds"]
        self.low, self.high, self.source = op["low_seconds"], op["high_seconds"], op["estimated_by"]
        self.measured, self.count, self.op = measured, count, op

    @property
    def weight(self):
        return self.measured * self.count

    @property
    def error(self):
        return abs(self.predicted - self.measured) / self.measured


def pairs(measured, ops):
    """Measured ops that have a prediction, and the names of those that have none."""
    found = [Pair(ops[name], *measured[name]) for name in measured if name in ops and measured[name][0] > 0]
    return found, sorted(name for name in measured if name not in ops)


def weighted(ops):
    total = sum(op.weight for op in ops)
    return sum(op.error * op.weight for op in ops) / total if total else 0.0


def median_error(ops):
    return statistics.median(op.error for op in ops) if ops else 0.0


def spearman(ops):
    """Rank correlation of measured and predicted times; ties share their mean rank."""
    def ranks(values):
        order = sorted(range(len(values)), key=values.__getitem__)
        rank = [0.0] * len(values)
        i = 0
        while i < len(order):
            j = i
            while j + 1 < len(order) and values[order[j + 1]] == values[order[i]]:
                j += 1
            for k in range(i, j + 1):
                rank[order[k]] = (i + j) / 2
            i = j + 1
        return rank
    return statistics.correlation(ranks([op.measured for op in ops]), ranks([op.predicted for op in ops]))


def by_kind(ops):
    """One line per kind of kernel, for people."""
    total = sum(op.weight for op in ops)
    kinds = collections.defaultdict(list)
    for op in ops:
        kinds[op.kind].append(op)
    for kind, each in sorted(kinds.items(), key=lambda item: -sum(op.weight for op in item[1])):
        share = sum(op.weight for op in each) / total
        ratio = sum(op.predicted * op.count for op in each) / sum(op.weight for op in each)
        print(f"  {kind:14} {len(each):5} ops {share:6.1%} of the time, predicted/measured {ratio:.2f}, "
              f"weighted error {weighted(each):.1%}, median {median_error(each):.1%}")
