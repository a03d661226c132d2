"""The errors of the engine's elementwise functions in ulp: all floats and 10^9 doubles for each function, at three levels of
vector extensions, against doubles and long doubles (bench/math_error.cc says how exact those are). Takes more than an hour
of CPU time, so it works in slices: each result is appended to build/run_math.jsonl, and a run continues where the last one of
the same build stopped. HALO_EVIDENCE_SECONDS ends a run after so long; it does not hold then unless nothing is left. A bound
is the error that docs/math.md states."""
import concurrent.futures
import hashlib
import json
import os
import subprocess
import time

from common import ROOT, enough, program
from cpu_levels import LEVELS, need_levels

ORDER = 62
QUICK_SECONDS = 3
WHAT = "errors of elementwise functions in ulp, over all floats and 10^9 doubles, at three levels of vector extensions"
BAR = "no error above the one that docs/math.md states for the function; NaN exactly where the function has no value"
QUICK_BAR = BAR + ", over a million floats of each function at the machine's level"
FLOATS, DOUBLES = 1 << 32, 10**9
# Where slices end. The first are small, so that a run that ends early has seen a sample of each function.
FLOAT_ENDS = [1 << power for power in range(24, 33)]
DOUBLE_ENDS = [10**6, 3 * 10**6, 10**7, 3 * 10**7, *range(10**8, DOUBLES + 1, 10**8)]
QUICK_FLOATS = (0, 1 << 20)
# Function: the largest error of f32 and of f64, in ulp.
BOUNDS = {
    "exponential": (0.95, 1.0), "exponential-minus-one": (1.5, 2.1), "log": (0.85, 0.85), "log-plus-one": (1.5, 1.5),
    "logistic": (2.5, 2.5), "tanh": (2.6, 2.7), "sine": (1.6, 0.55), "cosine": (1.6, 0.55), "tan": (0.8, 0.65),
    "asin": (0.55, 0.55), "acos": (0.55, 0.55), "sinh": (0.55, 2.0), "cosh": (0.55, 1.3), "asinh": (0.55, 2.0),
    "acosh": (0.55, 1.5), "atanh": (0.55, 2.0), "erf": (1.2, 1.2), "cbrt": (0.55, 3.8), "rsqrt": (1.5, 1.5), "sqrt": (0.5, 0.5),
}
LEAST = {"functions": 20, "floats of each at each level": FLOATS, "doubles of each at each level": DOUBLES}
QUICK_LEAST = {"functions": 20, "floats of each": 1 << 20}
KEPT = ROOT / "build" / "run_math.jsonl"


def run_slice(tester, function, kind, begin, end, levels=LEVELS):
    """What was found at each level."""
    done = subprocess.run([str(tester), function, kind, str(begin), str(end), *levels], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"math_error {function} {kind}: exit {done.returncode}: {done.stderr[-300:]}")
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if [each["level"] for each in found] != list(levels):
        raise RuntimeError(f"math_error {function} {kind}: other levels than asked for: {done.stdout[:300]}")
    for each in found:
        if (each["function"], each["type"], each["count"]) != (function, kind, end - begin):
            raise RuntimeError(f"math_error {function} {kind}: another answer than asked for: {done.stdout[:300]}")
        if each["cpu_level"] != {"avx2": 1, "avx512": 2}.get(each["level"], each["cpu_level"]):
            raise RuntimeError(f"math_error ran at level {each['cpu_level']} instead of {each['level']}")
    return [each | {"begin": begin, "end": end} for each in found]


def slices():
    """A sample of everything first, then the rest of the floats, which take less time than the doubles."""
    def of(kind, ends, numbers):
        for number in numbers:
            for function in BOUNDS:
                yield function, kind, ends[number - 1] if number else 0, ends[number]

    sample = range(5)
    yield from of("f32", FLOAT_ENDS, sample)
    yield from of("f64", DOUBLE_ENDS, sample)
    yield from of("f32", FLOAT_ENDS, range(len(sample), len(FLOAT_ENDS)))
    yield from of("f64", DOUBLE_ENDS, range(len(sample), len(DOUBLE_ENDS)))


