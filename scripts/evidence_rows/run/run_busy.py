"""How much programs slow down while others use the machine: one and two processes that only compute, as important as the
program and niced, and a quota of half a core. The mean time of a few runs counts, not the best run, of `halo run`
and of jaxlib in turns under the same conditions; of several rounds, the best mean of each. HALO_EVIDENCE_ONLY=TEXT restricts a run to conditions whose name contains it; it never
holds then."""
import contextlib
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

from common import ROOT, Skipped, enough, jax_python, need_halo
from replay import problem_of
from run_peer_isa import agrees_with_evaluator

sys.path.insert(0, str(ROOT / "bench" / "peer"))
from table import mean  # noqa: E402

ORDER = 60
QUICK_SECONDS = 0
SPEED = True
WHAT = "programs beside one and two busy processes, niced and not, and with half a core: slowdown against XLA's"
BAR = "under each condition, the slowdown by geometric mean at most 1.2 times XLA's in the same run; results agree"
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"conditions": 6, "programs": 4, "runs": 300}
PROGRAMS = (("attention", "gpt train 4x128, 2 layers of 256"), ("dense", "mlp train 256x784, momentum"),
            ("memory", "layer norm train 2048x1024"), ("convolution", "residual block train 8x32x32x64"))
SECONDS = 0.4
ROUNDS = 2
QUOTA_GROUP = pathlib.Path("/sys/fs/cgroup/cpu")
HALF, PERIOD = 50_000, 100_000  # microseconds

SPIN = "import os, sys\nos.nice(int(sys.argv[1]))\nwhile True: pass"


@contextlib.contextmanager
def busy(count, nice):
    """So many processes that only compute. They end with this one."""
    processes = [subprocess.Popen([sys.executable, "-c", SPIN, str(nice)]) for _ in range(count)]
    try:
        yield lambda pid: None
    finally:
        for process in processes:
            process.send_signal(signal.SIGKILL)
            process.wait()


@contextlib.contextmanager
def half_a_core():
    """A function that moves a process into a control group; raises Skipped where none can be made."""
    group = QUOTA_GROUP / f"halo-busy-{os.getpid()}"
    try:
        group.mkdir()
        (group / "cpu.cfs_period_us").write_text(str(PERIOD))
        (group / "cpu.cfs_quota_us").write_text(str(HALF))
    except OSError as error:
        raise Skipped(f"no control group with a quota can be made here ({error})") from error
    try:
        yield lambda pid: (group / "cgroup.procs").write_text(str(pid))
    finally:
        while pids := (group / "cgroup.procs").read_text().split():
            for pid in pids:
                with contextlib.suppress(OSError):  # it may have ended
                    (QUOTA_GROUP / "cgroup.procs").write_text(pid)
        group.rmdir()


CONDITIONS = {
    "quiet": lambda: busy(0, 0),
    "1 busy": lambda: busy(1, 0),
    "2 busy": lambda: busy(2, 0),
    "1 busy, niced": lambda: busy(1, 19),
    "2 busy, niced": lambda: busy(2, 19),
    "half a core": half_a_core,
}


class Peer:
    def __init__(self, folders):
        command = [jax_python(), str(ROOT / "bench" / "peer" / "pace_jax.py")]
        environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)
        self.ask([(*program, str(folder)) for program, folder in zip(PROGRAMS, folders)])

    def ask(self, request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def pace(self, number):
        return json.loads(self.ask([number, SECONDS]))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ours(folder, runs, enter):
    """The mean time of a run, without the first two, and their number. Results must agree with jaxlib's or, where rounding
    tells them apart, be as close to the evaluator's."""
    command = [str(need_halo()), "run", f"{folder}/module.txt", "--inputs", f"{folder}/in.npz", "--compare", f"{folder}/out.npz",
               "--json", "--repeat", str(runs + 2), "--cache", str(folder / "cache")]
    run = subprocess.run(command, capture_output=True, check=False, preexec_fn=lambda: enter(os.getpid()))
    if run.returncode not in (0, 1):
        raise RuntimeError(run.stdout.decode()[-1000:] + run.stderr.decode()[-1000:])
    answer = json.loads(run.stdout)
    problem = problem_of(answer, f"{folder}/out.npz")
    if problem:
        raise RuntimeError(problem)
    if not answer["comparison"]["agrees"]:
        if not agrees_with_evaluator(folder, "best", 2):
            raise RuntimeError("results differ from jaxlib's and from the evaluator's")
        (folder / "ours.npz").replace(folder / "out.npz")  # what it is compared with from now on
    times = answer["run_seconds"][2:]
    return sum(times) / len(times), len(times)


def measure(quick):
    if quick:
        raise Skipped("takes minutes")
    need_halo()
    only = os.environ.get("HALO_EVIDENCE_ONLY", "")
    conditions = [name for name in CONDITIONS if name == "quiet" or only in name]
    times, runs = {}, 0  # {(condition, program, who): the least mean seconds}
    with tempfile.TemporaryDirectory() as name:
        folders = [pathlib.Path(name) / str(number) for number in range(len(PROGRAMS))]
        for folder in folders:
            folder.mkdir()
        peer = Peer(folders)
        for round_number, condition in itertools.product(range(ROUNDS), conditions):
            with CONDITIONS[condition]() as enter:
                enter(peer.process.pid)
                for number in range(len(PROGRAMS)):
                    guess = times.get(("quiet", number, "halo"))
                    wanted = max(5, min(400, int(SECONDS / guess))) if guess else 20
                    for who, (seconds, count) in (("xla", peer.pace(number)), ("halo", ours(folders[number], wanted, enter))):
                        times[condition, number, who] = min(seconds, times.get((condition, number, who), seconds))
                        runs += count
                        print(f"round {round_number + 1}: {condition}: {PROGRAMS[number][1]}: {who} {1e3 * seconds:.3f} ms", flush=True)
        peer.close()
    for condition, (number, program) in itertools.product(conditions, enumerate(PROGRAMS)):
        mine, theirs = (times[condition, number, who] for who in ("halo", "xla"))
        slower = [times[condition, number, who] / times["quiet", number, who] for who in ("halo", "xla")]
        print(f"{condition:14} {program[1]:44} halo {1e3 * mine:8.3f} ms ({slower[0]:5.2f} times), "
              f"XLA {1e3 * theirs:8.3f} ms ({slower[1]:5.2f} times)")
    told, held = [], not only
    for condition in conditions[1:]:
        def slowdown(who):
            return mean([times[condition, number, who] / times["quiet", number, who] for number in range(len(PROGRAMS))])
        ratio = slowdown("halo") / slowdown("xla")
        held &= ratio <= 1.2
        told.append(f"{condition} {slowdown('halo'):.2f} against {slowdown('xla'):.2f} ({ratio:.2f})")
    least = enough(LEAST, {"conditions": len(conditions), "programs": len(PROGRAMS), "runs": runs})
    return held and least, "times as long as alone, against XLA's: " + "; ".join(told)
