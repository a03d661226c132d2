"""Compiled and evaluated results of generated modules must agree: runs one bench/run_property process per core."""
import os
import re
import subprocess

from common import BUILD, need

ORDER = 51
WHAT = "property test: generated modules of up to 16 ops, compiled and evaluated on the same inputs"
BAR = ("100,000 modules without a mismatch or a crash: integers bit-equal, floats within the tolerance of "
       "eval-cpu-corpus")
MODULES, QUICK = 100_000, 400


def run_processes(program, first, count, *options):
    """Yields the exit code and the lines of each process; together they run `count` seeds from `first` on."""
    processes = os.cpu_count() or 1
    share = -(-count // processes)
    running = [subprocess.Popen([str(program), str(first + i * share), str(share), *options], stdout=subprocess.PIPE,
                                text=True) for i in range(processes)]
    for process in running:
        output = process.communicate()[0].strip().splitlines()
        yield process.returncode, output


def measure(quick):
    program = need(BUILD / "bench/run_property", "the release build")
    count = QUICK if quick else MODULES
    totals, held = {}, True
    for code, output in run_processes(program, 1, count):
        held &= code == 0
        if code != 0:
            print("\n".join(output[:60]))
        for key, value in re.findall(r"(made|verified|evaluated|compiled|agreed) (\d+)",
                                     output[-1] if output else ""):
            totals[key] = totals.get(key, 0) + int(value)
        print(output[-1] if output else f"no answer, exit {code}")
    held &= totals.get("made", 0) >= count and totals.get("agreed", 0) == totals.get("evaluated", -1)
    held &= totals.get("evaluated", 0) >= 0.8 * count
    return held, (f"{totals.get('agreed', 0):,} of {totals.get('evaluated', 0):,} modules agree "
                  f"({totals.get('made', 0):,} made, the others do not pass the verifier or the evaluator's budget)")
