"""Runs the fuzz targets for text, shapes, literals and protos under ASan and UBSan, seeded with the corpus.

The full form runs each target on five million inputs: first whole files of up to 64 KB, then pieces of up
to a kilobyte, which run a hundred times as fast. That takes hours, so it runs in slices. Progress is kept in
build/dev/fuzz-done.json while the readers' sources do not change, so an interrupted run can resume.
HALO_FUZZ_RUNS sets another number; the last line then says how many inputs were run. The quick form spends
three seconds on each target with pieces of a kilobyte; CI also fuzzes every target by itself, with whole files."""
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
import time

from common import ROOT, enough, need
from subject import BROKEN, scratch, subject

ORDER = 8
QUICK_SECONDS = 9
WHAT = "fuzz targets for text, proto, literal and shape under ASan and UBSan"
BAR = "5 million inputs for each target: no crash, no hang, no allocation beyond its bound"
QUICK_BAR = "three seconds for each target: no crash, no hang, no allocation beyond its bound"
LEAST = {"inputs of each target": 5_000_000}
QUICK_LEAST = {"inputs of each target": 100}
TARGETS = ("proto_fuzz", "text_fuzz", "text_literal_fuzz", "text_shape_fuzz")
WHOLE_FILES = 5_000
SLICE = 500_000
DONE = ROOT / "build/dev/fuzz-done.json"


def readers_state():
    """Returns a hash of the sources under test."""
    state = hashlib.sha256()
    for folder in ("base", "ir", "text", "proto"):
        for path in sorted((ROOT / "halo" / folder).rglob("*")):
            if path.suffix in (".cc", ".h", ".def"):
                state.update(path.read_bytes())
    return state.hexdigest()


@functools.cache
def targets_folder():
    """The folder of the fuzz targets; in a self-test, of broken ones."""
    built = ROOT / "build/dev/fuzz"
    if not BROKEN:
        return built
    folder = scratch() / "targets"
    folder.mkdir()
    for target in TARGETS:
        (folder / target).symlink_to(subject(need(built / target, "the fuzz targets; run cmake --workflow --preset fuzz")))
    return folder


def fuzz(limit, targets):
    """Runs scripts/fuzz once. Returns {target: inputs} and whether the run had no failure."""
    run = subprocess.run([sys.executable, str(ROOT / "scripts/fuzz"), "--targets", str(targets_folder()), *limit, f"^({'|'.join(targets)})$"],
                         capture_output=True, text=True, cwd=ROOT, check=False)
    print("\n".join("  " + line for line in run.stdout.splitlines() if not line.startswith("fuzz: ")), flush=True)
    found = {m[1]: int(m[2]) for m in re.finditer(r"^(\w+): (\d+) inputs, .* ok$", run.stdout, re.M)}
    return found, run.returncode == 0 and all(target in found for target in targets)


class Slices:
    """Hands out the next slice, for the target with the most remaining work, and records progress."""

    def __init__(self, wanted):
        self.wanted, self.state = wanted, readers_state()
        kept = json.loads(DONE.read_text()) if DONE.exists() else {}
        self.done = kept["inputs"] if kept.get("readers") == self.state else dict.fromkeys(TARGETS, 0)
        self.seconds = dict.fromkeys(TARGETS, 1.0)  # per input
        self.lock, self.running, self.failed = threading.Lock(), set(), False

    def work(self):
        while not self.failed:
            with self.lock:
                left = {t: (self.wanted - self.done[t]) * self.seconds[t]
                        for t in TARGETS if self.done[t] < self.wanted and t not in self.running}
                if not left:
                    return
                target = max(left, key=left.get)
                self.running.add(target)
            self.run(target)

    def run(self, target):
        begun = self.done[target]
        runs = min(WHOLE_FILES, self.wanted) if begun == 0 else min(SLICE, self.wanted - begun)
        start = time.monotonic()
        found, held = fuzz(["--runs", str(runs)] + (["--max-size", "1024"] if begun else []), [target])
        with self.lock:
            self.running.remove(target)
            if not held:
                self.failed = True
                return
            # libFuzzer also runs and counts the seeds; they are not counted here.
            self.done[target] += min(found[target], runs)
            self.seconds[target] = (time.monotonic() - start) / runs if begun else 1.0
            DONE.write_text(json.dumps({"readers": self.state, "inputs": self.done}))


def measure(quick):
    need(ROOT / "build/dev/fuzz", "the fuzz targets; run cmake --workflow --preset fuzz")
    if quick:
        done, held = fuzz(["--seconds", "3", "--max-size", "1024", "--seeds", "40"], TARGETS)
        return held and enough(QUICK_LEAST, {"inputs of each target": min(done.values())}), counted(done)
    slices = Slices(int(os.environ.get("HALO_FUZZ_RUNS", "5000000")))
    workers = [threading.Thread(target=slices.work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if slices.failed:
        return False, counted(slices.done) + " before a failure"
    return enough(LEAST, {"inputs of each target": min(slices.done.values())}), counted(slices.done)


def counted(done):
    return ", ".join(f"{target} {done.get(target, 0)}" for target in TARGETS) + " inputs without a failure"
