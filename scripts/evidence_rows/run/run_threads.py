"""Runs programs with more threads than cores: `--threads 16` on 2 cores must take hardly longer than 2 threads, and no thread may be
created once a program has warmed up, which is looked for every 5 ms in /proc. Then tests of the reader, the executor and the
collectives run under ThreadSanitizer, from the build tree of the preset `tsan` (targets halo_base_test, halo_text_test,
halo_runtime_test and devices_ranks)."""
import contextlib
import json
import os
import pathlib
import subprocess
import tempfile
import time

from common import ROOT, Skipped, enough, jax_python, need, need_halo
from subject import subject

ORDER = 61
QUICK_SECONDS = 0
SPEED = True
WHAT = "16 threads on 2 cores against 2 threads; threads created after the first second; ThreadSanitizer"
BAR = "each program takes at most 1.3 of its time with 2 threads; no thread created after the first second; no race reported"
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"programs": 5, "runs": 200, "looks at the threads": 500, "tests under ThreadSanitizer": 100}
PROGRAMS = (("attention", "gpt train 4x128, 2 layers of 256"), ("dense", "mlp train 256x784, momentum"),
            ("memory", "layer norm train 2048x1024"), ("convolution", "residual block train 8x32x32x64"),
            ("recurrent", "linear attention scan 256 steps, 4x4x32x32"))
MANY, FEW = 16, 2
ROUNDS = 6
SECONDS = 0.3
SANITIZED = ROOT / "build" / "tsan" / "test"
WATCHED = 2.5  # seconds of a run whose threads are watched
TESTS = {"halo_text_test": "*", "halo_base_test": "*",
         "halo_runtime_test": "*"}


def run(folder, threads, repeat, watch=None):
    command = ["taskset", "-c", "0,1", str(need_halo()), "run", f"{folder}/module.txt", "--inputs", f"{folder}/in.npz", "--json",
               "--repeat", str(repeat), "--threads", str(threads), "--cache", str(folder / "cache")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    if watch is not None:
        watch(process.pid)
    out, _ = process.communicate()
    if process.returncode != 0:
        raise RuntimeError(f"halo run: exit {process.returncode}: {out.decode()[-500:]}")
    return json.loads(out)["run_seconds"]


def family(pid):
    """A process and those it started: the command runs programs in a child."""
    found, todo = [], [pid]
    while todo:
        at = todo.pop()
        found.append(at)
        with contextlib.suppress(OSError):
            todo += [int(child) for task in os.listdir(f"/proc/{at}/task")
                     for child in pathlib.Path(f"/proc/{at}/task/{task}/children").read_text(encoding="utf-8").split()]
    return found


class Watch:
    """Threads that appear later than a second after the first look."""

    def __init__(self):
        self.looks, self.late, self.most = 0, set(), 0

    def __call__(self, pid):
        begin, known = time.monotonic(), set()
        while time.monotonic() - begin < WATCHED:
            threads = set()
            for each in family(pid):
                with contextlib.suppress(OSError):
                    threads |= set(os.listdir(f"/proc/{each}/task"))
            self.looks += 1
            self.most = max(self.most, len(threads))
            if time.monotonic() - begin > 1:
                self.late |= threads - known
            known |= threads
            time.sleep(0.005)


def sanitized():
    """(tests that ran, what was reported)"""
    environment = dict(os.environ, TSAN_OPTIONS="halt_on_error=1:exitcode=66:second_deadlock_stack=1")
    ran, reported = 0, []
    for name, chosen in TESTS.items():
        program = subject(need(SANITIZED / name, "a test of the preset tsan"))
        done = subprocess.run([str(program), f"--gtest_filter={chosen}"], capture_output=True, text=True, env=environment, check=False)
        passed = done.stdout.count("[       OK ]")
        print(f"{name} under ThreadSanitizer: {passed} tests, exit {done.returncode}")
        ran += passed
        if done.returncode != 0 or "ThreadSanitizer" in done.stderr:
            reported.append(name)
            print(done.stderr[-3000:])
    # The collectives, with MPI's own code left out: it is not instrumented.
    environment["TSAN_OPTIONS"] += ":ignore_noninstrumented_modules=1"
    ranks = subject(need(SANITIZED / "devices_ranks", "the test of collectives of the preset tsan"))
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", str(ranks)], capture_output=True, text=True,
                          env=environment, check=False)
    passed = done.stdout.count("       OK")
    print(f"collectives of 4 ranks under ThreadSanitizer: {passed} tests, exit {done.returncode}")
    if done.returncode != 0 or "ThreadSanitizer" in done.stdout + done.stderr:
        reported.append("collectives")
        print((done.stdout + done.stderr)[-3000:])
    return ran + passed, reported


def measure(quick):
    if quick:
        raise Skipped("takes a minute, and needs the build of the preset tsan")
    need_halo()
    need(SANITIZED, "the build of the preset tsan")
    watch, runs, ratios = Watch(), 0, []
    with tempfile.TemporaryDirectory() as name:
        folders = [pathlib.Path(name) / str(number) for number in range(len(PROGRAMS))]
        for folder in folders:
            folder.mkdir()
        request = json.dumps([(*program, str(folder)) for program, folder in zip(PROGRAMS, folders)]) + "\n"
        subprocess.run([jax_python(), str(ROOT / "bench" / "peer" / "pace_jax.py")], input=request, text=True, check=True,
                       capture_output=True, env=dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3"))
        for program, folder in zip(PROGRAMS, folders):
            once = min(run(folder, FEW, 5))
            repeat = max(10, min(2000, int(SECONDS / once)))
            means = {MANY: [], FEW: []}
            for _ in range(ROUNDS):
                for threads in (FEW, MANY):
                    times = run(folder, threads, repeat + 2)[2:]
                    means[threads].append(sum(times) / len(times))
                    runs += len(times)
            run(folder, MANY, max(repeat, int(1.5 * WATCHED / once)), watch)
            ratios.append((min(means[MANY]) / min(means[FEW]), program[1]))
            print(f"{program[1]:44} {1e3 * min(means[FEW]):8.3f} ms with {FEW} threads, {1e3 * min(means[MANY]):8.3f} ms with {MANY}: "
                  f"{ratios[-1][0]:.2f}; {len(watch.late)} threads created late so far", flush=True)
    ran, reported = sanitized()
    worst = max(ratios)
    least = enough(LEAST, {"programs": len(ratios), "runs": runs, "looks at the threads": watch.looks,
                           "tests under ThreadSanitizer": ran})
    held = least and worst[0] <= 1.3 and not watch.late and not reported
    return held, (f"{MANY} threads take at most {worst[0]:.2f} of the time of {FEW} ({worst[1]}), {len(watch.late)} threads created "
                  f"after the first second in {watch.looks} looks, at most {watch.most} at a time; {ran} tests under ThreadSanitizer, "
                  + (f"reports in {', '.join(reported)}" if reported else "no report"))
