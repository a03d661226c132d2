"""Programs for several devices, all devices in one process: each device's results against those
recorded on it."""
import json

from common import SHARED, need_halo, need_shared
from replay import cpu_programs, replay_all

ORDER = 42
WHAT = "replay of the corpus' multi-device programs (8 devices, partitions and replicas) in one process"
BAR = "every output of every device of every program within the tolerance of eval-cpu-corpus"


def device_count(archive):
    with open(archive.parent / "manifest.json", encoding="utf-8") as file:
        return json.load(file).get("num_devices", 1)


def measure(quick):
    del quick
    need_halo()
    need_shared("corpus/jax/cpu")
    programs = [each for each in cpu_programs(SHARED)
                if (each[2].parent / "manifest.json").exists() and device_count(each[2]) > 1]
    results = replay_all(programs)
    good = sum(each.ok for each in results)
    for each in results:
        if not each.ok:
            print(f"not within tolerance: {each.name}: {each.verdict}")
    return good == len(results), f"{good} of {len(results)} modules ({len({p[2] for p in programs})} programs) agree"
