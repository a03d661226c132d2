"""Fuzz targets for text, shapes, literals and protos under ASan and UBSan, seeded with the corpus.

The full form feeds each target five million inputs; HALO_FUZZ_RUNS sets another number, and the last
line then says how many were run. The quick form spends ten seconds on each."""
import os
import re
import subprocess
import sys

from common import ROOT, need

ORDER = 8
WHAT = "fuzz targets for text, proto, literal and shape under ASan and UBSan"
BAR = "5 million inputs for each target: no crash, no hang, no allocation beyond its bound"
TARGETS = ("proto_fuzz", "text_fuzz", "text_literal_fuzz", "text_shape_fuzz")


def measure(quick):
    need(ROOT / "build/fuzz/fuzz", "the fuzz build; run cmake --workflow --preset fuzz")
    wanted = int(os.environ.get("HALO_FUZZ_RUNS", "5000000"))
    limit = ["--seconds", "10"] if quick else ["--runs", str(wanted)]
    run = subprocess.run([sys.executable, str(ROOT / "scripts/fuzz"), *limit], capture_output=True, text=True,
                         cwd=ROOT, check=False)
    print("\n".join("  " + line for line in run.stdout.splitlines()))
    done = {m[1]: int(m[2]) for m in re.finditer(r"^(\w+): (\d+) inputs, .* ok$", run.stdout, re.M)}
    held = run.returncode == 0 and all(target in done for target in TARGETS)
    if not quick:
        held = held and all(done[target] >= 5_000_000 for target in TARGETS)
    return held, ", ".join(f"{target} {done.get(target, 0)}" for target in TARGETS) + " inputs without a failure"
