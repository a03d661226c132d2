"""Programs that nothing was fitted to: generates JAX programs from a seed (unseen_programs), compiles them with XLA for the
CPU and, where build/wheels/h100 and build/wheels/tpu hold the plugins (see docs/testing.md), for H100 and TPU v5e, and
checks what XLA dumped (unseen_checks.py). Dumps are kept below build/unseen and used again for the same seed; a run that was
stopped continues after the last program that the same build and the same checks have decided about. Set the seed with --seed and the number of programs
with --count; without a seed, the time is the seed."""
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import compile_documents
import memory_exact
import replay
import unseen_checks as checks
from common import BUILD, HALO, ROOT, SHARED, Skipped, enough, jax_python, jax_script, json_lines, reference_version, need, need_halo

ORDER = 95
QUICK_SECONDS = 6
WHAT = "JAX programs generated from a new seed, compiled by XLA for CPU, H100 and TPU"
BAR = ("500 programs: every text byte-identical, text and proto verified, values of both engines and of --devices within "
       "tolerance or within four times what XLA's own results move by when it computes the same in one of ten fixed ways "
       "(unseen_programs/noise.py), or wrong only with a pass of XLA that is known to be; documents of halo compile read by jaxlib; "
       "assignments exact for 99 % on CPU and on GPU")
QUICK_BAR = "the same for 3 small CPU programs of a fixed seed, without the protos through jaxlib"
PROGRAMS, QUICK_PROGRAMS = 500, (26, 42, 75)  # beam search, ring attention on two devices, an int8 layer
LEAST, QUICK_LEAST = {"programs": PROGRAMS}, {"programs": len(QUICK_PROGRAMS)}
QUICK_SEED = 18
BATCH = 20  # programs per process of XLA
EVERY = {"cpu": 1, "h100": 2, "tpu": 4}  # one of so many programs is compiled for the platform
EXACT = 0.99
# What XLA itself cannot compile for a platform is left out, up to this share.
UNCOMPILED = {"cpu": 0.02, "h100": 0.2, "tpu": 0.2}


def generator_hash():
    digest = hashlib.sha256()
    for path in sorted((ROOT / "scripts/evidence_rows/trust/unseen_programs").glob("*.py")):
        digest.update(path.read_bytes() if path.stem != "noise" else b"")
    return digest.hexdigest()[:12]


def platforms(quick):
    """The CPU, and the platforms whose plugin is installed."""
    found = [name for name in ("h100", "tpu") if (ROOT / "build/wheels" / name).exists()]
    return ["cpu"] if quick else ["cpu", *found]


def make(folder, seed, platform, numbers):
    """Compiles the programs that are not there yet. Returns {number: why XLA does not compile it}."""
    done = folder / "done.json"
    refused = json.loads(done.read_text(encoding="utf-8")) if done.exists() else {}
    left = [n for n in numbers if not (folder / f"u{n}" / "manifest.json").exists() and str(n) not in refused]
    while left:
        run = subprocess.run([jax_python(), "-m", "unseen_programs.make", str(folder), str(seed), platform,
                              str(SHARED / "oracle/gpu_specs"), *map(str, left[:BATCH])],
                             capture_output=True, text=True, check=False, env=checks.environment(platform))
        rows = json_lines(run.stdout)
        for row in rows:
            if "error" in row:
                refused[str(row["number"])] = row["error"]
        if not rows:
            raise Skipped(f"jaxlib does not start for {platform}: {run.stderr[-300:]}")
        if "at" in rows[-1]:
            refused[str(rows[-1]["at"])] = f"crashed: {run.stderr[-300:]}"
        seen = {row.get("number", row.get("at")) for row in rows}
        left = [n for n in left if n not in seen]
        done.write_text(json.dumps(refused), encoding="utf-8")
        for path in folder.glob("dump-*"):
            shutil.rmtree(path)
    return {int(n): why for n, why in refused.items() if int(n) in numbers}


class Tally:
    """What was checked on one platform, and how often it held."""

    def __init__(self, platform):
        self.platform, self.checked, self.good, self.noisy, self.refused = platform, {}, {}, 0, {}

    def note(self, made, check, problems):
        self.checked[check] = self.checked.get(check, 0) + 1
        self.good[check] = self.good.get(check, 0) + (not problems)
        if problems:
            print(f"{self.platform} u{made.number} ({made.what}) {check}: " + "; ".join(problems)[:700], flush=True)

    def share(self, check):
        return self.good.get(check, 0) / max(1, self.checked.get(check, 0))

    def text(self):
        counts = (f"{check} {self.good[check]} of {self.checked[check]}" for check in self.checked)
        return f"{self.platform}: {', '.join(counts)}"

    def held(self, platform):
        # Placement of TPU programs is measured by memory-tpu-share.
        weak = {"assignment"} if platform != "tpu" else {"assignment", "values"}
        return all(self.share(check) == 1 for check in self.checked if check not in weak) and (
            platform == "tpu" or self.share("assignment") >= EXACT)


