"""Runs `halo ls`, which indexes a dump directory, on real dumps and on a tree of thousands of files."""
import json
import pathlib
import random
import shutil
import subprocess
import time

from common import ROOT, enough, halo, need_halo, need_shared

ORDER = 60
QUICK_SECONDS = 2
WHAT = "halo ls on dumps of CPU, GPU and TPU, one with every pass, and a generated tree of 4,000 files and 2 GB"
BAR = "every file classified, unknown ones named; first output under 1 s"
LEAST = {"files of dumps": 100, "generated files": 4_000}
QUICK_LEAST = {"files of dumps": 100, "generated files": 700}
QUICK_BAR = "the same on the dumps and on 800 files of 40 MB; first output under 5 s"
FOLDERS = ("samples", "allpass")
EXAMPLE = ROOT / "examples" / "cpu_mlp_train"
# Files that the corpus adds to its dumps. XLA does not write them, so they must be listed as unknown.
FOREIGN = {"removed_ll_o_counts.txt"}


def listing(folder):
    return json.loads(halo("ls", folder, "--files", "--json"))


def check_listing(folder, answer, foreign):
    """Checks that every file is listed once and is classified. Returns the problems as text."""
    on_disk = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    listed = [file["path"] for file in answer["all_files"]]
    problems = []
    if sorted(listed) != sorted(on_disk):
        problems.append(f"{folder.name}: {len(listed)} listed, {len(on_disk)} there")
    unknown = [file for file in answer["all_files"] if file["class"] == "unknown"]
    for file in unknown:
        if not file["looks_like"]:
            problems.append(f"{file['path']}: unknown without a word")
    names = {pathlib.PurePosixPath(file["path"]).name for file in unknown}
    if names != foreign:
        problems.append(f"{folder.name}: unknown {sorted(names ^ foreign)}")
    belonging = [file for file in answer["all_files"]
                 if pathlib.PurePosixPath(file["path"]).name.startswith("module_") and "module" not in file]
    problems += [f"{file['path']}: belongs to no module" for file in belonging]
    return problems


def generate(folder, modules, passes, megabytes):
    """Generates ranks with modules, each with every pass: copies of an example's texts, padded with sparse tails."""
    text = (EXAMPLE / "module_0000.jit_mlp_train.cpu_after_optimizations.txt").read_bytes()
    chance = random.Random(1)
    ranks = 4
    written = 0
    files = []
    for rank in range(ranks):
        for number in range(modules // ranks):
            where = folder / f"rank_{rank}"
            where.mkdir(parents=True, exist_ok=True)
            stem = f"module_{number:04d}.jit_step_{number}."
            names = [f"{step:04d}.simplification.after_pass-{step}.before_pass-{step + 1}.txt"
                     for step in range(passes)]
            names += ["before_optimizations.txt", "cpu_after_optimizations.txt", "debug_options",
                      "cpu_after_optimizations-buffer-assignment.txt", "cpu_after_optimizations-live-range.txt",
                      f"kernel_{number}.ir-with-opt.ll", "obj-file.o", "thunk_sequence.txt"]
            files += [where / (stem + name) for name in names]
    files += [folder / f"rank_{rank}" / name for rank in range(ranks) for name in ("what-is-this.bin", "stdout")]
    for path in files:
        path.write_bytes(text if path.suffix == ".txt" else b"\0\1\2" + text[:chance.randrange(1000)])
        written += path.stat().st_size
    share = (megabytes * 1_000_000 - written) // len(files)
    for path in files:
        if share > 0:
            with open(path, "r+b") as file:
                file.truncate(path.stat().st_size + share)
    return files


def first_output(folder):
    """Returns the seconds until the first byte of output and until the end."""
    start = time.monotonic()
    with subprocess.Popen([str(need_halo()), "ls", str(folder)], stdout=subprocess.PIPE) as process:
        process.stdout.read(1)
        first = time.monotonic() - start
        process.stdout.read()
    if process.returncode != 0:
        raise RuntimeError(f"halo ls: exit {process.returncode}")
    return first, time.monotonic() - start


def measure(quick):
    need_halo()
    problems = []
    count = 0
    slowest = 0.0
    for name in FOLDERS:
        for folder in sorted(path for path in (need_shared("corpus") / "jax" / name).iterdir() if path.is_dir()):
            answer = listing(folder)
            count += answer["files"]
            foreign = {path.name for path in folder.iterdir() if path.name in FOREIGN}
            problems += check_listing(folder, answer, foreign)
            slowest = max(slowest, first_output(folder)[0])
            stages = sum(len(module["stages"]) for module in answer["modules"])
            print(f"  {name}/{folder.name}: {answer['files']} files, {len(answer['modules'])} modules, {stages} stages")
    tree = ROOT / "build" / "dump-index"
    shutil.rmtree(tree, ignore_errors=True)
    try:
        files = generate(tree, *((16, 40, 40) if quick else (80, 42, 2000)))
        size = sum(path.stat().st_size for path in files)
        problems += check_listing(tree, listing(tree), {"what-is-this.bin", "stdout"})
        first, whole = min(first_output(tree) for _ in range(3))
        print(f"  generated: {len(files)} files, {size / 1e6:.0f} MB: first output after {first:.3f} s, all after "
              f"{whole:.3f} s")
    finally:
        shutil.rmtree(tree, ignore_errors=True)
    for problem in problems[:20]:
        print("  " + problem)
    limit = 5 if quick else 1
    held = not problems and first < limit and slowest < limit
    held = held and enough(QUICK_LEAST if quick else LEAST, {"files of dumps": count, "generated files": len(files)})
    return held, (f"{count + len(files)} files, {len(problems)} problems; first output after {first:.2f} s of "
                  f"{len(files)} files and {size / 1e9:.2f} GB")
