"""Measures the time of `halo memory` on seed 002, and how planning time grows with the module.

Modules are training steps with increasing numbers of layers (bench/make_training_module.cc), so that more and more
values are live at once. Growth is fitted as seconds = c * n**a over the sizes, and for n*log(n) too. Planning in
O(n log n) has an exponent a between 1 and about 1.1 at these sizes. Cache misses add to it, so an exponent up to 1.15
is accepted. Times are CPU times, the minimum of several runs. The quick form stops at 400 thousand instructions and
runs on busy machines, where caches are shared: it takes the CPU time of `halo memory`, and growth fails only if it is
clearly worse, with an exponent over 1.3."""
import math
import pathlib
import resource
import statistics
import subprocess
import tempfile
import time

from common import BUILD, enough, halo, json_lines, need, need_shared, program

ORDER = 29
QUICK_SECONDS = 7
SPEED = True
WHAT = "`halo memory` on seed 002; planning training steps of 10 thousand to 4 million instructions"
BAR = "under 0.3 s (median of 7); growth at most as n**1.15, which is n log n and what cache misses add"
QUICK_BAR = "under 0.3 s of CPU time (median of 7); growth at most as n**1.3, up to 400 thousand instructions"
LEAST = {"sizes": 8}
QUICK_LEAST = {"sizes": 5}
MOST = 1.15
MOST_QUICK = 1.3


def exponent(points):
    """Returns the least-squares slope of log(seconds) over log(n)."""
    logs = [(math.log(n), math.log(seconds)) for n, seconds in points]
    mean_x = statistics.fmean(x for x, _ in logs)
    mean_y = statistics.fmean(y for _, y in logs)
    return (sum((x - mean_x) * (y - mean_y) for x, y in logs)
            / sum((x - mean_x) ** 2 for x, _ in logs))


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(quick):
    clock = cpu_seconds if quick else time.perf_counter
    seed = next(need_shared("seeds").glob("002_*"))
    times = []
    for _ in range(7):
        start = clock()
        halo("memory", seed)
        times.append(clock() - start)
    median = statistics.median(times)
    print(f"  halo memory on 002, {'CPU' if quick else 'wall'} time: median {median:.3f} s, fastest {min(times):.3f} s")
    generator = need(BUILD / "bench" / "make_training_module", "the release build's make_training_module")
    planner = program("bench/plan_speed")
    sizes = [10_000, 25_000, 60_000, 150_000, 400_000] + ([] if quick else [1_000_000, 2_000_000, 4_000_000])
    points = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "step.hlo"
        for size in sizes:
            with open(path, "wb") as file:
                subprocess.run([str(generator), str(size)], stdout=file, check=True)
            run = subprocess.run([str(planner), str(path), "9" if size <= 60_000 else "4"],
                                 capture_output=True, text=True, check=True)
            plan = json_lines(run.stdout)[0]
            written = sum(b" = " in line for line in path.read_bytes().splitlines())
            if plan["errors"] != 0 or plan["instructions"] != written:
                raise RuntimeError(f"of {written} instructions {plan['instructions']} were read, with {plan['errors']} errors")
            n, seconds = plan["instructions"], plan["seconds"]
            points.append((n, seconds))
            print(f"  {n:>9} instructions, {plan['values']:>7} values: {seconds:8.3f} s, "
                  f"{seconds / n * 1e6:.2f} us each, {seconds / (n * math.log2(n)) * 1e9:.1f} ns per n log n")
    slope = exponent(points)
    bound = exponent([(n, n * math.log(n)) for n, _ in points])
    print(f"  seconds grow as n**{slope:.3f}; n log n over the same sizes as n**{bound:.3f}")
    held = enough(QUICK_LEAST if quick else LEAST, {"sizes": len(points)})
    held = held and median < 0.3 and slope <= (MOST_QUICK if quick else MOST)
    return held, (f"002 in {median:.3f} s; {points[0][0]} to {points[-1][0]} instructions as n**{slope:.2f} "
                  f"(n log n is n**{bound:.2f}), the largest in {points[-1][1]:.1f} s")
