"""The three seed modules must print back unchanged, on one thread and on two."""
from common import enough, halo, need_shared

ORDER = 1
QUICK_SECONDS = 1
WHAT = "seeds 000, 002 and 004 through `halo fmt`"
BAR = "byte for byte"
QUICK_BAR = BAR
LEAST = {"readings": 6}


def measure(quick):
    del quick
    seeds = need_shared("seeds")
    same = total = 0
    for number in ("000", "002", "004"):
        path = next(seeds.glob(f"{number}_*"))
        for threads in (1, 2):
            total += 1
            equal = halo("fmt", f"--threads={threads}", path) == path.read_bytes()
            same += equal
            print(f"  {path.name}, {threads} thread(s): {path.stat().st_size} bytes, "
                  f"{'identical' if equal else 'DIFFERENT'}")
    return same == total and enough(LEAST, {"readings": total}), f"{same} of {total} readings identical"
