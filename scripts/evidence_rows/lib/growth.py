"""How the cost of a command grows with its input: CPU time and peak memory at several sizes, and the exponent fitted to
them. This is not a row."""
import math
import os
import resource
import signal
import subprocess

from common import need_halo

SECONDS_LIMIT = 60
LEAST_SECONDS = 0.1  # well above the noise of starting a process
LEAST_BYTES = 24 << 20


def limit_cpu():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_LIMIT, SECONDS_LIMIT + 1))


def cost(arguments, repeat):
    """Returns (user CPU seconds, the least of several runs; peak bytes; exit code; bytes printed), None if it takes too
    long. The time of the kernel is left out: it depends on what else runs on the machine."""
    best, peak, code, printed = math.inf, 0, 0, 0
    for _ in range(repeat):
        run = subprocess.Popen([str(need_halo()), *map(str, arguments)], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, preexec_fn=limit_cpu)
        printed = sum(len(block) for block in iter(lambda: run.stdout.read(1 << 20), b""))
        run.stdout.close()
        _, status, used = os.wait4(run.pid, 0)
        run.returncode = code = os.waitstatus_to_exitcode(status)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return None
        if used.ru_utime >= SECONDS_LIMIT:
            return None  # ended by a process that watches the one that took so long
        best = min(best, used.ru_utime)
        peak = used.ru_maxrss << 10
        if best > 2:
            break
    return best, peak, code, printed


def exponent(points, floor):
    """The slope of log(cost) over log(n), least squares, from the last point that is not above the floor; that point counts
    as the floor. None if no point is above it: then even the largest input costs too little to measure."""
    first = next((i for i, (_, each) in enumerate(points) if each > floor), None)
    if first is None or len(points) < 2:
        return None
    kept = points[max(min(first - 1, len(points) - 2), 0):]
    logs = [(math.log(n), math.log(max(each, floor))) for n, each in kept]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


class Growth:
    """The costs of one command over inputs of increasing size."""

    def __init__(self, base):
        self.base = base  # seconds and bytes of a command on a tiny input
        self.times, self.peaks, self.problem = [], [], ""
        self.answered = True  # at all sizes; a command may refuse what it cannot use

    def add(self, n, arguments, repeat, codes=(0, 1, 2)):
        if self.problem:
            return
        measured = cost(arguments, repeat)
        if measured is None:
            self.problem = f"over {SECONDS_LIMIT} s at {n}"
            return
        seconds, peak, code, printed = measured
        self.answered = self.answered and code in (0, 1)
        if code not in codes:
            self.problem = f"exit code {code} at {n}"
        elif printed == 0:
            self.problem = f"nothing printed at {n}"
        self.times.append((n, seconds - self.base[0]))
        self.peaks.append((n, peak - self.base[1]))

    def again(self, at, arguments, repeat):
        """Measures the size number `at` once more; the least time counts, since other work on the machine only adds to it."""
        measured = cost(arguments, repeat)
        if measured is not None and at < len(self.times):
            n, seconds = self.times[at]
            self.times[at] = (n, min(seconds, measured[0] - self.base[0]))

    def exponents(self):
        return exponent(self.times, LEAST_SECONDS), exponent(self.peaks, LEAST_BYTES)

    def holds(self, most):
        return not self.problem and all(each is None or each <= most for each in self.exponents())

    def line(self):
        time, memory = ("-" if each is None else f"{each:.2f}" for each in self.exponents())
        costs = " ".join(f"{max(seconds, 0):.2f}" for _, seconds in self.times)
        peak = self.peaks[-1][1] / 2**20 if self.peaks else 0
        return f"time n**{time}, memory n**{memory}; {costs} s, {peak:.0f} MB {self.problem}"


def forked(task):
    """What `forked.work` returns for a task. A pool of processes finds this function by its name, which it does not for those of a row:
    rows are not modules that can be imported. The work is set before the processes are forked."""
    return forked.work(task)
