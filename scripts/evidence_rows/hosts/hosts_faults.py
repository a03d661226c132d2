"""Breaks a host of a run at a random moment: its processes are killed, its link is cut, its ranks are stopped, the disk of
the first rank is full, or it has another build or another CPU. The run must end soon on every host and name the host and
a rank of it, and nothing may be left behind."""
import os
import pathlib
import random
import re
import signal
import subprocess
import tempfile
import time

from common import BUILD, ROOT, Skipped, enough, need_halo
from devices_cpu_corpus import need_ranks
from devices_kill import PROGRAM
from net_hosts import Hosts, need_root

ORDER = 80
QUICK_SECONDS = 0
WHAT = "runs of 4 ranks on 2 hosts: processes of a host killed, its link cut, its ranks stopped, a full disk, another build, another CPU"
BAR = ("each ends within 10 s on every host (after the blow; where the host is wrong from the start, after the ranks have started), "
       "with exit code 2, naming host and rank; no process, file or partial output is left")
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"faults": 100, "kinds": 6}
HOSTS, RANKS, LIMIT = 2, 2, 10
KINDS = ("killed", "cut", "stopped", "full disk", "other build", "other CPU")
# Ends by itself, for faults that show without a blow.
SHORT = PROGRAM.replace("constant(1000000)", "constant(3)")
PLUGINS = ("halo", "libhalo_devices_plugin.so", "libhalo_engine_plugin.so")


def other_build(folder):
    """Copies of the programs that say that they are another build. Returns commands that put them into place on a host."""
    identity = re.search(r"[0-9a-f]{32}", (BUILD / "build_id" / "build_id.cc").read_text())[0].encode()
    lines = []
    for name in PLUGINS:
        copy, program = folder / name, (BUILD / name).read_bytes()
        if identity not in program:
            raise RuntimeError(f"{name} was not built from these sources")
        copy.write_bytes(program.replace(identity, identity[::-1]))
        copy.chmod(0o755)
        lines.append(f"mount --bind {copy} {BUILD / name}")
    return "\n".join(lines) + "\n"


def strike(kind, hosts, draw):
    """Does it. Returns the ranks one of which must be named."""
    victims = hosts.ranks(2)
    if kind == "killed":
        whole = draw.random() < 0.5
        chosen = hosts.processes(2) if whole else [victims[draw.choice(sorted(victims))]]
        for pid in chosen:
            os.kill(pid, signal.SIGKILL)
        return [rank for rank, pid in victims.items() if pid in chosen]
    if kind == "cut":
        hosts.cut(2)
    else:
        for pid in victims.values():
            os.kill(pid, signal.SIGSTOP)
    return list(victims)


def joined(hosts):
    """How many ranks have joined the others: they load the engine after that."""
    count = 0
    for k in range(1, HOSTS + 1):
        for pid in hosts.ranks(k).values():
            try:
                count += "libhalo_engine_plugin" in pathlib.Path(f"/proc/{pid}/maps").read_text()
            except OSError:
                pass
    return count


def one_fault(kind, hosts, draw):
    """Returns (problem or None, seconds until no process was left on any host, what was said)."""
    struck_at_start = kind in ("full disk", "other build", "other CPU")
    folder = hosts.folder
    module = folder / "module.txt"
    module.write_text((SHORT if struck_at_start else PROGRAM).replace("replica_count=8", f"replica_count={HOSTS * RANKS}"))
    small = folder / "small"
    small.mkdir(exist_ok=True)
    output = small / "out.npz"
    named = [2, 3]
    if kind == "full disk":
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", small], check=True)
    hosts.set_up(2, "export HALO_MAX_ISA=avx2\n" if kind == "other CPU" else "")
    if kind == "other build":
        (folder / "other").mkdir(exist_ok=True)
        hosts.set_up(2, other_build(folder / "other"))
    try:
        with open(folder / "stderr", "wb") as stderr:
            run = subprocess.Popen(hosts.on(1, need_halo(), "run", module, "--random", 1, "-o", output, *hosts.options(RANKS)),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
        begin = time.monotonic()
        counts = (lambda: len(hosts.ranks(1)) + len(hosts.ranks(2))) if struck_at_start else (lambda: joined(hosts))
        while counts() < HOSTS * RANKS and run.poll() is None and time.monotonic() - begin < 60:
            time.sleep(0.05)
        if not struck_at_start:
            time.sleep(draw.uniform(0, 3))
        begin = time.monotonic()
        if not struck_at_start:
            named = strike(kind, hosts, draw)
        try:
            code = run.wait(timeout=60)
        except subprocess.TimeoutExpired:
            run.kill()
            return "not ended after 60 s", 60, ""
        left = hosts.wait_for_none(max(0, LIMIT - (time.monotonic() - begin)))
        took = time.monotonic() - begin
        said = (folder / "stderr").read_text(errors="replace")
        files = [f"host{k}: {each}" for k in range(1, HOSTS + 1) for each in hosts.files(k)]
        files += [each.name for each in small.iterdir()]
    finally:
        if kind == "full disk":
            subprocess.run(["umount", small], check=False)
        if kind == "cut":
            hosts.mend(2)
    if code != 2:
        return f"exit code {code}: {said.strip()[-200:]}", took, said
    if kind == "full disk":
        if str(output) not in said:
            return f"does not name the file: {said.strip()[-200:]}", took, said
    elif not any(f"rank {rank} on host2" in said for rank in named):
        return f"does not name rank {named} on host2: {said.strip()[-300:]}", took, said
    if left or files:
        return f"leaves {left} {files}", took, said
    return (f"took {took:.1f} s" if took > LIMIT else None), took, said


def measure(quick, count=LEAST["faults"]):
    need_ranks()
    need_root()
    if quick:
        raise Skipped("each fault takes seconds to show")
    draw = random.Random(3)
    problems, times, kinds = [], [], set()
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as scratch:
        for i in range(count):
            kind = KINDS[i % len(KINDS)]
            with Hosts(HOSTS, scratch) as hosts:
                problem, took, said = one_fault(kind, hosts, draw)
            kinds.add(kind)
            times.append(took)
            if problem:
                problems.append(problem)
            print(f"{kind:12} {took:4.1f} s: {'NOT AS IT SHOULD: ' + problem if problem else ' '.join(said.split())[-160:]}", flush=True)
    times.sort()
    held = not problems and enough(LEAST, {"faults": len(times), "kinds": len(kinds)})
    return held, (f"{len(times) - len(problems)} of {len(times)} faults ended as they should, {times[len(times) // 2]:.1f} s in the "
                  f"middle, {times[-1]:.1f} s at most until no process was left on any host")
