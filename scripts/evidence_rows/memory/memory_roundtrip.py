"""Buffer assignments, live ranges and memory usage reports must print back unchanged and pass the checker."""
import concurrent.futures
import gzip
import pathlib
import tempfile

from common import assignment_list, enough, halo_run, need_shared

ORDER = 20
QUICK_SECONDS = 3
WHAT = "001, 003 and every assignment, values, live-range and report text of corpus/jax"
BAR = "byte-identical through `halo fmt` without a warning, and accepted by the checker"
QUICK_BAR = "the same for every eighth text and assignment, and for both seeds"
LEAST = {"texts": 630, "assignments": 320}
QUICK_LEAST = {"texts": 75, "assignments": 40}
PATTERNS = ("*buffer-assignment*.txt", "*buffer-assignment*.txt.gz", "*-live-range.txt", "*-live-range.txt.gz",
            "*memory-usage-report.txt", "*memory-usage-report.txt.gz")


def same(path):
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    run = halo_run("fmt", path)
    checked = halo_run("check", path)
    return run.returncode == 0 and run.stdout == content and checked.stdout.endswith(b"0 errors, 0 warnings\n")


def is_sound(question):
    module, pieces = question
    with tempfile.TemporaryDirectory() as folder:
        # Copied out of its dump, so that no neighbouring file is used.
        copies = []
        for path in [*([module] if module else []), *pieces]:
            copy = pathlib.Path(folder, path.name)
            copy.symlink_to(path.resolve())
            copies.append(copy)
        run = halo_run("memory", "--check", "--no-advice", *copies)
    return run.returncode == 0 and b"check      sound" in run.stdout


def measure(quick):
    seeds = need_shared("seeds")
    corpus = need_shared("corpus/jax")
    files = [next(seeds.glob(f"{number}_*")) for number in ("001", "003")]
    for pattern in PATTERNS:
        found = sorted(corpus.rglob(pattern))
        files += found[::8] if quick else found
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(same, files))
    for path, equal in zip(files, results):
        if not equal:
            print(f"  DIFFERENT: {path}")
    print(f"  {sum(results)} of {len(files)} texts identical")
    # The second half of the bar: runs the checker with the module, if there is one, and without it.
    listed = assignment_list()
    questions = [(module, pieces) for _, module, pieces in (listed[::8] if quick else listed)]
    questions += [(None, pieces) for module, pieces in questions if module is not None]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        sound = list(pool.map(is_sound, questions))
    for (module, pieces), holds in zip(questions, sound):
        if not holds:
            print(f"  NOT ACCEPTED {'with' if module else 'without'} its module: {pieces[0]}")
    counts = {"texts": len(files), "assignments": len(questions)}
    held = all(results) and all(sound) and enough(QUICK_LEAST if quick else LEAST, counts)
    return held, (f"{sum(results)} of {len(files)} texts identical, {sum(sound)} of "
                  f"{len(questions)} assignments accepted, with their modules and without")
