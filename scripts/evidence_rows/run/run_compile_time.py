"""Measures compile time: every single-device program of corpus/jax/cpu before optimisation, compared with XLA's CPU
compiler in the same run, in turns, the best time of each; and seed 002 with its 569 computations, without and with the cache
of compiled code."""
import json
import math
import re
import tempfile

from common import SHARED, enough, halo_run, jax_script, need_halo, need_shared
from run_corpus import on_one_device

ORDER = 56
QUICK_SECONDS = 8
SPEED = True
WHAT = "compile time over corpus/jax/cpu against XLA's CPU, and of seed 002 cold and cached"
BAR = "at most 0.08 of XLA's by geometric mean; seed 002 under 30 s, from the cache under 2 s"
LEAST = {"programs": 31, "compilations of each": 3}
QUICK_LEAST = {"programs": 4, "compilations of each": 1}
ROUNDS, MOST_OF_XLA = 3, 0.08
QUICK_BAR = "no longer than XLA's by geometric mean; seed 002 in a minute, from the cache in a fifth of the time"
QUICK = 8

XLA = """
import sys, time, json
sys.path.insert(0, sys.argv[1])
import hlorun
for path in sys.argv[2:]:
    text = open(path).read()
    start = time.perf_counter()
    try:
        hlorun.compile_text(text)
        print(json.dumps(time.perf_counter() - start), flush=True)
    except Exception as error:
        print('null', flush=True)
"""


def program_name(path):
    """The name in a module's header."""
    with open(path, encoding="utf-8", errors="replace") as file:
        return re.match(r"HloModule ([^,\s]+)", file.readline())[1]


def compile_here(path, cache, *options):
    run = halo_run("run", path, "--plan", "--json", "--cache", cache, *options)
    if run.returncode != 0:
        raise RuntimeError(f"{path}: " + run.stdout.decode()[-1500:] + run.stderr.decode()[-1500:])
    answer = json.loads(run.stdout)
    if answer["program"] != program_name(path):
        raise RuntimeError(f"{path}: it says that it compiled {answer['program']}")
    if answer["engine"] != "compiled":
        return None, answer
    return answer["prepare_seconds"] + answer["compile_seconds"], answer


def least(times):
    """The least of several times, or None if it could not be compiled."""
    return None if None in times else min(times)


def measure(quick):
    need_halo()
    need_shared("corpus/jax/cpu")
    modules = [path for path in sorted((SHARED / "corpus/jax/cpu").glob("*/*before_optimizations.txt"))
               if on_one_device(path)]
    if quick:
        modules = modules[::QUICK]
    rounds = 1 if quick else ROUNDS
    theirs, ours = {path: [] for path in modules}, {path: [] for path in modules}
    for _ in range(rounds):
        for path, line in zip(modules, jax_script(XLA, SHARED / "oracle", *modules).splitlines()):
            theirs[path].append(json.loads(line))
        for path in modules:
            ours[path].append(compile_here(path, "none"))
    ratios = []
    for path in modules:
        answer = ours[path][0][1]
        seconds, other = least([each for each, _ in ours[path]]), least(theirs[path])
        if seconds is None or other is None:
            print(f"{path.parent.name:32} not compiled: {answer.get('not_compiled_because', 'XLA refuses')}")
            continue
        ratios.append(seconds / other)
        print(f"{path.parent.name:32} {1e3 * seconds:7.0f} ms, XLA {1e3 * other:7.0f} ms, {seconds / other:.2f} of it "
              f"({answer['kernels']} kernels)", flush=True)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.inf
    every = len(ratios) == len(modules) and enough(
        QUICK_LEAST if quick else LEAST, {"programs": len(ratios), "compilations of each": min(map(len, theirs.values()))})
    seed = next((SHARED / "seeds").glob("002_*"))
    with tempfile.TemporaryDirectory() as cache:
        cold, answer = compile_here(seed, cache, "--devices", 1, "--fill-elided", "iota", "--max-memory", "1TiB")
        warm, _ = compile_here(seed, cache, "--devices", 1, "--fill-elided", "iota", "--max-memory", "1TiB")
    print(f"seed 002: {answer['kernels']} kernels in {cold:.1f} s, from the cache in {warm:.2f} s")
    held = mean <= 1 and cold < 60 and warm < cold / 5 if quick else mean <= MOST_OF_XLA and cold < 30 and warm < 2
    return held and every, (
        f"{mean:.2f} of XLA's compile time over {len(ratios)} of {len(modules)} programs; seed 002 {cold:.1f} s, cached {warm:.2f} s")
