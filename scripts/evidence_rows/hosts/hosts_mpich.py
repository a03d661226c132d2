"""Runs programs for several devices with MPICH's mpiexec over 2 and 3 hosts (network namespaces) and compares every bit of
the results with those of the same ranks on one machine, which Open MPI's mpirun starts. Then kills a rank or the ranks of a
host in other runs."""
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

from common import BUILD, ROOT, Skipped, enough, need_halo, need_shared
from compare_runs import compare_run, on_one_machine, smallest_first
from devices_cpu_corpus import need_ranks
from devices_kill import PROGRAM
from hosts_corpus import spread
from hosts_faults import joined
from net_hosts import Hosts, need_root

ORDER = 82
QUICK_SECONDS = 6
WHAT = ("every program for several devices of corpus/jax/cpu, started by MPICH's mpiexec over 2 hosts, some over 3; a rank or the "
        "ranks of a host killed")
BAR = ("results equal to those on one machine, bit for bit; compiled; each fault ends the ranks on every host within 10 s, naming "
       "host and rank; nothing left on any host")
QUICK_BAR = "the same for one program over 2 hosts, without faults"
LEAST = {"programs": 14, "runs": 17, "faults": 20}
QUICK_LEAST = {"programs": 1, "runs": 1, "faults": 0}
ON_THREE = 3  # programs that also run over 3 hosts
LIMIT = 10


def need_mpich():
    """The path of MPICH's mpiexec."""
    if not (BUILD / "libhalo_devices_mpich_plugin.so").exists():
        raise Skipped("the build has no plugin for MPICH: apt-get install mpich libmpich-dev, then build again")
    for name in ("mpiexec.mpich", "mpiexec.hydra"):
        if shutil.which(name):
            return shutil.which(name)
    raise Skipped("MPICH's mpiexec is not installed: apt-get install mpich libmpich-dev")


def mpiexec(hosts, ranks, *options):
    """The words of an mpiexec on the first host, with so many ranks on each host."""
    listed = ",".join(f"host{k}:{n}" for k, n in enumerate(ranks, 1))
    return hosts.on(1, need_mpich(), *options, "-launcher", "rsh", "-launcher-exec", hosts.agent, "-hosts", listed, "-n",
                    sum(ranks))


def left_on(hosts):
    left = {k: hosts.files(k) for k in range(1, hosts.count + 1) if hosts.files(k)}
    processes = hosts.wait_for_none(2)
    return f"left behind: {left} {processes}" if left or processes else None


def one_fault(hosts, draw):
    """Kills the working process of a rank, or all processes of the ranks of a host. Returns what is wrong, or None, and the
    seconds until all had ended."""
    module, small = hosts.folder / "module.txt", hosts.folder / "small"
    small.mkdir()
    module.write_text(PROGRAM.replace("replica_count=8", "replica_count=4"))
    with open(hosts.folder / "output", "wb") as output:
        run = subprocess.Popen([*mpiexec(hosts, [2, 2], "-disable-auto-cleanup"), str(need_halo()), "run", str(module), "--random",
                                "1", "-o", str(small / "out.npz")], stdin=subprocess.DEVNULL, stdout=output,
                               stderr=subprocess.STDOUT)
    begin = time.monotonic()
    while joined(hosts) < 4 and run.poll() is None and time.monotonic() - begin < 60:
        time.sleep(0.05)
    time.sleep(draw.uniform(0, 2))
    k = draw.choice((1, 2))
    ranks = hosts.rank_processes(k)
    is_host = draw.random() < 0.5
    chosen = sorted(ranks) if is_host else [draw.choice(sorted(ranks))]
    begin = time.monotonic()
    for pid in (pid for rank in chosen for pid in (ranks[rank] if is_host else ranks[rank][-1:])):
        os.kill(pid, signal.SIGKILL)
    try:
        code = run.wait(timeout=60)
    except subprocess.TimeoutExpired:
        run.kill()
        return "not ended after 60 s", 60
    took = time.monotonic() - begin
    said = (hosts.folder / "output").read_text(errors="replace")
    if code == 0 or not any(f"rank {rank} on host{k}" in said for rank in chosen):
        return f"exit {code}, does not name rank {chosen} on host{k}: {said.strip()[-300:]}", took
    if any(small.iterdir()):
        return f"leaves {[each.name for each in small.iterdir()]}", took
    return left_on(hosts) or (f"took {took:.1f} s" if took > LIMIT else None), took


def measure(quick):
    need_ranks()
    need_root()
    need_mpich()
    need_shared("corpus/jax/cpu")
    good = total = by_messages = results = 0
    programs = smallest_first()[:1] if quick else smallest_first()
    faults, slowest, draw = 0, 0.0, random.Random(5)
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as scratch:
        folder = pathlib.Path(scratch)
        for number, (name, module, archive, devices) in enumerate(programs):
            expected = on_one_machine(module, archive, devices, folder / "one.npz")
            results += len(expected)
            for count in (2,) if quick or number >= ON_THREE else (2, 3):
                with Hosts(count, folder) as hosts:
                    output = hosts.folder / "out.npz"
                    words = mpiexec(hosts, spread(devices, count)) + [str(each) for each in (
                        need_halo(), "run", module, "--inputs", archive, "-o", output, "--json")]
                    problem, messages = compare_run(words, output, devices, expected)
                    problem = problem or left_on(hosts)
                total += 1
                good += problem is None
                by_messages += messages
                print(f"{name:36} {devices:2} devices on {count} hosts: {problem or f'equal, {messages} collectives by messages'}",
                      flush=True)
        ended = 0
        for _ in range(0 if quick else LEAST["faults"]):
            with Hosts(2, folder) as hosts:
                problem, took = one_fault(hosts, draw)
            faults += 1
            ended += problem is None
            slowest = max(slowest, took)
            print(f"fault {took:4.1f} s: {problem or 'as it should'}", flush=True)
    counts = {"programs": len(programs), "runs": total, "faults": faults}
    held = good == total and ended == faults and by_messages > 0 and enough(QUICK_LEAST if quick else LEAST, counts)
    return held, (f"{good} of {total} runs of {len(programs)} programs bit-identical to one machine ({results} results), "
                  f"{by_messages} collectives by messages"
                  + (f"; {ended} of {faults} faults ended as they should, in {slowest:.1f} s at most" if faults else ""))
