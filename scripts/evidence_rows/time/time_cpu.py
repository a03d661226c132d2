"""This machine as a device: `halo time --calibrate` measures it with its own kernels, then predicts every step of the
programs of corpus/jax/cpu as the engine compiles them, which `halo run --profile` measures. The programs are none of those
that the calibration runs. One thread, because other processes on the machine would disturb more."""
import json
import pathlib
import tempfile

from common import enough, halo, need_halo, need_shared

ORDER = 31
WHAT = "steps of the CPU programs on this machine, measured by `halo run --profile`, after `--calibrate`"
BAR = "weighted error at most 20 %; at least 95 % of the measured time belongs to predicted steps"
LEAST = {"programs": 28, "steps": 1100}
QUICK_BAR = "not worse than measured before: every fifth program, weighted error at most 60 %"
QUICK_LEAST = {"programs": 6, "steps": 150}
QUICK_SECONDS = 10
BOUND, QUICK_BOUND, JOINED = 0.2, 0.6, 0.95
THREADS = ("--threads", 1)
REPEAT = 200


def steps_of(folder, device, scratch):
    """[(name, kind, measured, predicted or None)] of one program, seconds of all executions in a run; None if it is for
    several devices."""
    module = next(folder.glob("*before_optimizations.txt"))
    with open(module) as file:
        if {"num_partitions=", "replica_count="} & {word.split("=")[0] + "=" for word in file.readline().split()}:
            return None
    halo("compile", module, "--dump-to", scratch / folder.name)
    compiled = next((scratch / folder.name).glob("*cpu_after_optimizations.txt"))
    predicted = {op["name"]: op for op in json.loads(halo(
        "time", compiled, "--device", device, "--json", "--no-advice", "--top", 1000000))["ops"]}
    run = json.loads(halo("run", module, "--inputs", folder / "io.npz", "--profile", "--repeat", REPEAT, *THREADS, "--json"))
    if run["engine"] != "compiled":
        return None
    steps = []
    for step in run["profile"]:
        op = predicted.get(step["instruction"])
        steps.append((f"{folder.name} {step['instruction']}", op["kind"] if op else "-", step["seconds"],
                      op["seconds"] * step["visits"] if op else None))
    return steps


def weighted(steps):
    whole = sum(measured for _, _, measured, _ in steps)
    return sum(abs(predicted - measured) for _, _, measured, predicted in steps) / whole if whole else 1


def measure(quick):
    need_halo()
    folders = sorted(need_shared("corpus/jax/cpu").iterdir())
    steps, programs, totals = [], 0, []
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        device = scratch / "cpu.json"
        halo("time", "--calibrate", device, *THREADS)
        for folder in folders[::5] if quick else folders:
            found = steps_of(folder, device, scratch)
            if found is None:
                continue
            programs += 1
            steps += found
            measured = sum(step[2] for step in found)
            predicted = sum(step[3] or 0 for step in found)
            totals.append(abs(predicted / measured - 1))
            print(f"  {folder.name}: {1e6 * measured:.1f} us measured, {1e6 * predicted:.1f} us predicted")
    joined = [step for step in steps if step[3] is not None]
    share = sum(step[2] for step in joined) / sum(step[2] for step in steps)
    for kind in sorted({step[1] for step in joined}):
        of_kind = [step for step in joined if step[1] == kind]
        print(f"  {kind}: {len(of_kind)} steps, {1e6 * sum(step[2] for step in of_kind):.1f} us, error {weighted(of_kind):.0%}")
    for step in sorted(joined, key=lambda step: -abs(step[2] - step[3]))[:12]:
        print(f"  {step[0]} ({step[1]}): {1e6 * step[2]:.2f} us measured, {1e6 * step[3]:.2f} us predicted")
    error = weighted(joined)
    totals.sort()
    held = error <= (QUICK_BOUND if quick else BOUND) and share >= JOINED
    held &= enough(QUICK_LEAST if quick else LEAST, {"programs": programs, "steps": len(joined)})
    return held, (f"{len(joined)} steps of {programs} programs: weighted error {error:.1%}, {share:.1%} of the time predicted; "
                  f"whole programs: median error {totals[len(totals) // 2]:.1%}")
