"""Time and memory of `halo diff` on generated modules of which 1% of the instructions are edited, and on equal nodes.

Both files are read each time. Growth is fitted as seconds = c * n**a from 10 thousand instructions. The full form also
gives the time as a multiple of that of `halo info`, which reads the same files, because that depends less on what else
the machine does. The quick form stops at 40 thousand instructions, takes CPU time, and fails only if growth is clearly
worse than n log n."""
import math
import pathlib
import random
import resource
import statistics
import subprocess
import tempfile
import time

from common import enough, make_large_module, need_halo

ORDER = 124
QUICK_SECONDS = 4
LEAST, QUICK_LEAST = {"instructions": 1_000_000}, {"instructions": 40_000}
WHAT = "`halo diff` of generated modules, 1% edited, both read; 100,000 equal nodes"
BAR = "1 million instructions in at most 3 s and 1.5 GB; at most as n**1.1; equal nodes in at most 3 s"
QUICK_BAR = "up to 40 thousand instructions at most as n**1.4; 20,000 equal nodes in at most 3 s of CPU time"


def edit(source, target):
    """About every hundredth instruction becomes another op; returns how many."""
    chance, count = random.Random(5), 0
    with open(source, encoding="utf-8") as before, open(target, "w", encoding="utf-8") as after:
        for line in before:
            if " multiply(" in line and chance.random() < 0.06:
                line = line.replace(" multiply(", " divide(", 1)
                count += 1
            after.write(line)
    return count


def timed(a, b, cpu, command="diff"):
    """Seconds, the finished process, and the peak in bytes of the largest child so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    run = subprocess.run([str(need_halo()), command, str(a), str(b)], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    if cpu:
        seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return seconds, run, now.ru_maxrss * 1024


def equal_nodes(path, count, odd):
    with open(path, "w", encoding="utf-8") as file:
        file.write("HloModule m\n\nENTRY e {\n  p = f32[4]{0} parameter(0)\n  q = f32[4]{0} parameter(1)\n")
        for i in range(count):
            file.write(f"  a{i} = f32[4]{{0}} {'subtract' if i == odd else 'add'}(p, q)\n")
        names = ", ".join(f"a{i}" for i in range(count))
        file.write(f"  ROOT t = ({', '.join(['f32[4]{0}'] * count)}) tuple({names})\n}}\n")


def measure(quick):
    points, peak, ok = [], 0, True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        a, b = folder / "a.hlo", folder / "b.hlo"
        for size in (10_000, 40_000) if quick else (10_000, 100_000, 1_000_000):
            make_large_module(a, size)
            edits = edit(a, b)
            runs = [timed(a, b, quick) for _ in range(3)]
            seconds = min(run[0] for run in runs)
            ok = ok and runs[0][1].returncode == 1 and f"{edits:,} changed, 0 removed; 0 added" in runs[0][1].stdout
            peak = runs[0][2]
            points.append((size, seconds))
            print(f"  {size} instructions, {edits} edits: {seconds:.2f} s")
        reading = 0 if quick else min(timed(a, b, quick, "info")[0] for _ in range(3))
        processor = 0 if quick else timed(a, b, True)[0]
        equal_nodes(a, 20_000 if quick else 100_000, None)
        equal_nodes(b, 20_000 if quick else 100_000, 7)
        equal, run, _ = timed(a, b, quick)
        ok = ok and run.returncode == 1 and "subtract" in run.stdout
    logs = [(math.log(n), math.log(seconds)) for n, seconds in points]
    x, y = (statistics.fmean(each[i] for each in logs) for i in (0, 1))
    slope = sum((u - x) * (v - y) for u, v in logs) / sum((u - x) ** 2 for u, _ in logs)
    held = enough(QUICK_LEAST if quick else LEAST, {"instructions": points[-1][0]}) and ok and equal <= 3 and slope <= (1.4 if quick else 1.1)
    held = held and (quick or (points[-1][1] <= 3 and peak <= 1.5e9))
    more = "" if quick else f" ({points[-1][1] / reading:.2f} of `halo info`; {processor:.2f} s of CPU time)"
    return held, (f"{points[-1][0]} instructions in {points[-1][1]:.2f} s{more}, peak {peak / 1e9:.2f} GB, as n**{slope:.2f}; "
                  f"equal nodes in {equal:.2f} s; every edit counted: {'yes' if ok else 'no'}")
