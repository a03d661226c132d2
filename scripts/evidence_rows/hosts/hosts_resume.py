"""Kills a run over two hosts at a random moment: one rank, all processes of a host, or mpirun. The run is then started
again with --resume and must give the bits of a run that nothing disturbed."""
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import zipfile

from common import ROOT, enough, need_halo
from devices_cpu_corpus import need_ranks
from net_hosts import Hosts, need_root

ORDER = 81
QUICK_SECONDS = 6
WHAT = "runs of 4 ranks on 2 hosts with checkpoints, of which a rank, a host's processes or mpirun are killed at a random moment"
BAR = ("each ends by itself within 10 s with an error, leaves no process, and continues with --resume to the bits of an undisturbed "
       "run; at least half of them from a checkpoint")
QUICK_BAR = "the same for one kill, from a checkpoint"
LEAST = {"kills": 20, "kinds": 4, "resumed from a checkpoint": 10}
QUICK_LEAST = {"kills": 1, "kinds": 1, "resumed from a checkpoint": 1}
KINDS = ("rank of host2", "host2", "mpirun", "rank of host1")
HOSTS, RANKS, EVERY, LIMIT = 2, 2, 4, 10
STEPS, QUICK_STEPS = 80, 24

# One step of something that depends on every step before it and on every rank. The state is donated.
STEP = """HloModule step, replica_count=4, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT s = f32[] add(a, b) }
cond { s = (s32[], f32[64,64]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(10)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[64,64]) parameter(0)  i = s32[] get-tuple-element(s), index=0  k = s32[] constant(1)
  j = s32[] add(i, k)  x = f32[64,64] get-tuple-element(s), index=1
  d = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  r = f32[64,64] all-reduce(d), replica_groups={}, to_apply=add
  both = f32[64,64] add(r, x)
  y = f32[64,64] sine(both)
  ROOT t = (s32[], f32[64,64]) tuple(j, y) }
ENTRY e {
  w = f32[64,64] parameter(0)
  n = s32[] parameter(1)
  x = f32[64,64] parameter(2)
  id = u32[] replica-id()
  number = f32[] convert(id)
  numbers = f32[64,64] broadcast(number), dimensions={}
  own = f32[64,64] add(w, numbers)
  start = f32[64,64] multiply(own, x)
  z = s32[] constant(0)
  t = (s32[], f32[64,64]) tuple(z, start)
  loop = (s32[], f32[64,64]) while(t), condition=cond, body=body
  new = f32[64,64] get-tuple-element(loop), index=1
  one = s32[] constant(1)
  next = s32[] add(n, one)
  zero = f32[] constant(0)
  loss = f32[] reduce(new, zero), dimensions={0,1}, to_apply=add
  ROOT r = (f32[64,64], s32[], f32[]) tuple(new, next, loss)
}
"""


def arrays(archive):
    with zipfile.ZipFile(archive) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


def command(hosts, steps, *options):
    return hosts.on(1, need_halo(), "run", hosts.folder / "step.txt", "--random", 1, "--repeat", steps, *options,
                    *hosts.options(RANKS))


def finish(hosts, steps, *options):
    """Runs to the end. Returns the results and the document, or what is wrong."""
    output = hosts.folder / "out.npz"
    output.unlink(missing_ok=True)
    run = subprocess.run(command(hosts, steps, *options, "-o", output, "--json"), capture_output=True, text=True, check=False, timeout=300)
    if run.returncode != 0:
        return None, f"exit {run.returncode}: {(run.stderr + run.stdout).strip()[:400]}"
    return arrays(output), json.loads(run.stdout)


def victims(kind, hosts, draw):
    """Process ids to kill; none if there are none yet."""
    if kind == "host2":
        return hosts.processes(2)
    if kind == "mpirun":
        return [pid for pid in hosts.processes(1) if name_of(pid) in ("mpirun", "orterun")]
    ranks = hosts.ranks(int(kind[-1]))
    return [ranks[draw.choice(sorted(ranks))]] if ranks else []


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def saved_step(folder):
    """The step of the last checkpoint; 0 if there is none. The manifest is replaced as a whole."""
    try:
        return json.loads((folder / "checkpoint.json").read_text())["step"]
    except FileNotFoundError:
        return 0


