"""Compiles generated and mutated modules and runs them with guard pages around all their memory, against the evaluator.
The full form takes hours. It keeps its counts in the build directory and continues where an earlier run of the same
program stopped; HALO_SAFE_JIT_SECONDS limits one run."""
import hashlib
import json
import os
import re
import time

from common import BUILD, enough, program
from run_property import asked, run_processes

ORDER = 78
WHAT = ("generated modules, half of them mutated, compiled and run twice with guard pages before and after every "
        "allocation, against the evaluator; one of four with LLVM's optimizations, the others without")
BAR = ("200,000 modules compiled and run; no access outside an allocation and no mismatch; a quarter of them mutated, "
       "at least a fifth optimized")
QUICK_BAR = "the same for at least 100 modules"
QUICK_SECONDS = 4
MODULES, CHUNK = 200_000, 2_000
QUICK = 140
LEAST, QUICK_LEAST = {"modules": MODULES}, {"modules": 100}
FIRST_SEED = 10_000_001  # not those of run-property
KEYS = ("made", "mutated", "compiled", "optimized", "agreed", "evaluated")


def chunk(tester, first, count):
    """Returns the counts of one chunk, and the lines of what went wrong."""
    counts, problems = dict.fromkeys(KEYS, 0), []
    for code, lines in run_processes(tester, first, count, "guarded"):
        found = dict(re.findall(r"(made|mutated|evaluated|compiled|optimized|agreed) (\d+)[,;]", lines[-1] if lines else ""))
        if code != 0 or set(found) != set(KEYS):
            problems += [f"exit {code}", *lines[:60]]
        for key in KEYS:
            counts[key] += int(found.get(key, 0))
    if counts["made"] != asked(count):
        problems.append(f"made {counts['made']} modules instead of {asked(count)}")
    return counts, problems


def measure(quick):
    tester = program("bench/run_property")
    if quick:
        counts, problems = chunk(tester, FIRST_SEED, QUICK)
    else:
        state_file = BUILD / "safe_jit.json"
        build = hashlib.sha256(tester.read_bytes()).hexdigest()
        state = json.loads(state_file.read_text()) if state_file.exists() else {}
        if state.get("build") != build:
            state = {"build": build, "next": FIRST_SEED, "counts": dict.fromkeys(KEYS, 0), "problems": []}
        deadline = time.monotonic() + float(os.environ.get("HALO_SAFE_JIT_SECONDS", "inf"))
        counts, problems = state["counts"], state["problems"]
        while counts["compiled"] < MODULES and not problems and time.monotonic() < deadline:
            more, wrong = chunk(tester, state["next"], CHUNK)
            for key in KEYS:
                counts[key] += more[key]
            problems += wrong
            state["next"] += CHUNK
            state_file.write_text(json.dumps(state))
            print(f"{counts['agreed']:,} of {counts['compiled']:,} agree", flush=True)
    print("\n".join(problems))
    held = (not problems and enough(QUICK_LEAST if quick else LEAST, {"modules": counts["compiled"]}) and counts["agreed"] == counts["compiled"] == counts["evaluated"]
            and counts["mutated"] >= counts["made"] / 4 and counts["optimized"] >= counts["compiled"] / 5)
    return held, (f"{counts['agreed']:,} of {counts['compiled']:,} modules agree, {counts['mutated']:,} of them mutated, "
                  f"{counts['optimized']:,} optimized; "
                  f"{'no access outside an allocation' if not problems else problems[:2]}")
