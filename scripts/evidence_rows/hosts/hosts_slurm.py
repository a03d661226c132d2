"""Runs programs for several devices with srun of a real Slurm over 2 and 3 nodes (network namespaces with a slurmd each) and
compares every bit of the results with those of the same ranks on one machine. Then breaks a node or the step of other runs:
the ranks must end soon on every node, and name a rank and its host."""
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from common import ROOT, Skipped, enough, need_halo, need_shared
from compare_runs import compare_run, on_one_machine, smallest_first
from devices_cpu_corpus import need_ranks
from devices_kill import PROGRAM
from hosts_faults import joined
from net_hosts import need_root
from slurm_hosts import SlurmHosts, find, need_slurm

ORDER = 81
QUICK_SECONDS = 0
WHAT = ("every program for several devices of corpus/jax/cpu, started by `srun --mpi=pmix` of Slurm on 2 nodes, some on 3; ranks "
        "killed or stopped, links cut, nodes dead, steps cancelled")
BAR = ("results equal to those on one machine, bit for bit; compiled; after each fault no rank is left on any node within 10 s, host "
       "and rank are named, the exit code is not 0, and no file of theirs is left on a node that lives")
QUICK_BAR = BAR + " (no quick form)"
KINDS = ("rank killed", "ranks of a node killed", "ranks of a node stopped", "link cut", "node dead", "step cancelled", "no --mpi")
LEAST = {"programs": 14, "runs": 17, "faults": 14, "kinds": 7}
ON_THREE = 3  # programs that also run on 3 nodes
LIMIT = 10
RANKS = 4  # of a broken run, on 2 nodes


def strike(kind, cluster, k, draw):
    """Breaks node k. Returns the texts one of which must be printed."""
    ranks = cluster.ranks(k)
    chosen = [draw.choice(sorted(ranks))] if kind == "rank killed" else sorted(ranks)
    if kind in ("rank killed", "ranks of a node killed"):
        for rank in chosen:
            os.kill(ranks[rank], signal.SIGKILL)
    elif kind == "ranks of a node stopped":
        for rank in chosen:
            os.kill(ranks[rank], signal.SIGSTOP)
    elif kind == "link cut":
        cluster.cut(k)
    elif kind == "node dead":
        for pid in cluster.processes(k):
            os.kill(pid, signal.SIGKILL)
    elif kind == "step cancelled":
        subprocess.run(cluster.on(cluster.count, find("scancel"), "1.0"), check=True, capture_output=True)
        return ["STEP 1.0 ON host1 CANCELLED"]
    return [f"rank {rank} on host{k}" for rank in chosen]


def wait_for_ranks_to_end(cluster, begin, most):
    while time.monotonic() - begin < most:
        if not any(cluster.ranks(k) for k in range(1, cluster.nodes + 1)):
            return time.monotonic() - begin
        time.sleep(0.05)
    return None


def one_fault(kind, cluster, k, draw):
    """Returns what is wrong, or None, the seconds until no rank was left, and what was printed."""
    module, small = cluster.folder / "module.txt", cluster.folder / "small"
    small.mkdir()
    module.write_text(PROGRAM.replace("replica_count=8", f"replica_count={RANKS}"))
    way = "none" if kind == "no --mpi" else "pmix"
    with open(cluster.folder / "printed", "wb") as printed:
        run = subprocess.Popen(cluster.srun("-N2", f"-n{RANKS}", f"--mpi={way}", need_halo(), "run", module, "--random", 1, "-o",
                                            small / "out.npz"),
                               stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.STDOUT)
    begin = time.monotonic()
    expected = ["srun --mpi=pmix"]
    if kind != "no --mpi":
        while joined(cluster) < RANKS and run.poll() is None and time.monotonic() - begin < 60:
            time.sleep(0.05)
        time.sleep(draw.uniform(0, 2))
        begin = time.monotonic()
        expected = strike(kind, cluster, k, draw)
    took = wait_for_ranks_to_end(cluster, begin, LIMIT)
    try:
        code = run.wait(timeout=90)  # Slurm gives a node that does not answer SlurmdTimeout and more
    except subprocess.TimeoutExpired:
        run.kill()
        code = None
    said = (cluster.folder / "printed").read_text(errors="replace")
    alive = [node for node in range(1, cluster.nodes + 1) if kind != "node dead" or node != k]
    files = [f"host{node}: {each}" for node in alive for each in cluster.files(node)] + [each.name for each in small.iterdir()]
    if took is None:
        return f"ranks are left after {LIMIT} s: {said.strip()[-200:]}", LIMIT, said
    if not code:
        return f"srun ends with {code}", took, said
    if not any(text in said for text in expected):
        return f"does not say {expected[0]!r}: {said.strip()[-300:]}", took, said
    return (f"leaves {files}" if files else None), took, said


def compare_programs(folder):
    """Returns how many runs were equal, how many there were, of how many programs, and the collectives by messages."""
    good = total = by_messages = 0
    programs = smallest_first()
    for nodes, chosen in ((2, programs), (3, programs[:ON_THREE])):
        with SlurmHosts(nodes, folder) as cluster:
            for name, module, archive, devices in chosen:
                expected = on_one_machine(module, archive, devices, folder / "one.npz")
                output = cluster.folder / "out.npz"
                problem, messages = compare_run(
                    cluster.srun(f"-N{nodes}", f"-n{devices}", "--overcommit", "--mpi=pmix", need_halo(), "run", module, "--inputs",
                                 archive, "-o", output, "--json"), output, devices, expected)
                total += 1
                good += problem is None
                by_messages += messages
                print(f"{name:36} {devices:2} devices on {nodes} nodes: {problem or f'equal, {messages} collectives by messages'}",
                      flush=True)
            left = [each for k in range(1, nodes + 1) for each in cluster.files(k)]
            if left or wait_for_ranks_to_end(cluster, time.monotonic(), 2) is None:
                print(f"left behind: {left}")
                good -= 1
    return good, total, len(programs), by_messages


def measure(quick):
    need_ranks()
    need_root()
    need_slurm()
    if quick:
        raise Skipped("a Slurm cluster and its faults take seconds each")
    need_shared("corpus/jax/cpu")
    draw = random.Random(7)
    problems, times, kinds = [], [], set()
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as scratch:
        folder = pathlib.Path(scratch)
        good, total, programs, by_messages = compare_programs(folder)
        for number in range(LEAST["faults"]):
            kind = KINDS[number % len(KINDS)]
            with SlurmHosts(2, folder) as cluster:
                problem, took, said = one_fault(kind, cluster, 2 - number // len(KINDS) % 2, draw)
            kinds.add(kind)
            times.append(took)
            problems += [problem] if problem else []
            print(f"{kind:24} {took:4.1f} s: {'NOT AS IT SHOULD: ' + problem if problem else ' '.join(said.split())[:160]}", flush=True)
    counts = {"programs": programs, "runs": total, "faults": len(times), "kinds": len(kinds)}
    held = good == total and not problems and by_messages > 0 and enough(LEAST, counts)
    return held, (f"{good} of {total} runs of {programs} programs bit-identical to one machine, {by_messages} collectives by "
                  f"messages; {len(times) - len(problems)} of {len(times)} faults of {len(kinds)} kinds ended as they should, no rank "
                  f"left after {max(times):.1f} s at most")
