"""Compiles generated and mutated modules and runs them with guard pages around all their memory, against the evaluator.
The full form takes hours. It keeps its counts in the build directory and continues where an earlier run of the same
program stopped; HALO_SAFE_JIT_SECONDS limits one run."""
import hashlib
import json
import os
import re
import time

from common import BUILD, need
from run_property import run_processes

ORDER = 78
WHAT = ("generated modules, half of them mutated, compiled and run twice with guard pages before and after every "
        "allocation, against the evaluator")
BAR = "200,000 modules compiled and run; no access outside an allocation and no mismatch; a quarter of them mutated"
QUICK_BAR = "the same for at least 100 modules"
QUICK_SECONDS = 6
MODULES, CHUNK = 200_000, 2_000
QUICK = 140
FIRST_SEED = 10_000_001  # not those of run-property
KEYS = ("made", "mutated", "compiled", "agreed", "evaluated")


def chunk(program, first, count):
    """Returns the counts of one chunk, and the lines of what went wrong."""
    counts, problems = dict.fromkeys(KEYS, 0), []
    for code, lines in run_processes(program, first, count, "guarded"):
        found = dict(re.findall(r"(made|mutated|evaluated|compiled|agreed) (\d+)[,;]", lines[-1] if lines else ""))
        if code != 0 or set(found) != set(KEYS):
            problems += [f"exit {code}", *lines[:60]]
        for key in KEYS:
            counts[key] += int(found.get(key, 0))
    return counts, problems


def measure(quick):
    program = need(BUILD / "bench/run_property", "the release build")
    if quick:
        counts, problems = chunk(program, FIRST_SEED, QUICK)
        wanted = 100
    else:
        state_file = BUILD / "safe_jit.json"
        build = hashlib.sha256(program.read_bytes()).hexdigest()
        state = json.loads(state_file.read_text()) if state_file.exists() else {}
        if state.get("build") != build:
            state = {"build": build, "next": FIRST_SEED, "counts": dict.fromkeys(KEYS, 0), "problems": []}
        deadline = time.monotonic() + float(os.environ.get("HALO_SAFE_JIT_SECONDS", "inf"))
        counts, problems, wanted = state["counts"], state["problems"], MODULES
        while counts["compiled"] < wanted and not problems and time.monotonic() < deadline:
            more, wrong = chunk(program, state["next"], CHUNK)
            for key in KEYS:
                counts[key] += more[key]
            problems += wrong
            state["next"] += CHUNK
            state_file.write_text(json.dumps(state))
            print(f"{counts['agreed']:,} of {counts['compiled']:,} agree", flush=True)
    print("\n".join(problems))
    held = (not problems and counts["compiled"] >= wanted and counts["agreed"] == counts["compiled"] == counts["evaluated"]
            and counts["mutated"] >= counts["made"] / 4)
    return held, (f"{counts['agreed']:,} of {counts['compiled']:,} modules agree, {counts['mutated']:,} of them mutated; "
                  f"{'no access outside an allocation' if not problems else problems[:2]}")
