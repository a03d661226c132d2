"""Runs hostile modules: kernels, loops and evaluations that do not end, shapes beyond any memory, modules that take
very long to compile, programs that use up their memory, Ctrl-C at a random moment, a worker or a supervisor that is killed.
Each run must end in time with the expected exit code and say why; no process and no file may be left."""
import collections
import concurrent.futures
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time

from common import HALO, enough, need_halo

ORDER = 59
QUICK_SECONDS = 6
WHAT = "hostile runs: endless, huge, slow to compile, out of memory, interrupted or killed at a random moment (seeded)"
BAR = ("at least 1,000 runs of at least 10 kinds: each ends within 1 s after its timeout, its signal or, if it is refused, "
       "its start; exit code and reason as expected; no process, no shared memory and no half-written file left")
QUICK_BAR = "at least 30 runs of at least 10 kinds; the same"
RUNS, QUICK_RUNS, KINDS = 1000, 30, 10
LEAST, QUICK_LEAST = {"runs": RUNS, "kinds": KINDS}, {"runs": QUICK_RUNS, "kinds": KINDS}
GRACE = 1.0
REFUSED_SECONDS = 3.0  # for what is refused: start, reading and compiling count too
MARK = "HALO_SAFE_RUN"

ADD = "add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }\n"


def endless_kernel(draw):
    rows, columns = 1 << draw.randint(10, 18), 1 << draw.randint(28, 34)
    op = draw.choice(["tanh", "exponential", "sine", "log"])
    return (f"HloModule k\n{ADD}ENTRY e {{\n  x = f32[{rows}] parameter(0)\n"
            f"  b = f32[{rows},{columns}] broadcast(x), dimensions={{0}}\n  t = f32[{rows},{columns}] {op}(b)\n"
            f"  z = f32[] constant(0)\n  ROOT r = f32[{rows}] reduce(t, z), dimensions={{1}}, to_apply=add\n}}\n")


def endless_loop(draw):
    n = draw.randint(1, 300)
    return (f"HloModule w\nbody {{ b = f32[{n}] parameter(0)  ROOT c = f32[{n}] sine(b) }}\n"
            f"always {{ a = f32[{n}] parameter(0)  ROOT t = pred[] constant(true) }}\n"
            f"ENTRY e {{\n  z = f32[{n}] parameter(0)\n  ROOT w = f32[{n}] while(z), condition=always, body=body\n}}\n")


def long_evaluation(draw):
    n = draw.randint(3000, 6000)
    return (f"HloModule d\nENTRY e {{\n  a = f32[{n},{n}] parameter(0)\n  ROOT d = f32[{n},{n}] dot(a, a), "
            "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n")


def huge_input(draw):
    n = draw.randint(10 ** 12, 10 ** 17)
    return f"HloModule h\nENTRY e {{\n  a = f32[{n}] parameter(0)\n  ROOT r = f32[{n}] add(a, a)\n}}\n"


def huge_result(draw):
    n = draw.randint(10 ** 12, 10 ** 17)
    return (f"HloModule h\nENTRY e {{\n  a = f32[] parameter(0)\n  b = f32[{n}] broadcast(a), dimensions={{}}\n"
            f"  ROOT r = (f32[{n}]) tuple(b)\n}}\n")


def compile_bomb(draw):
    """Each computation calls the next one several times, so that inlining all of them has no end."""
    depth, times = draw.randint(24, 40), draw.randint(2, 4)
    parts = ["HloModule b\nf0 { p = f32[8] parameter(0)  ROOT r = f32[8] sine(p) }\n"]
    for i in range(1, depth):
        calls, last = "", "p"
        for k in range(times):
            calls += f"  c{k} = f32[8] call({last}), to_apply=f{i - 1}\n"
            last = f"c{k}"
        parts.append(f"f{i} {{\n  p = f32[8] parameter(0)\n{calls}  ROOT r = f32[8] cosine({last})\n}}\n")
    parts.append(f"ENTRY e {{\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] call(p), to_apply=f{depth - 1}\n}}\n")
    return "".join(parts)


