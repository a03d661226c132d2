"""Checks the terms of a change of the step's time: DIFF.json DIFF.txt TIME_A.json TIME_B.json.

They must add up to the change, be what `halo time` says of both programs, and be printed as they are."""
import json
import re
import sys

TERMS = ("only_after", "only_before", "changed", "gaps", "exposed", "stalled")
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def near(what, got, expected, margin):
    if not abs(got - expected) <= margin:
        sys.exit(f"{what}: {got!r}, expected {expected!r}")


with open(sys.argv[1]) as file:
    step = json.load(file)["step"]
times = []
for path in sys.argv[3:5]:
    with open(path) as file:
        times.append(json.load(file)["step"])
total = step["after"] - step["before"]
near("seconds", step["seconds"], total, 1e-9 * abs(total))
near("terms", sum(step[term] for term in TERMS), total, 1e-9 * abs(total))
assert total != 0 and sum(step[term] != 0 for term in TERMS) >= 4, step

change = {key: times[1][key] - times[0][key] for key in times[0] if key.endswith("_seconds")}
exact = 1e-9 * step["after"]
near("before", step["before"], times[0]["estimate_seconds"], 0)
near("after", step["after"], times[1]["estimate_seconds"], 0)
near("gaps", step["gaps"], change["gap_seconds"], exact)
near("exposed", step["exposed"], change["exposed_seconds"], exact)
near("stalled", step["stalled"], change["stalled_seconds"], exact)
kernels = step["only_after"] + step["only_before"] + step["changed"]
near("kernels", kernels, change["compute_seconds"] - change["gap_seconds"], exact)
near("causes", sum(cause["seconds"] for cause in step["causes"]), kernels, exact)
for cause in step["causes"]:
    near(cause["what"], sum(place["seconds"] for place in cause["places"]), cause["seconds"], exact)

with open(sys.argv[2]) as file:
    text = file.read()
printed = re.search(r"kernels only in B (.*), only in A (.*), other times (.*), gaps (.*),\s+"
                    r"waiting for collectives (.*), for other work (.*)", text)
for term, number in zip(TERMS, printed.groups()):
    match = re.fullmatch(r"([+-]?[\d.]+)(?: (\w+))?", number)
    digits = len(match[1].partition(".")[2])
    unit = UNITS[match[2] or "s"]
    near(f"printed {term}", float(match[1]) * unit, step[term], (0.5 * 10**-digits + 1e-6) * unit)
print(f"{len(TERMS)} terms, {len(step['causes'])} causes")