def measure_quick(tester):
    worst = []
    for function, (bound, _) in BOUNDS.items():
        found, = run_slice(tester, function, "f32", *QUICK_FLOATS, levels=("best",))
        worst.append((found["worst"] / bound, function, found["worst"], found["wrong_nan"]))
        print(f"{function}: {found['worst']} ulp of at most {bound}, {found['wrong_nan']} wrong NaN")
    share, function, error, _ = max(worst)
    held = share <= 1 and not any(wrong for *_, wrong in worst)
    return held and enough(QUICK_LEAST, {"functions": len(worst), "floats of each": QUICK_FLOATS[1] - QUICK_FLOATS[0]}), (
        f"{len(worst)} functions, closest to its bound {function} with {error} ulp")


def measure(quick):
    tester = program("bench/math_error")
    if quick:
        return measure_quick(tester)
    need_levels()
    build = hashlib.sha256(tester.read_bytes()).hexdigest()[:16]
    records = []
    if KEPT.exists():
        records = [each for each in map(json.loads, KEPT.read_text(encoding="utf-8").splitlines()) if each["build"] == build]
    done = {(each["function"], each["type"], each["begin"], each["end"]) for each in records}
    deadline = time.monotonic() + float(os.environ.get("HALO_EVIDENCE_SECONDS", "inf"))

    def one(what):
        return [] if time.monotonic() > deadline else [each | {"build": build} for each in run_slice(tester, *what)]

    with concurrent.futures.ThreadPoolExecutor(2) as pool, open(KEPT, "a", encoding="utf-8") as file:
        for found in pool.map(one, [each for each in slices() if each not in done]):
            records += found
            file.writelines(json.dumps(each) + "\n" for each in found)
            file.flush()
    table, counts, held = {}, {"f32": {}, "f64": {}}, True
    for each in records:
        key = each["function"], each["type"], each["level"]
        counts[each["type"]][key] = counts[each["type"]].get(key, 0) + each["count"]
        old = table.get(key, {"worst": -1, "worst_subnormal": 0, "wrong_nan": 0, "beyond_one": 0})
        table[key] = {what: max(old[what], each[what]) for what in ("worst", "worst_subnormal")} | {
            what: old[what] + each[what] for what in ("wrong_nan", "beyond_one")} | {"at": each["at"] if each["worst"] > old["worst"] else old["at"]}
    for (function, kind, level), found in sorted(table.items()):
        bound = BOUNDS[function][kind == "f64"]
        bad = found["worst"] > bound or found["wrong_nan"]
        held &= not bad
        print(f"{function:22} {kind} {level:6} {found['worst']:8.4f} ulp at {found['at']:22} of at most {bound}; subnormal results "
              f"{found['worst_subnormal']:.4f}; {found['beyond_one']:,} beyond one ulp; {found['wrong_nan']} wrong NaN" + ("; TOO MUCH" if bad else ""))
    expected = len(BOUNDS) * len(LEVELS)
    least = {kind: min(each.values()) if len(each) == expected else 0 for kind, each in counts.items()}
    complete = enough(LEAST, {"functions": len({key[0] for key in table}), "floats of each at each level": least["f32"],
                              "doubles of each at each level": least["f64"]})
    worst = {kind: max(((found["worst"], key) for key, found in table.items() if key[1] == kind), default=(0, ("none",))) for kind in counts}
    return held and complete, (f"{len(records)} slices; of each function at each level at least {least['f32']:,} floats, the largest error "
                               f"{worst['f32'][0]:.2f} ulp ({worst['f32'][1][0]}), and {least['f64']:,} doubles, {worst['f64'][0]:.2f} ulp "
                               f"({worst['f64'][1][0]})")