def many_kernels(draw):
    """Thousands of different kernels, each to be compiled."""
    lines, last = [], "p"
    for i in range(draw.randint(3000, 4000)):
        n = 16 + i
        lines.append(f"  b{i} = f32[{n},{n}] broadcast({last}), dimensions={{}}\n"
                     f"  s{i} = f32[{n},{n}] sine(b{i})\n  t{i} = f32[] reduce(s{i}, z), dimensions={{0,1}}, to_apply=add\n")
        last = f"t{i}"
    return (f"HloModule m\n{ADD}ENTRY e {{\n  p = f32[] parameter(0)\n  z = f32[] constant(0)\n{''.join(lines)}"
            f"  ROOT r = f32[] sine({last})\n}}\n")


def memory_hog(draw):
    n, count = draw.randint(900, 1200) << 20, draw.randint(1, 3)
    lines = [f"  b{i} = f32[{n}] iota(), iota_dimension=0\n" for i in range(count)]
    return (f"HloModule g\nENTRY e {{\n{''.join(lines)}  ROOT r = ({', '.join([f'f32[{n}]'] * count)}) "
            f"tuple({', '.join(f'b{i}' for i in range(count))})\n}}\n")


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


Kind = collections.namedtuple("Kind", "make options how codes")
TIMEOUT, REFUSED, SIGINT, WORKER, SUPERVISOR = "timeout", "refused", "Ctrl-C", "worker killed", "supervisor killed"
KINDS_OF_RUNS = {
    "endless kernel": Kind(endless_kernel, [], TIMEOUT, ["interrupted"]),
    "endless loop": Kind(endless_loop, [], TIMEOUT, ["interrupted"]),
    "endless loop, evaluated": Kind(endless_loop, ["--engine", "reference"], TIMEOUT, ["interrupted"]),
    "long evaluation": Kind(long_evaluation, ["--engine", "reference"], TIMEOUT, ["interrupted"]),
    "compile bomb": Kind(compile_bomb, [], TIMEOUT, ["interrupted", "cannot-plan", "too-nested", "step-limit", "memory-limit"]),
    "many kernels": Kind(many_kernels, ["--cache", "none"], TIMEOUT, ["interrupted"]),
    "huge input": Kind(huge_input, [], REFUSED, ["memory-limit"]),
    "huge result": Kind(huge_result, [], REFUSED, ["memory-limit", "cannot-plan"]),
    "memory limit": Kind(memory_hog, ["--max-memory", "512MiB"], REFUSED, ["memory-limit"]),
    "no memory": Kind(memory_hog, [], REFUSED, ["memory-limit"]),
    "no memory, evaluated": Kind(memory_hog, ["--engine", "reference"], REFUSED, ["memory-limit"]),
    "Ctrl-C in a kernel": Kind(endless_kernel, [], SIGINT, ["interrupted"]),
    "Ctrl-C in a loop": Kind(endless_loop, [], SIGINT, ["interrupted"]),
    "Ctrl-C in the compiler": Kind(many_kernels, ["--cache", "none"], SIGINT, ["interrupted"]),
    "worker killed": Kind(endless_kernel, [], WORKER, ["cannot-evaluate"]),
    "supervisor killed": Kind(endless_loop, [], SUPERVISOR, []),
    "ranks": Kind(endless_kernel, ["--devices", "2"], TIMEOUT, ["interrupted", "cannot-evaluate"]),
    "Ctrl-C in ranks": Kind(endless_kernel, ["--devices", "2"], SIGINT, ["interrupted"]),
}


def marked(value):
    """The processes that have this run's mark in their environment."""
    found, wanted = [], f"{MARK}={value}".encode()
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and wanted in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            pass
    return found


def child_of(pid, seconds):
    end = time.monotonic() + seconds
    path = pathlib.Path(f"/proc/{pid}/task/{pid}/children")
    while time.monotonic() < end:
        try:
            children = path.read_text().split()
        except OSError:
            return None
        if children:
            return int(children[0])
        time.sleep(0.002)
    return None


