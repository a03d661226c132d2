"""Evaluates multi-device programs with all devices in one process. Compares each device's results with its
recorded ones. H100 dumps have no recordings: the partitioned and optimised module is compared with the
program before optimisation, on the same generated inputs."""
import json
import tempfile

from common import SHARED, enough, halo_run, need_halo, need_shared
from replay import cpu_programs, replay, replay_all

ORDER = 42
QUICK_SECONDS = 2
WHAT = "the corpus' multi-device programs (4 and 8 devices, partitions and replicas) in one process"
BAR = "every output of every device of every program within the tolerance of eval-cpu-corpus"
QUICK_BAR = "the same for the recorded programs and one of the two H100 dumps"
LEAST = {"modules": 16}
QUICK_LEAST = {"modules": 15}
# Dumps small enough for plain loops. The others would multiply matrices for hours.
UNRECORDED = ("h100x8/shmap_collectives", "h100x8/pipeline_ppermute")


def device_count(archive):
    with open(archive.parent / "manifest.json", encoding="utf-8") as file:
        return json.load(file).get("num_devices", 1)


def recorded_programs():
    return [each for each in cpu_programs(SHARED)
            if (each[2].parent / "manifest.json").exists() and device_count(each[2]) > 1]


def before_and_after(name, scratch):
    """Runs the optimised module on generated inputs and compares the unoptimised program with its results."""
    folder = SHARED / "corpus/jax/gpu" / name
    after = next(folder.glob("*gpu_after_optimizations.txt"))
    inputs, results = f"{scratch}/in.npz", f"{scratch}/out.npz"
    run = halo_run("run", after, "--random", "1", "--save-inputs", inputs, "-o", results,
                   "--engine", "reference")
    if run.returncode != 0:
        return None
    return replay(name, next(folder.glob("*before_optimizations.txt")), results, "--inputs", inputs,
                  "--engine", "reference")


def measure(quick):
    need_halo()
    need_shared("corpus/jax/cpu")
    programs = recorded_programs()
    results = replay_all(programs, "reference")
    with tempfile.TemporaryDirectory() as scratch:
        for name in UNRECORDED[:1] if quick else UNRECORDED:
            result = before_and_after(name, scratch)
            verdict = result.verdict if result else "FAILS"
            print(f"{name:44} {verdict}", flush=True)
            results.append(result)
    good = sum(each is not None and each.ok for each in results)
    held = good == len(results) and enough(QUICK_LEAST if quick else LEAST, {"modules": len(results)})
    return held, (f"{good} of {len(results)} modules agree: {len(programs)} of the {len({each[2] for each in programs})} "
                  f"recorded programs, {len(results) - len(programs)} H100 dumps before against after optimisation")
