"""Generated modules that pass the verifier, evaluated under ASan and UBSan within a budget of steps.

The fuzz target makes a module of each input; the full form makes a million, HALO_FUZZ_RUNS another number.
The quick form spends ten seconds."""
import os
import re
import subprocess
import sys

from common import ROOT, need

ORDER = 47
WHAT = "generated modules: verified, then evaluated under ASan and UBSan within a step budget"
BAR = "1 million modules made, at least half of them verified and evaluated: no crash, no hang"
TARGET = "api_evaluate_fuzz"


def measure(quick):
    need(ROOT / "build/dev/fuzz" / TARGET, "the fuzz targets; run cmake --workflow --preset fuzz")
    wanted = int(os.environ.get("HALO_FUZZ_RUNS", "1000000"))
    limit = ["--seconds", "10"] if quick else ["--runs", str(wanted), "--max-size", "256"]
    run = subprocess.run([sys.executable, str(ROOT / "scripts/fuzz"), "--tell", "modules made", *limit, f"^{TARGET}$"],
                         capture_output=True, text=True, cwd=ROOT, check=False)
    print("\n".join("  " + line for line in run.stdout.splitlines()))
    told = re.search(r"modules made (\d+), read (\d+), verified (\d+), evaluated (\d+)", run.stdout)
    if run.returncode != 0 or told is None:
        return False, "the target failed"
    made, _, verified, evaluated = map(int, told.groups())
    held = verified * 2 >= made and evaluated * 2 >= verified and (quick or made >= 1_000_000)
    return held, f"{made} modules, {verified} verified, {evaluated} evaluated to the end, without a failure"
