"""Random edits to texts as `halo lsp` has them open (bench/lsp_edits.cc): the text, its pieces, its words and its diagnostics
compared with a fresh read, and every request asked at random places. Also the corpus of the fuzz target of the server."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile

from common import ROOT, enough, program

ORDER = 235
QUICK_SECONDS = 4
WHAT = "random edits to the HLO texts of the tests as `halo lsp` has them open, half of them as large computations; requests at random places"
BAR = "no crash; the text, its words and the diagnostics equal those of a fresh read of the edited text, after every edit"
LEAST = {"edits": 1_000_000, "texts": 60, "exact": 100_000, "within": 100_000, "requests": 1_000_000}
QUICK_BAR = "the same with 6,000 edits"
QUICK_LEAST = {"edits": 6_000, "texts": 60, "exact": 500, "within": 500, "requests": 6_000}


def texts(folder):
    """Texts of the tests, most of them without the comments before the module, and the smallest programs of the examples."""
    found = [path for path in sorted((ROOT / "tests").rglob("*.hlo")) if 300 <= path.stat().st_size <= 6000]
    found = [path for path in found if b"\nHloModule" in b"\n" + path.read_bytes()]
    found += [path for path in sorted((ROOT / "examples").rglob("*optimizations.txt")) if path.stat().st_size <= 40000]
    files = []
    for number, path in enumerate(found):
        data = path.read_bytes()
        files.append(folder / f"{number}.hlo")
        files[-1].write_bytes(data if number % 8 == 7 else data[(b"\n" + data).index(b"\nHloModule"):])
    return files


def edit(job):
    binary, seed, count, files = job
    run = subprocess.run([str(binary), str(seed), str(count), *map(str, files)], capture_output=True, text=True, timeout=14000, check=False)
    last = run.stdout.splitlines()[-1] if run.stdout else ""
    if run.returncode != 0 or not last.startswith("texts "):
        return {}, f"seed {seed}: exit {run.returncode}: {run.stdout[:1500]} {run.stderr[-500:]}"
    found = {name: int(number) for name, number in re.findall(r"(\w+) (\d+)", last)}
    return found, "" if found["texts"] == len(files) else f"seed {seed}: {found['texts']} texts instead of {len(files)}"


def measure(quick):
    binary = program("bench/lsp_edits")
    least = QUICK_LEAST if quick else LEAST
    seed = int(os.environ.get("HALO_EVIDENCE_SEED", "1"))
    wanted = int(os.environ.get("HALO_EVIDENCE_COUNT", least["edits"]))
    runs = 2 if quick else 20
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        files = texts(pathlib.Path(folder))
        results = list(pool.map(edit, [(binary, seed * 100 + run, -(-wanted // runs), files) for run in range(runs)]))
    problems = [problem for _, problem in results if problem]
    for problem in problems:
        print(f"  {problem}")
    total = {name: sum(counts.get(name, 0) for counts, _ in results) for name in least if name != "texts"}
    counts = {**total, "texts": len(files)}
    held = enough(least, counts) and not problems
    return held, (f"{counts['edits']:,} edits to {len(files)} texts, {counts['exact']:,} of them told exactly at once and {counts['within']:,} "
                  f"computations edited as large ones, {counts['requests']:,} requests: {len(problems)} runs differ from a fresh read")
