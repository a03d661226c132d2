"""How much the Python package adds: opening a large dump beside the command's reading, and tables of many rows without a copy."""
import json
import pathlib
import resource
import subprocess
import tempfile

from common import BUILD, SHARED, Skipped, enough, make_large_module, need_shared
from cpu import cpu_text
from python_common import VENVS, run_python

ORDER = 142
QUICK_SECONDS = 4
WHAT = "`hs.open` of seed 002 beside `halo check --no-rules`, which only reads it; a table of 1,000,000 rows through Arrow"
BAR = "at most 1.5 of the command's CPU time; every row in pyarrow, which allocates less than 1 % of the table for it"
QUICK_BAR = "at most 1.5 of the command's CPU time; a table of 100,000 rows, each name once"
LEAST = {"rows": 1_000_000}
QUICK_LEAST = {"rows": 100_000}
MOST = 1.5

OPEN = r"""
import json, sys, time
import haloscope as hs
hs.version()
times = []
for _ in range(5):
    begin = time.process_time()
    program = hs.open(sys.argv[1])
    times.append(time.process_time() - begin)
    program.close()
print(json.dumps({"seconds": min(times)}))
"""
TABLE = r"""
import json, sys, time
import haloscope as hs
table = hs.open(sys.argv[1]).table("instructions")
if sys.argv[2] == "arrow":
    import pyarrow
    before = pyarrow.total_allocated_bytes()
    begin = time.perf_counter()
    made = pyarrow.table(table)
    seconds = time.perf_counter() - begin
    print(json.dumps({"rows": made.num_rows, "bytes": made.nbytes, "names": len(made["name"].unique()), "seconds": seconds,
                      "copied": pyarrow.total_allocated_bytes() - before}))
else:
    begin = time.perf_counter()
    columns = table.to_pydict()
    print(json.dumps({"rows": len(columns["name"]), "bytes": 0, "names": len(set(columns["name"])), "copied": 0,
                      "seconds": time.perf_counter() - begin}))
"""


def said(done):
    try:
        return json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        print(f"  {done.stdout[-200:]}{done.stderr[-500:]}")
        return {}


def command_seconds(seed):
    """CPU time of the command's reading, the least of five; never a broken command, since it is the reference."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([BUILD / "halo", "check", "--no-rules", seed], capture_output=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def instructions_of(module):
    """How many rows the table must have, by the command."""
    done = subprocess.run([BUILD / "halo", "info", "--json", module], capture_output=True, check=True)
    return json.loads(done.stdout)["modules"][0]["instructions"]


def arrow_python():
    for python in sorted(VENVS.glob("*/bin/python")):
        if subprocess.run([python, "-c", "import pyarrow"], capture_output=True, check=False).returncode == 0:
            return python
    raise Skipped("no environment has pyarrow (HALO_VENVS)")


def measure(quick):
    need_shared("seeds")
    seed = next((SHARED / "seeds").glob("002_*"))
    opened = said(run_python(["-c", OPEN, seed])).get("seconds", float("inf"))
    ratio = opened / command_seconds(seed)
    with tempfile.TemporaryDirectory() as folder:
        large = pathlib.Path(folder) / "large.hlo"
        make_large_module(large, 100_000 if quick else 1_000_000)
        expected = instructions_of(large)
        child = ["-c", TABLE, large, "plain" if quick else "arrow"]
        table = said(run_python(child) if quick else run_python(child, python=arrow_python()))
    rows, size, copied = table.get("rows", 0), table.get("bytes", 0), table.get("copied", 1)
    print(f"  {cpu_text()}; {opened:.3f} s; a table in {table.get('seconds', 0):.3f} s")
    whole = table.get("names") == rows == expected and copied * 100 <= size
    return (ratio <= MOST and opened > 0.001 and whole and enough(QUICK_LEAST if quick else LEAST, {"rows": rows}),
            f"{ratio:.2f} of the command's CPU time; {rows:,} rows, {size:,} bytes, {copied:,} of them copied")
