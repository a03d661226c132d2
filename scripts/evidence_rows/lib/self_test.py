"""Runs rows against broken commands (subject.py): none may hold. Each pair of a row and a broken command is one process
with a time limit, in the row's quick form, and prints one line. A row that could not be measured, or not in time, proves
nothing and is counted apart."""
import collections
import os
import pathlib
import signal
import subprocess
import sys
import time

from subject import KINDS

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "evidence"
# Rows that measure nothing which could be broken, with the reason.
WITHOUT_SUBJECT = {
    "ci-time": "times the CI run that it is part of",
    "evidence-self-test": "is this test",
}
# Rows without a quick form. Commands that end at once are tried on the full one; the altering one would take minutes.
FULL_FORM_ONLY = ("devices-seed-004", "run-arm", "run-busy", "run-limit-isa", "run-seed-004", "run-threads", "wheel-engine",
                  "wheel-macos")
HOLDS, FAILS, UNMEASURED, LATE = "HOLDS", "does not hold", "not measured", "no answer"


def seconds_allowed(row, kind):
    """The time limit of one pair. A pair that runs out of it proves nothing, but does not hold either. Rows that start
    hundreds of processes take as many times longer as the machine has more to do than processors."""
    busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
    return round(busy * (4 * getattr(row, "QUICK_SECONDS", 5) + (120 if kind == "alters" else 60)))


def run_pair(name, kind, limit, **variables):
    """Runs a row against one kind of broken command, with further environment variables. Returns (outcome, the row's last
    words, seconds)."""
    environment = dict(os.environ, HALO_EVIDENCE_BROKEN=kind, **variables)
    form = [] if name in FULL_FORM_ONLY and kind != "alters" else ["--quick"]
    begin = time.monotonic()
    process = subprocess.Popen([sys.executable, str(SCRIPT), name, *form], stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", env=environment, start_new_session=True)
    try:
        said, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGTERM)  # rows clean up after themselves
        try:
            process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        return LATE, f"not within {limit} s", time.monotonic() - begin
    seconds = time.monotonic() - begin
    lines = [line for line in said.splitlines() if line.strip()] or [""]
    outcome = {0: HOLDS, 3: UNMEASURED}.get(process.returncode, FAILS)
    return outcome, lines[-1].removeprefix(f"{name}: ").removeprefix("DOES NOT HOLD: ")[:110], seconds


def unstated(row):
    """What a row does not state: its minimum count and the bar of its quick form."""
    return [what for what in ("LEAST", "QUICK_BAR") if not hasattr(row, what)]


def self_test(rows, kinds=KINDS):
    """Runs each row against each broken command. Returns (counts by outcome, problems)."""
    counts, problems = collections.Counter(), []
    begin = time.monotonic()
    for name, row in rows.items():
        problems += [f"{name} states no {what}" for what in unstated(row)]
        if name in WITHOUT_SUBJECT:
            print(f"{name:22} left out: {WITHOUT_SUBJECT[name]}", flush=True)
            continue
        for kind in kinds:
            outcome, said, seconds = run_pair(name, kind, seconds_allowed(row, kind))
            counts[outcome] += 1
            print(f"{name:22} {kind:7} {outcome:14} {seconds:5.1f} s  {said}", flush=True)
            if outcome == HOLDS:
                problems.append(f"{name} holds although the command {kind}")
    for problem in problems:
        print(problem)
    print(f"{sum(counts.values())} pairs of {len(rows)} rows and {len(kinds)} broken commands in {time.monotonic() - begin:.0f} s: "
          f"{counts[FAILS]} do not hold, {counts[HOLDS]} HOLD, {counts[LATE]} without an answer, {counts[UNMEASURED]} not measured", flush=True)
    return counts, problems
