"""Fuzz targets for text, shapes, literals and protos under ASan and UBSan, seeded with the corpus.

The full form feeds each target five million inputs: whole files of up to 64 KB first, then pieces of up
to a kilobyte, which run a hundred times as fast. HALO_FUZZ_RUNS sets another number, and the last line
then says how many were run. The quick form spends ten seconds on each."""
import os
import re
import subprocess
import sys

from common import ROOT, need

ORDER = 8
WHAT = "fuzz targets for text, proto, literal and shape under ASan and UBSan"
BAR = "5 million inputs for each target: no crash, no hang, no allocation beyond its bound"
TARGETS = ("proto_fuzz", "text_fuzz", "text_literal_fuzz", "text_shape_fuzz")
WHOLE_FILES = 5_000


def measure(quick):
    need(ROOT / "build/dev/fuzz", "the fuzz targets; run cmake --workflow --preset fuzz")
    wanted = int(os.environ.get("HALO_FUZZ_RUNS", "5000000"))
    whole = min(WHOLE_FILES, wanted)
    rounds = [["--seconds", "10"]] if quick else [
        ["--runs", str(whole)], ["--runs", str(wanted - whole), "--max-size", "1024"]]
    done = dict.fromkeys(TARGETS, 0)
    held = True
    for limit in rounds:
        run = subprocess.run([sys.executable, str(ROOT / "scripts/fuzz"), *limit, "^(text|proto)_"],
                             capture_output=True, text=True, cwd=ROOT, check=False)
        print("\n".join("  " + line for line in run.stdout.splitlines()))
        found = {m[1]: int(m[2]) for m in re.finditer(r"^(\w+): (\d+) inputs, .* ok$", run.stdout, re.M)}
        held = held and run.returncode == 0 and all(target in found for target in TARGETS)
        for target in TARGETS:
            done[target] += found.get(target, 0)
    if not quick:
        held = held and all(count >= 5_000_000 for count in done.values())
    return held, ", ".join(f"{target} {done[target]}" for target in TARGETS) + " inputs without a failure"
