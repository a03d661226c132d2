"""Runs seed 004, a training step on 8 replicas, as 8 processes at full size. All replicas start from the same
parameters, each has its own batch, and after the step all must have the same parameters again."""
import json
import pathlib
import struct
import subprocess
import tempfile
import time
import zipfile

from common import SHARED, Skipped, enough, halo_run, need_halo, need_shared
from devices_cpu_corpus import need_ranks
from seed_runs import memory_gib

ORDER = 73
QUICK_SECONDS = 0
WHAT = "seed 004, all 8 replicas as processes, full size"
BAR = "runs; replicas' parameters are identical after the step, bit by bit; the loss is finite"
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"parameters": 10, "batches": 1}
REPLICAS, NEEDED_GIB = 8, 15


def own_batches(common, inputs):
    """Writes the same parameters for all replicas, and the batch (the integer arrays) rolled for each replica."""
    batches = 0
    with zipfile.ZipFile(common) as old, zipfile.ZipFile(inputs, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data)
            begin = 10 + struct.unpack_from("<H", data, 8)[0]
            body = data[begin:]
            if b"'<i4'" not in data[:128] or len(body) < 64:
                continue
            batches += 1
            for replica in range(1, REPLICAS):
                at = len(body) // 4 // REPLICAS * replica * 4
                new.writestr(name.replace(".npy", f"_d{replica}.npy"), data[:begin] + body[at:] + body[:at])
    return batches


def peak_gib(process):
    """Returns the system's peak increase in used memory while the process runs."""
    def used():
        fields = dict(line.split(":") for line in pathlib.Path("/proc/meminfo").read_text().splitlines())
        return (int(fields["MemTotal"].split()[0]) - int(fields["MemAvailable"].split()[0])) / 2 ** 20
    before = most = used()
    while process.poll() is None:
        most = max(most, used())
        time.sleep(0.2)
    return most - before


def measure(quick):
    need_ranks()
    need_shared("seeds")
    if quick:
        raise Skipped("the step takes minutes and 13 GiB")
    if memory_gib() < NEEDED_GIB:
        raise Skipped(f"{memory_gib():.0f} GiB of memory are free; {NEEDED_GIB} are needed")
    seed = next((SHARED / "seeds").glob("004_*"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        halo_run("run", seed, "--devices", 1, "--random", 1, "--inputs-only", "--save-inputs", folder / "common.npz")
        batches = own_batches(folder / "common.npz", folder / "in.npz")
        (folder / "common.npz").unlink()
        with open(folder / "answer.json", "wb") as answer_file:
            run = subprocess.Popen([str(need_halo()), "run", seed, "--replicas", str(REPLICAS), "--inputs", folder / "in.npz", "--json"],
                                   stdout=answer_file, stderr=subprocess.DEVNULL)
            peak = peak_gib(run)
        answer = json.loads((folder / "answer.json").read_text())
    if run.returncode != 0:
        return False, f"exit {run.returncode}: {answer['diagnostics'][0]['message'][:300]}"
    leaves = {}
    for output in answer["outputs"]:
        leaves.setdefault(output["name"].split("_d")[0], []).append(output)
    same = [name for name, each in leaves.items() if len({output["digest"] for output in each}) == 1]
    bad = [output["name"] for output in answer["outputs"] if output["nans"] or output["infinities"]]
    scalars = [each[0] for each in leaves.values() if not each[0]["dims"] and each[0]["type"] == "f32"]
    for each in scalars:
        print(f"{each['name']}: {each['mean']}")
    differing = sorted(set(leaves) - set(same))
    # Each replica's loss depends on its own batch. Every non-scalar is a parameter or its average.
    arrays = [name for name, each in leaves.items() if each[0]["dims"]]
    kept = set(arrays) <= set(same) and len(arrays) > 0
    print(f"{batches} batches differ between replicas; outputs that differ between replicas: {', '.join(differing) or 'none'}")
    print(f"each rank plans {answer['planned_bytes'] / 2 ** 30:.2f} GiB; {peak:.1f} GiB more in use at most; "
          f"{answer['collective_steps']} collectives; {max(answer['run_seconds']):.1f} s")
    held = (answer["engine"] == "compiled" and answer["ranks"] == REPLICAS and not bad and kept
            and enough(LEAST, {"parameters": len(arrays), "batches": batches})
            and answer["finished"])
    return held, (f"{len(set(arrays) & set(same))} of {len(arrays)} parameters identical on {REPLICAS} replicas "
                  f"({len(differing)} scalars of a replica's own), "
                  f"{'all finite' if not bad else 'not finite: ' + ', '.join(bad[:4])}; {peak:.1f} GiB, "
                  f"{max(answer['run_seconds']):.1f} s a step")
