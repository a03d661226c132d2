"""Times of kernels on MI300X, which no model was fitted to, against profiles that embed their programs."""
import collections
import csv
import pathlib
import statistics
import tempfile

import time_truth as truth
import xplane_modules
from common import enough, need_shared

ORDER = 25
WHAT = "times of the kernels of small programs on MI300X (held out)"
BAR = "at least 50 kernels outside calls of unknown cost: weighted error at most 30 %"
QUICK_SECONDS = 2
LEAST = {"kernels": 50}
QUICK_BAR = "not worse than measured before: weighted error at most 40 %; at least 50 kernels"


def executions(times):
    """{op: (seconds, executions)}. A convolution is several kernels: those of one execution are summed. A program runs as
    often as half of its ops have kernels."""
    runs = statistics.median_low(len(each) for each in times.values())
    kernels = {op: max(1, round(len(each) / runs)) for op, each in times.items()}
    return {op: (statistics.median(each) if kernels[op] == 1 else sum(each) / len(each) * kernels[op],
                 len(each) / kernels[op]) for op, each in times.items()}


def measure(quick):
    folder, found, unknown = need_shared("profiles/tracelens_mi300"), [], 0.0
    with tempfile.TemporaryDirectory() as scratch:
        for profile in sorted(folder.glob("*.xplane.pb")):
            if profile.name.startswith("te_"):
                continue  # another device
            name = profile.name.removesuffix(".xplane.pb")
            times = collections.defaultdict(lambda: collections.defaultdict(list))
            with open(folder / f"{name}.measured_ops.csv") as file:
                for row in csv.DictReader(file):
                    if row["program_id"] and row["hlo_op"]:
                        times[int(row["program_id"])][row["hlo_op"]].append(float(row["duration_us"]) * 1e-6)
            for program, proto in xplane_modules.modules(profile).items():
                if program not in times:
                    continue
                path = pathlib.Path(scratch) / f"{name}.{program}.hlo.pb"
                path.write_bytes(proto)
                _, ops = truth.predict(path, "--device", "mi300x", "--backend", "gpu")
                measured = executions(times[program])
                pairs, _ = truth.pairs(measured, ops)
                found += [op for op in pairs if op.source != "unknown"]
                unknown += sum(op.weight for op in pairs if op.source == "unknown")
    truth.by_kind(found)
    error, total = truth.weighted(found), sum(op.weight for op in found)
    return (enough(LEAST, {"kernels": len(found)}) and error <= (0.40 if quick else 0.30),
            f"{len(found)} kernels: weighted error {error:.1%}, median {truth.median_error(found):.1%}; "
            f"{unknown / (unknown + total):.0%} of the time unknown")