def checker_hash():
    """Names what decides about a program: the command, the plugins that run modules, and the checks."""
    digest = hashlib.sha256()
    rules = (checks, compile_documents, memory_exact, replay)
    noise = ROOT / "scripts/evidence_rows/trust/unseen_programs/noise.py"
    for path in (HALO, *sorted(BUILD.glob("*_plugin.so")), *(each.__file__ for each in rules), noise):
        digest.update(pathlib.Path(path).read_bytes())
    return digest.hexdigest()[:12]


def found(made, checker):
    """What the checks find in a program, from an earlier run of the same checker if there was one. Without a checker, nothing is
    kept."""
    record = made.folder / "checked.json"
    if checker and record.exists():
        known = json.loads(record.read_text(encoding="utf-8"))
        if known.get("checker") == checker:
            return known
    known = {"checker": checker, "problems": {}, "dumped": ""}
    known["problems"]["text"] = checks.check_text(made)
    known["problems"]["verified"] = checks.check_verified(made)
    known["problems"]["assignment"] = checks.check_assignment(made)
    known["problems"]["values"], known["noise"] = checks.check_values(made)
    if made.platform == "cpu":
        known["problems"]["documents"], dumped = checks.check_documents(made)
        known["dumped"] = str(dumped or "")
    if checker:
        record.write_text(json.dumps(known), encoding="utf-8")
    return known


def note_all(tally, made, known, documents):
    for name, problems in known["problems"].items():
        tally.note(made, name, problems)
    tally.noisy += bool(known["noise"])
    for line in known["noise"]:
        print(f"{made.platform} u{made.number}: noise: {line}", flush=True)
    if known["dumped"]:
        documents[known["dumped"]] = made


def measure(quick):
    need_halo()
    need(BUILD / "bench/assign_compare", "the release build's assign_compare")
    seed = QUICK_SEED if quick else int(os.environ.get("HALO_EVIDENCE_SEED") or time.time())
    count = int(os.environ.get("HALO_EVIDENCE_COUNT") or PROGRAMS)
    numbers = list(QUICK_PROGRAMS) if quick else list(range(1, count + 1))
    root = ROOT / "build/unseen" / f"{seed}-{generator_hash()}-{reference_version()}"
    print(f"seed {seed}, {len(numbers)} programs, in {root.relative_to(ROOT)}")
    documents, checker = {}, "" if quick else checker_hash()
    tallies = {platform: Tally(platform) for platform in platforms(quick)}
    # XLA compiles the next programs while the last ones are checked, several at a time: much of a check runs on one core.
    with ThreadPoolExecutor(1) as maker, ThreadPoolExecutor(os.cpu_count()) as checkers:
        batches = [(begin, platform, [n for n in numbers[begin:begin + BATCH] if n % EVERY[platform] == 0])
                   for begin in range(0, len(numbers), BATCH) for platform in tallies]
        making = [maker.submit(make, root / platform, seed, platform, batch) for _, platform, batch in batches]
        try:
            for (_, platform, batch), refused in zip(batches, making):
                tally = tallies[platform]
                tally.refused.update(refused.result())
                programs = [checks.Made(seed, number, platform, root / platform / f"u{number}", root / "cpu" / f"u{number}")
                            for number in batch if number not in tally.refused
                            and (root / "cpu" / f"u{number}" / "io.npz").exists()]
                for made, known in zip(programs, checkers.map(lambda made: found(made, checker), programs)):
                    note_all(tally, made, known, documents)
                if platform == list(tallies)[-1]:
                    print("; ".join(tally.text() for tally in tallies.values()), flush=True)
        finally:
            maker.shutdown(cancel_futures=True)
            checkers.shutdown(cancel_futures=True)
    held = True
    for platform, tally in tallies.items():
        for number, why in tally.refused.items():
            print(f"{platform} u{number}: XLA does not compile it: {why[:200]}")
        held &= len(tally.refused) <= UNCOMPILED[platform] * len(numbers) / EVERY[platform] + (platform != "cpu")
    cpu = tallies["cpu"]
    for row in json_lines(jax_script(compile_documents.ORACLE, "", *documents)) if documents else []:
        cpu.note(documents[row["path"]], "read by jaxlib", [row["error"]] if row["error"] else [])
    if not quick:
        for platform, tally in tallies.items():
            problems = checks.check_protos([root / platform])
            print(f"{platform}: protos {'alike' if not problems else problems[0]}")
            held &= not problems
    for platform, tally in tallies.items():
        held &= tally.held(platform)
    held &= cpu.checked.get("values", 0) >= len(numbers) * (1 - UNCOMPILED["cpu"])
    held &= enough(QUICK_LEAST if quick else LEAST, {"programs": len(numbers)})
    held &= quick or {"cpu", "h100"} <= tallies.keys()
    noisy = sum(tally.noisy for tally in tallies.values())
    return held, (f"seed {seed}, {len(numbers)} programs: " + "; ".join(tally.text() for tally in tallies.values())
                  + f"; {noisy} with noise that XLA shows too")