def one_kill(kind, hosts, draw, steps, moment):
    """Strikes as soon as there is a checkpoint of step `moment`; for 0, at any time after the first rank has begun.
    Returns what is wrong, or None, and what happened; neither if the run was over before."""
    folder = hosts.folder / "checkpoints"
    with open(hosts.folder / "said", "wb") as said:
        run = subprocess.Popen(command(hosts, steps, "--checkpoint", folder, "--checkpoint-every", EVERY), stdin=subprocess.DEVNULL,
                               stdout=said, stderr=said)
    begin = time.monotonic()
    while run.poll() is None and time.monotonic() - begin < 100:
        if saved_step(folder) >= moment if moment else hosts.ranks(1) and hosts.ranks(2):
            break
        time.sleep(0.005)
    time.sleep(draw.uniform(0, 0.1 if moment else 1))
    if run.poll() is not None:
        return None if run.returncode == 0 else f"exit code {run.returncode} before it was struck: {(hosts.folder / 'said').read_text()[:300]}", ""
    struck = victims(kind, hosts, draw)
    for pid in struck:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    begin = time.monotonic()
    try:
        code = run.wait(timeout=60)
    except subprocess.TimeoutExpired:
        run.kill()
        return "not ended after 60 s", ""
    left = hosts.wait_for_none(max(0, LIMIT - (time.monotonic() - begin)))
    took = time.monotonic() - begin
    if not struck and code == 0 and not left:
        return None, ""  # its ranks had ended, and only the processes that had started them were left
    if not struck or code == 0 or left or took > LIMIT:
        return f"{len(struck)} killed, exit code {code} after {took:.1f} s, left {left}: {(hosts.folder / 'said').read_text()[-300:]}", ""
    return None, f"ended after {took:.1f} s"


def measure(quick):
    need_ranks()
    need_root()
    draw = random.Random(5)
    steps = QUICK_STEPS if quick else STEPS
    kinds, problems, kills, resumed = set(), 0, 0, []
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as scratch:
        with Hosts(HOSTS, scratch) as hosts:
            (hosts.folder / "step.txt").write_text(STEP)
            expected, document = finish(hosts, steps, "--feed-back")
            if expected is None:
                raise RuntimeError(f"the undisturbed run: {document}")
            plain, _ = finish(hosts, 1)
        if plain == expected:
            raise RuntimeError("the results do not depend on the steps before")
        for _ in range(2 * LEAST["kills"]):
            if kills == (QUICK_LEAST if quick else LEAST)["kills"]:
                break
            kind = KINDS[kills % len(KINDS)]
            with Hosts(HOSTS, scratch) as hosts:
                (hosts.folder / "step.txt").write_text(STEP)
                # Every fifth may be struck before its first checkpoint.
                moment = EVERY if quick else 0 if kills % 5 == 4 else draw.randrange(EVERY, steps - 2 * EVERY)
                problem, how = one_kill(kind, hosts, draw, steps, moment)
                if not problem and not how:
                    print(f"{kind:14} was over before it was struck")
                    continue
                results, document = finish(hosts, steps, "--checkpoint", hosts.folder / "checkpoints", "--checkpoint-every", EVERY, "--resume")
                names = sorted(path.name for path in (hosts.folder / "checkpoints").glob("*")) if results else []
            step = document["resumed_after_step"] if results else 0
            if not problem and results != expected:
                problem = f"continued after step {step}: " + ("other results" if results else document)
            if not problem and len(names) != 1 + HOSTS * RANKS:
                problem = f"left in the folder: {names}"
            kills += 1
            kinds.add(kind)
            problems += problem is not None
            if step:
                resumed.append(step)
            print(f"{kind:14} {how or problem}; continued after step {step} of {steps}: {'NOT AS IT SHOULD' if problem else 'same bits'}"
                  f"{' (' + problem + ')' if problem and how else ''}", flush=True)
    counts = {"kills": kills, "kinds": len(kinds), "resumed from a checkpoint": len(resumed)}
    held = problems == 0 and enough(QUICK_LEAST if quick else LEAST, counts)
    return held, (f"{kills - problems} of {kills} killed runs continued to the same bits ({len(expected)} results), {len(resumed)} of them "
                  f"from a checkpoint, after step {min(resumed, default=0)} to {max(resumed, default=0)} of {steps}")
