"""Compiled and evaluated results of generated modules must agree: runs one bench/run_property process per core."""
import os
import re
import subprocess

from common import enough, program

ORDER = 51
QUICK_SECONDS = 5
WHAT = "property test: generated modules of up to 16 ops, compiled and evaluated on the same inputs"
BAR = ("100,000 modules without a mismatch or a crash: integers bit-equal, floats within the tolerance of "
       "eval-cpu-corpus")
QUICK_BAR = "400 modules without a mismatch or a crash: integers bit-equal, floats within the tolerance of eval-cpu-corpus"
LEAST = {"modules made": 100_000, "evaluated": 80_000}
QUICK_LEAST = {"modules made": 400, "evaluated": 320}


def asked(count):
    """How many modules run_processes makes for `count`: every process makes the same number."""
    processes = os.cpu_count() or 1
    return -(-count // processes) * processes


def run_processes(tester, first, count, *options):
    """Yields the exit code and the lines of each process; together they run `count` seeds from `first` on."""
    processes = os.cpu_count() or 1
    share = asked(count) // processes
    running = [subprocess.Popen([str(tester), str(first + i * share), str(share), *options], stdout=subprocess.PIPE,
                                text=True) for i in range(processes)]
    for process in running:
        output = process.communicate()[0].strip().splitlines()
        yield process.returncode, output


def measure(quick):
    least = QUICK_LEAST if quick else LEAST
    totals, held = {}, True
    for code, output in run_processes(program("bench/run_property"), 1, least["modules made"]):
        held &= code == 0
        if code != 0:
            print("\n".join(output[:60]))
        for key, value in re.findall(r"(made|verified|evaluated|compiled|agreed) (\d+)",
                                     output[-1] if output else ""):
            totals[key] = totals.get(key, 0) + int(value)
        print(output[-1] if output else f"no answer, exit {code}")
    held &= totals.get("made", 0) == asked(least["modules made"]) and totals.get("agreed", 0) == totals.get("evaluated", -1)
    held &= enough(least, {"modules made": totals.get("made", 0), "evaluated": totals.get("evaluated", 0)})
    return held, (f"{totals.get('agreed', 0):,} of {totals.get('evaluated', 0):,} modules agree "
                  f"({totals.get('made', 0):,} made, the others do not pass the verifier or the evaluator's budget)")
