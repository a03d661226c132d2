"""Evaluates generated modules that pass the verifier, under ASan and UBSan within a step budget.

The fuzz target generates a module from each input. The full form runs a million inputs in two processes;
HALO_FUZZ_RUNS sets another number. The quick form runs three hundred. The target
must say that it ran exactly as many as it was told to."""
import os
import pathlib
import re
import subprocess
import tempfile

from common import ROOT, enough, need
from subject import subject

ORDER = 47
QUICK_SECONDS = 6
WHAT = "generated modules: verified, then evaluated under ASan and UBSan within a step budget"
BAR = "1 million modules made, at least half of them verified and evaluated: no crash, no hang"
QUICK_BAR = "300 modules made, at least half of them verified and evaluated: no crash, no hang"
LEAST = {"modules": 1_000_000}
QUICK_LEAST = {"modules": 300}
TARGET = ROOT / "build/dev/fuzz/api_evaluate_fuzz"
PROCESSES = 2


def start(seed, limit, folder):
    corpus = pathlib.Path(folder) / str(seed)
    corpus.mkdir()
    kept = ROOT / "tests/fuzz" / TARGET.name
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
    return subprocess.Popen([str(subject(TARGET)), f"-seed={seed}", limit, "-timeout=10", "-rss_limit_mb=2560", "-max_len=256",
                             "-detect_leaks=0", f"-artifact_prefix={folder}/", str(corpus), *([str(kept)] if kept.is_dir() else [])],
                            stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace", env=environment)


def measure(quick):
    need(TARGET, "the fuzz targets; run cmake --workflow --preset fuzz")
    wanted = QUICK_LEAST["modules"] if quick else int(os.environ.get("HALO_FUZZ_RUNS", LEAST["modules"]))
    runs = -(-wanted // PROCESSES)
    totals = [0, 0, 0, 0]
    with tempfile.TemporaryDirectory() as folder:
        running = [start(seed, f"-runs={runs}", folder) for seed in range(1, PROCESSES + 1)]
        for process in running:
            _, said = process.communicate()
            told = re.search(r"modules made (\d+), read (\d+), verified (\d+), evaluated (\d+)", said)
            if process.returncode != 0 or told is None or f"Done {runs} runs" not in said:
                print(said[-4000:])
                return False, "the target failed"
            totals = [total + int(number) for total, number in zip(totals, told.groups())]
    made, _, verified, evaluated = totals
    held = verified * 2 >= made and evaluated * 2 >= verified and enough(QUICK_LEAST if quick else LEAST, {"modules": made})
    return held, f"{made} modules, {verified} verified, {evaluated} evaluated to the end, without a failure"
