"""Kills or stops a rank at a random moment of a run. The run must end soon after it detects this, name the rank and
its instruction, and leave nothing behind: no process, no shared memory, no half-written output."""
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time

from common import enough, need_halo
from devices_cpu_corpus import need_ranks

ORDER = 75
QUICK_SECONDS = 5
WHAT = "runs of 8 ranks, one of which is killed (SIGKILL, SIGTERM, SIGSEGV) or stopped (SIGSTOP) at a random moment"
BAR = "each ends within 5 s after it is noticed, with exit code 2, naming that rank; nothing is left behind"
QUICK_BAR = BAR
LEAST = {"runs": 100}
QUICK_LEAST = {"runs": 4}
RANKS = 8
STOPPED_SECONDS = 1.0  # a rank counts as stopped after this time

# Runs matrix products and all-reduces in a loop, long enough for a signal to arrive at any point.
PROGRAM = """HloModule loop, replica_count=8
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
cond { s = (s32[], f32[64,64]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(1000000)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[64,64]) parameter(0)  i = s32[] get-tuple-element(s), index=0  k = s32[] constant(1)
  j = s32[] add(i, k)  x = f32[64,64] get-tuple-element(s), index=1
  d = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  r = f32[64,64] all-reduce(d), replica_groups={}, to_apply=add
  y = f32[64,64] tanh(r)
  ROOT t = (s32[], f32[64,64]) tuple(j, y) }
ENTRY e {
  z = s32[] constant(0)
  a = f32[64,64] parameter(0)
  t = (s32[], f32[64,64]) tuple(z, a)
  w = (s32[], f32[64,64]) while(t), condition=cond, body=body
  ROOT r = f32[64,64] get-tuple-element(w), index=1
}
"""


def parents():
    table = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            text = (entry / "stat").read_text()
        except OSError:
            continue
        table[int(entry.name)] = int(text[text.rindex(")") + 2:].split()[1])
    return table


def descendants(root):
    table, found = parents(), {root}
    for _ in range(5):
        found |= {pid for pid, parent in table.items() if parent in found}
    return found - {root}


def ranks_below(root):
    """Returns {rank: process id} of the ranks that have started."""
    found = {}
    for pid in descendants(root):
        try:
            variables = pathlib.Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
            name = pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
        except OSError:
            continue
        for variable in variables:
            if name == "halo" and variable.startswith(b"OMPI_COMM_WORLD_RANK="):
                found[int(variable.split(b"=")[1])] = pid
    return found


def left_behind(pids, launcher):
    alive = [pid for pid in pids if pathlib.Path(f"/proc/{pid}").exists()
             and " Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()]
    prefixes = tuple(f"halo-ranks-{pid}-" for pid in {launcher, *pids})
    files = [name for name in os.listdir("/dev/shm") if name.startswith(prefixes)]
    return [f"process {pid}" for pid in alive] + [f"/dev/shm/{name}" for name in files]


def one_run(module, folder, draw):
    """Returns (problem or None, seconds until the run ended)."""
    output = folder / "out.npz"
    with open(folder / "stderr", "wb") as stderr:
        launcher = subprocess.Popen([str(need_halo()), "run", module, "--devices", str(RANKS), "--random", "1", "-o", output],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=stderr)
    begin = time.monotonic()
    while len(ranks_below(launcher.pid)) < RANKS and time.monotonic() - begin < 60 and launcher.poll() is None:
        time.sleep(0.05)
    time.sleep(draw.uniform(0, 3))
    ranks, everybody = ranks_below(launcher.pid), descendants(launcher.pid)
    rank = draw.randrange(RANKS)
    number = draw.choice([signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGSEGV])
    if rank not in ranks:
        launcher.kill()
        launcher.wait()
        return f"rank {rank} never started", 0
    os.kill(ranks[rank], number)
    begin = time.monotonic()
    try:
        code = launcher.wait(timeout=60)
    except subprocess.TimeoutExpired:
        launcher.kill()
        for pid in everybody:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                pass
        return f"{number.name} of rank {rank}: not ended after 60 s", 60
    took = time.monotonic() - begin - (STOPPED_SECONDS if number == signal.SIGSTOP else 0)
    time.sleep(0.1)
    said = (folder / "stderr").read_text(errors="replace")
    left = left_behind(everybody, launcher.pid) + [str(each.name) for each in folder.glob("out.npz*")]
    problem = None
    if code != 2:
        problem = f"exit code {code}"
    elif f"rank {rank} (process {ranks[rank]})" not in said:
        problem = "names another: " + said.strip()[-200:]
    elif left:
        problem = "leaves " + ", ".join(left)
    elif took > 5:
        problem = f"took {took:.1f} s"
    return (f"{number.name} of rank {rank}: {problem}" if problem else None), took


def measure(quick):
    need_ranks()
    draw = random.Random(1 if quick else 2)
    least = QUICK_LEAST if quick else LEAST
    problems, times = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        module = folder / "loop.txt"
        module.write_text(PROGRAM)
        for i in range(least["runs"]):
            problem, took = one_run(module, folder, draw)
            times.append(took)
            if problem:
                problems.append(problem)
                print(f"run {i}: {problem}", flush=True)
    times.sort()
    return not problems and enough(least, {"runs": len(times)}), (f"{len(times) - len(problems)} of {len(times)} runs ended as they should; "
                          f"{times[len(times) // 2]:.1f} s in the middle, {times[-1]:.1f} s at most after it was noticed")
