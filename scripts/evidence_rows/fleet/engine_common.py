"""What the rows about Spark and Ray share: the dumps, the dataset of a plain loop, bare `halo scan` on as many cores, and the
comparison."""
import json
import pathlib
import shutil
import tempfile

from common import enough, need_halo
from fleet_common import count_from_environment, fleet_python, make_dumps, scan, small_modules
from python_common import run_python

BROKEN = 100
CORES = 2
PARTS = 64

# A plain loop over the files, without threads and without an engine.
LOOP = r"""
import json, sys
import haloscope as hs
folder, to = sys.argv[1:]
print(json.dumps(hs.scan.write(folder, to).to_dict()))
"""


def compare(name, child, modules, least):
    """Runs an engine's child over dumps and says whether its bar holds: child(dumps, to, parts, kill) prints JSON with `files`,
    `seconds` and `killed`."""
    need_halo()
    python = fleet_python(*modules)
    count = count_from_environment(least["modules"])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="halo-fleet-"))
    try:
        programs = make_dumps(folder / "dumps", count, small_modules(), broken=BROKEN)
        bare, bare_seconds, _, _ = scan(folder / "bare", folder / "dumps", threads=CORES)
        looped = run_python(["-c", LOOP, folder / "dumps", folder / "loop"], python=python)
        loop = json.loads(looped.stdout)
        reports = {}
        for kind in ("plain", "killed"):
            done = run_python(["-c", child, folder / "dumps", folder / kind, PARTS, kind], python=python)
            try:
                reports[kind] = json.loads(done.stdout.strip().splitlines()[-1])
            except (ValueError, IndexError):
                return False, f"{name} {kind}: {done.stdout[-200:]} {done.stderr[-800:]}"
            print(f"  {name}, {kind}: {reports[kind]}")
        # Parts are shards: a program may be in two. Without that, each table has the rows of the loop.
        rows = {kind: distinct_rows(python, folder / kind) for kind in ("bare", "loop", *reports)}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    equal = all(each == rows["loop"] for each in rows.values())
    counted = all(report["files"] == count for report in reports.values()) and all(
        each.get("refused") == BROKEN and each["files"][0] == str(count) for each in rows.values())
    counted &= bare["files"] == loop["files"] == count and bare["refused"] == loop["refused"] == BROKEN
    counted &= bare["programs"] == loop["programs"] == programs
    ratio = bare_seconds / reports["plain"]["seconds"]
    killed = reports["killed"]["killed"]
    print(f"  bare: {count / bare_seconds:.0f} files/s; {name}: {count / reports['plain']['seconds']:.0f} files/s without the start")
    held = equal and counted and killed >= 1 and ratio >= 0.8
    return (held and enough(least, {"modules": count, "broken": bare["refused"], "killed": killed}),
            f"{count:,} modules: rows {'equal' if equal else 'DIFFER FROM'} those of a plain loop, also with {killed} worker "
            f"killed; {BROKEN} broken files set aside; throughput {ratio:.2f} of `halo scan` on {CORES} cores")


DISTINCT = r"""
import json, sys
import duckdb
duckdb.sql("set threads = 2")
duckdb.sql("set enable_progress_bar = false")
found = {}
for table in ("files", "modules", "instructions", "collectives", "buffers", "times", "findings"):
    source = f"read_parquet('{sys.argv[1]}/{table}/*.parquet')"
    if table != "files":
        first = f"(select program, min(shard) as shard from read_parquet('{sys.argv[1]}/modules/*.parquet') group by program)"
        source = f"{source} semi join {first} using (program, shard)"
    names = [each[0] for each in duckdb.sql(f"describe select * from {source}").fetchall() if each[0] not in ("shard", "is_first")]
    listed = ", ".join(f'"{name}"' for name in names)
    found[table] = [str(each) for each in duckdb.sql(f"select count(*), sum(hash({listed})::hugeint) from {source}").fetchall()[0]]
found["refused"] = duckdb.sql(f"select count(refused) from read_parquet('{sys.argv[1]}/files/*.parquet')").fetchall()[0][0]
print(json.dumps(found))
"""


def distinct_rows(python, folder):
    """[rows, digest] of each table, each program once."""
    done = run_python(["-c", DISTINCT, folder], python=python)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr[-500:] + str(folder)}
