"""Repeats what a review of the safety found: its reproducers, where the folder of dumps has them, and for each kind of finding
variants that are generated from a seed (attack_kinds.py). None may succeed."""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

import safe_terminal
from attack_kinds import KINDS, too_much
from common import SHARED, enough, need_halo

ORDER = 61
QUICK_SECONDS = 20
WHAT = "attacks: reproducers of a review, and generated variants of each kind of finding"
BAR = "of all reproducers and at least 200 variants of each kind, none succeeds"
QUICK_BAR = "the same with at least 8 variants of each kind"
LEAST = {"reproducers": 12} | {kind: 200 for kind in KINDS}
QUICK_LEAST = {"reproducers": 12} | {kind: 8 for kind in KINDS}
SEED = int(os.environ.get("HALO_EVIDENCE_SEED", "39"))
REPRODUCERS = SHARED / "reviews" / "repro"
# The reproducers that are programs, and the commands that they broke. What the others show are separate kinds: races for
# outputs, system calls, slow clients.
PROGRAMS = {
    "sec2_branches24.txt": ["snapshot {} -o {out}/s.json", "diff {} {}", "info {}"],
    "sec2_empty_result_gemm.txt": ["run {} --random 1 --engine reference", "diff {} {} --run"],
    "sec2_empty_result_conv.txt": ["run {} --random 1 --engine reference", "diff {} {} --run"],
    "sec2_empty_result_pad.txt": ["run {} --random 1 --engine reference", "diff {} {} --run"],
}
NAMED = ("info names", "check names", "memory names", "time names --device h100", "info names.tar", "check names.tar")


def shows(arguments, folder):
    """What a command lets through to the terminal."""
    run = safe_terminal.Run(arguments, b"", "terminal", b"").go(folder)
    return list(run.faults()) or ([] if any(said for _, said in run.said) else ["says nothing"])


def reproducers(folder):
    tried, succeeded = 0, []
    for name, commands in PROGRAMS.items():
        for command in commands:
            path = REPRODUCERS / name
            tried += 1
            if problem := too_much(command.format(*[path] * command.count("{}"), out=folder).split()):
                succeeded.append(f"{command.format(*[name] * command.count('{}'), out='.')}: {problem}")
    subprocess.run([sys.executable, str(REPRODUCERS / "sec2_make_names.py")], cwd=folder, check=True)
    for words in [each.split() for each in NAMED] + [["info", str(REPRODUCERS / "sec2_c1_bytes.txt")]]:
        tried += 1
        succeeded += [f"{' '.join(words)}: {wrong[:120]}" for wrong in shows(words, folder)]
    return tried, succeeded


def measure(quick):
    need_halo()
    least, counts, all_succeeded = QUICK_LEAST if quick else LEAST, {}, []
    has_reproducers = REPRODUCERS.exists()
    if not has_reproducers:
        print("  the review's reproducers are missing; only generated variants are tried")
        least = {key: value for key, value in least.items() if key != "reproducers"}
    for kind, attack in {**({"reproducers": None} if has_reproducers else {}), **KINDS}.items():
        with tempfile.TemporaryDirectory(prefix="halo-attack-") as name:
            folder = pathlib.Path(name)
            if attack is None:
                counts[kind], succeeded = reproducers(folder)
            else:
                counts[kind], succeeded = attack(random.Random(f"{SEED} {kind}"), least[kind], folder)
        print(f"  {kind}: {counts[kind]} tried, {len(succeeded)} succeed", flush=True)
        for each in succeeded[:5]:
            print(f"    {each}", flush=True)
        all_succeeded += succeeded
    held = enough(least, counts) and not all_succeeded
    return held, f"{sum(counts.values()):,} attacks of {len(counts)} kinds, {len(all_succeeded)} succeed"
