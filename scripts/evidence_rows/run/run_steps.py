"""Which steps of compiled programs the reference evaluator runs: counts them over the modules of run-property."""
import re

from common import enough, program
from run_property import asked, run_processes

ORDER = 52
WHAT = "steps of compiled modules that the evaluator runs, in the generated modules of run-property"
BAR = "at most 0.5 % of the steps, of at least 80,000"
QUICK_BAR = "at most 0.5 % of the steps, of at least 600"
QUICK_SECONDS = 5
MODULES, QUICK = 20_000, 160
LEAST, QUICK_LEAST = {"steps": 80_000}, {"steps": 600}
SHARE = 0.005


def measure(quick):
    tester = program("bench/run_property")
    kernels = libraries = evaluated = made = 0
    held, reasons = True, {}
    for code, lines in run_processes(tester, 500_001, QUICK if quick else MODULES):
        held &= code == 0
        last = lines[-1] if lines else f"no answer, exit {code}"
        print(last)
        found = re.search(r"steps: (\d+) kernels, (\d+) libraries, (\d+) evaluated", last)
        if found is None:
            return False, f"no counts, exit {code}"
        made += int(re.search(r"made (\d+)", last)[1])
        kernels, libraries, evaluated = (a + int(b) for a, b in zip((kernels, libraries, evaluated), found.groups()))
        for line in lines:
            if reason := re.match(r"evaluated (\d+) times: (.*)", line):
                reasons[reason[2]] = reasons.get(reason[2], 0) + int(reason[1])
    for reason, times in sorted(reasons.items(), key=lambda pair: -pair[1]):
        print(f"evaluated {times} times: {reason}")
    steps = kernels + libraries + evaluated
    held &= made == asked(QUICK if quick else MODULES)
    held &= enough(QUICK_LEAST if quick else LEAST, {"steps": steps}) and evaluated <= SHARE * steps
    return held, (f"{evaluated:,} of {steps:,} steps evaluated ({100 * evaluated / max(steps, 1):.2f} %); {kernels:,} "
                  f"kernels, {libraries:,} library calls")
