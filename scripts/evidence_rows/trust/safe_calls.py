"""Library calls with wrong parts, made from numbers (halo/public/custom_call_fuzz.cc): every known target in turn, its operands,
results, configuration and attributes missing, surplus, empty, of other types or ranks, or tuples. Each goes through the check, the
prediction of its time, shrinking and both engines by the C interface. Uses the build with AddressSanitizer and UBSan where there is
one, otherwise the release build with guard pages around the memory of a run."""
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess

from common import BUILD, ROOT, enough, need
from subject import subject

ORDER = 79
QUICK_SECONDS = 20
WHAT = ("library calls of every known target with parts that are missing, surplus, of another type or rank, or tuples: checked, "
        "predicted, shrunk and run by both engines through the C interface")
BAR = ("20,000 calls under AddressSanitizer and UBSan, at least 100 of each of at least 120 targets, at least 5,000 of them run by both "
       "engines: no crash, no leak, no hang, and results that agree")
QUICK_BAR = "400 calls, at least 2 of each target; the same, in the release build where there is no sanitized one"
LEAST = {"calls": 20_000, "targets": 120, "calls of each": 100, "legal modules": 15_000, "run by both": 5_000}
QUICK_LEAST = {"calls": 400, "targets": 120, "calls of each": 2, "legal modules": 250, "run by both": 60}
FIRST = int(os.environ.get("HALO_EVIDENCE_SEED", "1"))
SANITIZED = ROOT / "build/dev/fuzz/public_custom_call_fuzz"
KEYS = ("made", "verified", "evaluated", "compiled", "agreed")
TARGET = re.compile(r"^target (\S+): " + ", ".join(rf"{key} (\d+)" for key in KEYS) + "$")
LAST = re.compile(r"compared (\d+), agreed (\d+), differ (\d+), faults (\d+)$")


def tester():
    """The program, and what guards the memory of its calls."""
    if SANITIZED.exists():
        return subject(SANITIZED), "AddressSanitizer and UBSan"
    return subject(need(BUILD / "fuzz/public_custom_call_fuzz", "the release build; run cmake --workflow --preset release")), "guard pages"


def run(binary, first, count):
    """Returns the counts of each target, those of the last line, and the text of what went wrong."""
    environment = dict(os.environ, HALO_GUARD_PAGES="after", UBSAN_OPTIONS="print_stacktrace=1")
    done = subprocess.run([str(binary), "--calls", str(first), str(count)], capture_output=True, text=True, errors="replace",
                          env=environment, check=False)
    lines = done.stdout.splitlines()
    counts = {found[1]: [int(number) for number in found.groups()[1:]] for found in map(TARGET.match, lines) if found}
    last = LAST.search(lines[-1]) if lines else None
    if done.returncode == 0 and last:
        return counts, [int(number) for number in last.groups()], ""
    what = [line for line in lines if not TARGET.match(line)]
    return counts, [int(number) for number in last.groups()] if last else [0, 0, 0, 1], "\n".join(
        [f"calls from {first} on: exit {done.returncode}", *what[:60], done.stderr[:3000]])


def measure(quick):
    binary, guard = tester()
    least = QUICK_LEAST if quick else LEAST
    workers = os.cpu_count() or 1
    share = -(-least["calls"] // workers)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        parts = list(pool.map(lambda i: run(binary, FIRST + i * share, share), range(workers)))
    totals, problems = collections.defaultdict(lambda: [0] * len(KEYS)), [problem for _, _, problem in parts if problem]
    for counts, _, _ in parts:
        for target, numbers in counts.items():
            totals[target] = [a + b for a, b in zip(totals[target], numbers)]
    compared, agreed, differ, faults = (sum(numbers) for numbers in zip(*(last for _, last, _ in parts)))
    print("\n".join(problems))
    made = {key: sum(numbers[i] for numbers in totals.values()) for i, key in enumerate(KEYS)}
    counts = {"calls": made["made"], "targets": len(totals), "calls of each": min((numbers[0] for numbers in totals.values()), default=0),
              "legal modules": made["verified"], "run by both": compared}
    held = (enough(least, counts) and not problems and faults == 0 and differ == 0 and agreed == compared
            and made["made"] == share * workers and (quick or guard != "guard pages"))
    return held, (f"{made['made']:,} calls of {len(totals)} targets with {guard}, at least {counts['calls of each']} of each: {faults} faults; "
                  f"{made['verified']:,} modules are legal, the evaluator runs {made['evaluated']:,}, the compiled engine {made['compiled']:,}; "
                  f"{agreed:,} of {compared:,} results of both agree")
