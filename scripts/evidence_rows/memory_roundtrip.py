"""Buffer assignments, live ranges and memory usage reports print back as they were read, and hold."""
import concurrent.futures
import gzip

from common import halo_run, need_shared

ORDER = 20
WHAT = "001, 003 and every assignment, values, live-range and report text of corpus/jax"
BAR = "byte-identical through `halo fmt` without a warning, and accepted by the checker"
PATTERNS = ("*buffer-assignment*.txt", "*buffer-assignment*.txt.gz", "*-live-range.txt", "*-live-range.txt.gz",
            "*memory-usage-report.txt", "*memory-usage-report.txt.gz")


def same(path):
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    run = halo_run("fmt", path)
    checked = halo_run("check", path)
    return run.returncode == 0 and run.stdout == content and checked.stdout.endswith(b"0 errors, 0 warnings\n")


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
    # The second half of the bar: every assignment of these through `halo memory --check`.
    accepted = checked = 0
    print("  the checker has not been asked yet")
    holds = all(results) and checked != 0 and accepted == checked
    return holds, f"{sum(results)} of {len(files)} texts identical, {accepted} of {checked} assignments accepted"
