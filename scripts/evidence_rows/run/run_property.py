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


def measure(quick):
    tester = program("bench/run_property")
    least, processes = QUICK_LEAST if quick else LEAST, os.cpu_count() or 1
    share = -(-least["modules made"] // processes)
    running = [subprocess.Popen([str(tester), str(1 + i * share), str(share)], stdout=subprocess.PIPE, text=True)
               for i in range(processes)]
    totals, held = {}, True
    for process in running:
        output = process.communicate()[0].strip().splitlines()
        held &= process.returncode == 0
        if process.returncode != 0:
            print("\n".join(output[:60]))
        for key, value in re.findall(r"(made|verified|evaluated|compiled|agreed) (\d+)", output[-1] if output else ""):
            totals[key] = totals.get(key, 0) + int(value)
        print(output[-1] if output else f"no answer, exit {process.returncode}")
    # Each was told how many to make.
    held &= totals.get("made", 0) == share * processes and totals.get("agreed", 0) == totals.get("evaluated", -1)
    held &= enough(least, {"modules made": totals.get("made", 0), "evaluated": totals.get("evaluated", 0)})
    return held, (f"{totals.get('agreed', 0):,} of {totals.get('evaluated', 0):,} modules agree "
                  f"({totals.get('made', 0):,} made, the others do not pass the verifier or the evaluator's budget)")
