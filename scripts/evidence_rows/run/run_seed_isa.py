"""Compiles seeds 000 and 004 at full size at three levels of vector extensions and compares with XLA's CPU, which is
limited likewise. The row states how many of XLA's instructions are library calls and whether they are limited, which its
own flag does not do (cpu_levels.py). HALO_EVIDENCE_ONLY=000/avx2,... restricts a run, which then never holds. The quick
form shrinks seed 000 and compares the limited levels with the evaluator."""
import json
import os
import pathlib
import tempfile

from common import enough, halo_run, need_shared
from cpu_levels import LEVELS, has_bf16, hides_by_cpuid, limited_to, need_levels
from replay import problem_of
from seed_runs import measure_seed, on_xla

ORDER = 57
QUICK_SECONDS = 3
SPEED = True
WHAT = "seeds 000 and 004 at full size, limited to AVX2, to AVX-512 without bf16, and not limited"
BAR = ("outputs equal to XLA's CPU within the tolerance of eval-seeds; 000 at least 4 times as fast as XLA without bf16 "
       "instructions and 8 times with them, 004 at least 2 times")
LEAST = {"measurements": 6}
QUICK_BAR = "seed 000 shrunk to 8 MB, equal to the evaluator within the tolerance of eval-seeds at the two limited levels"
QUICK_LEAST = {"measurements": 2}
OUTPUTS = {"000": 4, "004": 79}
REPEAT = {"000": 5, "004": 2}


def shrunk():
    seed = next(need_shared("seeds").glob("000_*"))
    equal = 0
    with tempfile.TemporaryDirectory() as name:
        small, expected = pathlib.Path(name) / "small.txt", pathlib.Path(name) / "expected.npz"
        halo_run("shrink", seed, "--to", "8MB", "-o", small)
        halo_run("run", small, "--random", 1, "--engine", "reference", "-o", expected)
        for level in LEVELS[:2]:
            with limited_to(level):
                answer = json.loads(halo_run("run", small, "--random", 1, "--compare", expected, "--json", "--cache", "none").stdout)
            problem = problem_of(answer, expected)
            outputs = answer["comparison"]["outputs"]
            print(f"  {level}: {problem or f'{len(outputs)} outputs compared'}, {answer['reference_steps']} steps evaluated")
            equal += problem is None and answer["comparison"]["agrees"] and len(outputs) >= OUTPUTS["000"] and answer["reference_steps"] == 0
    return enough(QUICK_LEAST, {"measurements": equal}), f"equal at {equal} levels of 2"


def bar_of(number, level):
    return 2 if number == "004" else 8 if has_bf16(level) else 4


def measure(quick):
    if quick:
        return shrunk()
    need_levels()
    only = [each for each in os.environ.get("HALO_EVIDENCE_ONLY", "").split(",") if each]
    held, told, measured = True, [], 0
    for number in OUTPUTS:
        for level in LEVELS:
            if only and f"{number}/{level}" not in only:
                continue
            with limited_to(level):
                xla = on_xla(number, REPEAT[number], level)
                limited = "" if level == "best" else ", limited by CPUID," if hides_by_cpuid(level) else ", not limited,"
                print(f"{number} at {level}: XLA's program has {xla['library']} library calls{limited} of {xla['instructions']} instructions")
                passed, text = measure_seed(number, bar_of(number, level), {"outputs": OUTPUTS[number]}, quick, level, REPEAT[number])
            print(f"{number} at {level}: {text}; {'at least' if passed else 'NOT'} {bar_of(number, level)} times")
            held &= passed
            measured += 1
            told.append(f"{number} {level} {text.split(', ')[-1]}")
    return held and not only and enough(LEAST, {"measurements": measured}), "; ".join(told)
