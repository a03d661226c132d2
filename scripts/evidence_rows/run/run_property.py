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


def measure(quick):
    program = need(BUILD / "bench/run_property", "the release build")
    count, processes = (QUICK if quick else MODULES), os.cpu_count() or 1
    share = -(-count // processes)
    running = [subprocess.Popen([str(program), str(1 + i * share), str(share)], stdout=subprocess.PIPE, text=True)
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
    held &= totals.get("made", 0) >= count and totals.get("agreed", 0) == totals.get("evaluated", -1)
    held &= totals.get("evaluated", 0) >= 0.8 * count
    return held, (f"{totals.get('agreed', 0):,} of {totals.get('evaluated', 0):,} modules agree "
                  f"({totals.get('made', 0):,} made, the others do not pass the verifier or the evaluator's budget)")
