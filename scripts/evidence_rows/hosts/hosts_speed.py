"""Compares collectives of 8 processes on 2 hosts (network namespaces) with MPI's own blocking ones. Each run alternates
between both; the best of several runs counts."""
import subprocess
import tempfile

from common import ROOT, enough, json_lines, program
from devices_cpu_corpus import need_ranks
from net_hosts import Hosts, need_root

ORDER = 79
QUICK_SECONDS = 2
SPEED = True
WHAT = "all-reduce, all-gather, reduce-scatter and all-to-all of 4 KB to 64 MB over 2 hosts with 4 processes each"
BAR = "never slower than 1.1 times bare blocking MPI; all-reduce of 1 MB and more at most 0.7 of its time"
QUICK_BAR = "all-reduce of 4 and 64 KB, not slower than four times bare MPI"
OPS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all")
SIZES = (4 << 10, 64 << 10, 1 << 20, 16 << 20, 64 << 20)
LEAST = {"measurements": 20}
QUICK_LEAST = {"measurements": 2}
ROUNDS, PROCESSES = 4, 4


def run_bench(hosts, op, sizes, seconds):
    listed = ",".join(f"host{k}:{PROCESSES}" for k in range(1, hosts.count + 1))
    count = hosts.count * PROCESSES
    words = hosts.on(1, "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "--mca",
                     "mpi_yield_when_idle", 1, "--mca", "plm_rsh_agent", hosts.agent, "--host", listed, "-n", count,
                     program("bench/collective_speed"), "--op", op, "--seconds", seconds,
                     *(part for size in sizes for part in ("--bytes", size)))
    run = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"mpirun: exit {run.returncode}\n{run.stdout[-500:]}{run.stderr[-1500:]}")
    rows = json_lines(run.stdout)
    if [(row["op"], row["bytes"], row["devices"]) for row in rows] != [(op, size, count) for size in sizes]:
        raise RuntimeError(f"other collectives were measured than {op} of {sizes} bytes:\n{run.stdout[-500:]}")
    return rows


def measure(quick):
    need_ranks()
    need_root()
    best = {}
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder, Hosts(2, folder) as hosts:
        for _ in range(1 if quick else ROUNDS):
            for op in OPS[:1] if quick else OPS:
                for row in run_bench(hosts, op, SIZES[:2] if quick else SIZES, 0.05 if quick else 0.5):
                    at = best.setdefault((op, row["bytes"]), {"ours": 1e9, "mpi": 1e9})
                    at["ours"] = min(at["ours"], row["ours_ms"])
                    at["mpi"] = min(at["mpi"], row["mpi_blocking_ms"])
    held = enough(QUICK_LEAST if quick else LEAST, {"measurements": len(best)})
    worst, sums = ("", 0.0), []
    for (op, size), at in best.items():
        ratio = at["ours"] / at["mpi"]
        worst = max(worst, (f"{op} {size >> 10} KB", ratio), key=lambda pair: pair[1])
        print(f"{op:16} {size >> 10:6} KB: {at['ours']:9.3f} ms, MPI {at['mpi']:9.3f} ms, ratio {ratio:.2f}")
        is_large_sum = op == "all-reduce" and size >= 1 << 20
        held &= ratio <= (4.0 if quick else 0.7 if is_large_sum else 1.1)
        if is_large_sum:
            sums.append(f"{size >> 20} MB {ratio:.2f}")
    return held, f"worst against MPI {worst[1]:.2f} ({worst[0]})" + (f"; all-reduce: {', '.join(sums)}" if sums else "")
