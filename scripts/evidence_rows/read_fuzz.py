"""Fuzz targets for text, shapes, literals and protos under ASan and UBSan, seeded with the corpus.

The full form feeds each target five million inputs: whole files of up to 64 KB first, then pieces of up
to a kilobyte, which run a hundred times as fast. That takes hours, so it is done in slices, and what was
done is kept in build/dev/fuzz-done.json for as long as the readers' sources stay the same: a run that was
interrupted is taken up again. HALO_FUZZ_RUNS sets another number, and the last line then says how many
were run. The quick form spends ten seconds on each."""
import hashlib
import json
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


SLICE = 500_000
DONE = ROOT / "build/dev/fuzz-done.json"


def readers_state():
    """Changes whenever the code under test does."""
    state = hashlib.sha256()
    for folder in ("base", "ir", "text", "proto"):
        for path in sorted((ROOT / "halo" / folder).rglob("*")):
            if path.suffix in (".cc", ".h", ".def"):
                state.update(path.read_bytes())
    return state.hexdigest()


def fuzz(limit, targets):
    """{target: inputs} of one run of scripts/fuzz, and whether it was without a failure."""
    run = subprocess.run([sys.executable, str(ROOT / "scripts/fuzz"), *limit, f"^({'|'.join(targets)})$"],
                         capture_output=True, text=True, cwd=ROOT, check=False)
    print("\n".join("  " + line for line in run.stdout.splitlines()), flush=True)
    found = {m[1]: int(m[2]) for m in re.finditer(r"^(\w+): (\d+) inputs, .* ok$", run.stdout, re.M)}
    return found, run.returncode == 0 and all(target in found for target in targets)


def measure(quick):
    need(ROOT / "build/dev/fuzz", "the fuzz targets; run cmake --workflow --preset fuzz")
    if quick:
        done, held = fuzz(["--seconds", "10"], TARGETS)
        return held, counted(done)
    wanted = int(os.environ.get("HALO_FUZZ_RUNS", "5000000"))
    state = readers_state()
    kept = json.loads(DONE.read_text()) if DONE.exists() else {}
    done = kept["inputs"] if kept.get("readers") == state else dict.fromkeys(TARGETS, 0)
    while open_targets := [target for target in TARGETS if done[target] < wanted]:
        begun = min(done[target] for target in open_targets)
        targets = [target for target in open_targets if done[target] == begun]
        runs = min(WHOLE_FILES, wanted) if begun == 0 else min(SLICE, wanted - begun)
        found, held = fuzz(["--runs", str(runs)] + (["--max-size", "1024"] if begun else []), targets)
        if not held:
            return False, counted(done) + " before a failure"
        for target in targets:
            # libFuzzer counts its seeds beyond what it was asked for; they are not counted here.
            done[target] += min(found[target], runs)
        DONE.write_text(json.dumps({"readers": state, "inputs": done}))
    return all(done[target] >= 5_000_000 for target in TARGETS), counted(done)


def counted(done):
    return ", ".join(f"{target} {done.get(target, 0)}" for target in TARGETS) + " inputs without a failure"