def left_behind(value, folder, shared):
    # The system takes a moment to end the processes of a supervisor that was killed.
    end = time.monotonic() + GRACE
    while (alive := marked(value)) and time.monotonic() < end:
        time.sleep(0.02)
    files = [path.name for path in folder.rglob("*") if path.suffix == ".tmp" or path.name.startswith("out.npz")]
    pids = {name for name in os.listdir("/dev/shm") if name.startswith("halo-ranks-")} - shared
    ranks = [name for name in pids if not pathlib.Path(f"/proc/{name.split('-')[2]}").exists()]
    return [f"process {pid}" for pid in alive] + files + ranks


def one_run(number, name, seed, top):
    """Returns (problem or None, seconds after the run should have ended)."""
    kind, draw = KINDS_OF_RUNS[name], random.Random(seed)
    folder = pathlib.Path(top) / str(number)
    folder.mkdir()
    module = folder / "module.txt"
    module.write_text(kind.make(draw))
    timeout = draw.uniform(0.05, 0.4) if "ranks" not in name else draw.uniform(0.3, 1.0)
    value = f"{os.getpid()}-{number}"
    command = [str(HALO), "run", str(module), "--random", "1", "-o", str(folder / "out.npz"),
               *kind.options]
    if "--cache" not in command:
        command += ["--cache", str(folder / "cache")]
    if kind.how == TIMEOUT:
        command += ["--timeout", f"{timeout:.3f}"]
    shared = set(os.listdir("/dev/shm"))
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               env=dict(os.environ, **{MARK: value}),
                               preexec_fn=little_memory if name.startswith("no memory") else None)
    worker = None if kind.how in (TIMEOUT, REFUSED) else child_of(process.pid, 5)
    if worker:
        time.sleep(timeout)
        begin = time.monotonic()
        victim = worker if kind.how == WORKER else process.pid
        os.kill(victim, signal.SIGINT if kind.how == SIGINT else signal.SIGKILL)
    allowed = GRACE + (timeout if kind.how == TIMEOUT else REFUSED_SECONDS if kind.how == REFUSED else 0)
    try:
        said = process.communicate(timeout=30)[1].decode(errors="replace")
    except subprocess.TimeoutExpired:
        for pid in marked(value):
            os.kill(pid, signal.SIGKILL)
        process.kill()
        process.communicate()
        return "not ended after 30 s", 30.0
    late = time.monotonic() - begin - (allowed - GRACE)
    expected = {SIGINT: 130, SUPERVISOR: -signal.SIGKILL}.get(kind.how, 2)
    left = left_behind(value, folder, shared)
    shutil.rmtree(folder, ignore_errors=True)
    problem = None
    if process.returncode != expected:
        problem = f"exit code {process.returncode} instead of {expected}: {said.strip()[-200:]}"
    elif kind.codes and not any(f"[{code}]" in said for code in kind.codes):
        problem = f"says {said.strip()[-200:]!r}"
    elif left:
        problem = "leaves " + ", ".join(left)
    elif late > GRACE:
        problem = f"took {late:.2f} s longer"
    return problem, late


def measure(quick):
    need_halo()
    names = [name for name in KINDS_OF_RUNS if "ranks" not in name or (shutil.which("mpirun") and not quick)]
    draw = random.Random(18 if quick else 81)
    plan = [(i, names[i % len(names)], draw.getrandbits(32)) for i in range(QUICK_RUNS if quick else RUNS)]
    counts, problems, latest = collections.Counter(), [], 0.0
    with tempfile.TemporaryDirectory() as top, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (number, name, seed), (problem, late) in zip(plan, pool.map(lambda each: one_run(*each, top), plan)):
            if problem:
                problems.append(name)
                print(f"run {number} ({name}, seed {seed}): {problem}", flush=True)
            else:
                counts[name] += 1
                latest = max(latest, late)
    for name in names:
        print(f"{name:26} {counts[name]} as expected")
    done = sum(counts.values())
    held = not problems and enough(QUICK_LEAST if quick else LEAST, {"runs": done, "kinds": len(counts)})
    return held, (f"{done} of {len(plan)} runs of {len(counts)} kinds ended as they should, at most {latest:.2f} s late; "
                  f"nothing left behind" + (f"; not as they should: {', '.join(sorted(set(problems)))}" if problems else ""))
