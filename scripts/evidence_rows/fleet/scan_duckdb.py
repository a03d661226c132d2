"""DuckDB answers questions over a dataset of ten million instructions within a second each, and as the command answers them about
one program."""
import json
import pathlib
import random
import shutil
import subprocess
import tempfile

from common import enough, halo, hlo_texts, need_halo, need_shared
from fleet_common import ENTRY, count_from_environment, fleet_python, scan, varied
from subject import subject

ORDER = 151
SPEED = True
QUICK_SECONDS = 10
WHAT = ("five questions in SQL by DuckDB 2.0 on two threads over the corpus, with as many variants of each module as make ten "
        "million instructions, in two releases: who still uses f32, which programs grew, collectives, what fills the peak, what "
        "takes the time")
BAR = ("each question at most 1 s, median of three; counts of rows "
       "equal those that the scan prints, instructions and memory those of `halo info` and `halo memory`")
QUICK_BAR = "100,000 instructions, otherwise the same"
LEAST = {"instructions": 10_000_000, "questions": 5, "compared": 20}
QUICK_LEAST = {"instructions": 100_000, "questions": 5, "compared": 4}

QUESTIONS = {
    "who still uses f32": """
        select m.name, sum(i.bytes) filter (i.dtype = 'f32') / sum(i.bytes) as share, sum(i.bytes) as bytes
        from instructions i join modules m using (program)
        where i.opcode in ('dot', 'convolution', 'custom-call', 'fusion') and not i.is_embedded
        group by m.name order by sum(i.bytes) filter (i.dtype = 'f32') desc nulls last limit 20""",
    "which programs grew after the upgrade": """
        with sizes as (select split_part(f.path, '/', {depth}) as release, f.module, max(m.memory_bytes) as bytes
                       from files f join modules m using (program) group by all)
        select module, old.bytes, new.bytes, new.bytes - old.bytes as grown
        from sizes as old join sizes as new using (module)
        where old.release = 'before' and new.release = 'after' and new.bytes > old.bytes order by grown desc limit 20""",
    "which collectives move the most": """
        select c.opcode, c.group_size, count(*) as instructions, sum(c.bytes * c.runs) as bytes, sum(c.seconds) as seconds
        from collectives c group by all order by bytes desc limit 20""",
    "what fills the memory at the peak": """
        select role, dtype, count(distinct program) as programs, sum(bytes) as bytes from buffers group by all order by bytes desc limit 20""",
    "which source lines make the largest copies": """
        select source, opcode, count(*) as copies, sum(bytes) as bytes from instructions
        where opcode in ('copy', 'transpose', 'copy-start') and not is_embedded group by all order by bytes desc limit 20""",
}

CHILD = r"""
import json, statistics, sys, time
import duckdb
folder, questions = sys.argv[1], json.loads(sys.argv[2])
duckdb.sql("set threads = 2")
duckdb.sql("set enable_progress_bar = false")
for table in ("files", "modules", "instructions", "collectives", "buffers", "times", "findings"):
    duckdb.sql(f"create view {table} as select * from read_parquet('{folder}/{table}/*.parquet')")
counts = {table: duckdb.sql(f"select count(*) from {table}").fetchall()[0][0]
          for table in ("files", "modules", "instructions", "collectives", "buffers", "times")}
answers = {}
for name, question in questions.items():
    seconds = []
    for _ in range(3):
        begin = time.perf_counter()
        rows = duckdb.sql(question).fetchall()
        seconds.append(time.perf_counter() - begin)
    answers[name] = [statistics.median(seconds), len(rows), str(rows[0]) if rows else ""]
figures = duckdb.sql("select f.path, m.instructions, m.memory_bytes, count(i.inst) from files f join modules m using (program) "
                     "join instructions i using (program) where f.is_first group by f.path, m.instructions, m.memory_bytes order by md5(f.path) limit 40").fetchall()
print(json.dumps({"counts": counts, "answers": answers, "figures": figures}))
"""


def make_releases(folder, most):
    """Writes variants of the corpus' modules until they have `most` instructions."""
    sources = [(path, path.read_text(encoding="utf-8", errors="replace")) for path in hlo_texts(need_shared("corpus") / "jax")
               if path.stat().st_size <= 4_000_000]
    sources = [(path, text, text.count(" = ")) for path, text in sources if ENTRY.search(text)]
    random.Random(1).shuffle(sources)
    made = number = 0
    while made < most * 1.05:
        for index, (path, text, instructions) in enumerate(sources):
            name = f"module_{index:04d}.{path.stem.split('.')[1] if '.' in path.stem else path.stem}.after_optimizations.txt"
            for release in ("before", "after"):
                target = folder / release / f"job_{number:04d}"
                target.mkdir(parents=True, exist_ok=True)
                (target / name).write_text(varied(text, 2 * (number * 1000 + index) + (release == "after")), encoding="utf-8")
            made += 2 * instructions
            if made >= most * 1.05:
                break
        number += 1


def measure(quick):
    need_halo()
    python = fleet_python("duckdb")
    most = count_from_environment(100_000 if quick else 10_000_000)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="halo-fleet-"))
    try:
        make_releases(folder / "dumps", most)
        document, seconds, _, _ = scan(folder / "data", folder / "dumps")
        stored = sum(path.stat().st_size for path in (folder / "data").rglob("*.parquet"))
        print(f"  {document['files']:,} files scanned in {seconds:.0f} s: {document['rows']['instructions']:,} instructions, "
              f"{stored / 2**20:.0f} MiB, {stored / document['rows']['instructions']:.1f} bytes for each")
        depth = len((folder / "dumps").parts) + 1
        asked = {name: text.format(depth=depth) for name, text in QUESTIONS.items()}
        done = subprocess.run([str(subject(python)), "-c", CHILD, str(folder / "data"), json.dumps(asked)], capture_output=True,
                              text=True, check=False)
        try:
            said = json.loads(done.stdout.splitlines()[-1])
        except (ValueError, IndexError):
            return False, f"DuckDB gives no answers: {done.stderr[-300:]}"
        equal = all(said["counts"][table] == document["rows"][table] for table in said["counts"])
        equal &= document["bytes"] == stored
        compared = right = 0
        for path, instructions, memory, rows in said["figures"][:QUICK_LEAST["compared"] if quick else LEAST["compared"]]:
            info = json.loads(halo("info", path, "--json"))["modules"][0]
            planned = json.loads(halo("memory", path, "--json", "--no-advice"))["device_bytes"]
            compared += 1
            right += info["instructions"] == instructions == rows and planned == memory
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for name, (taken, rows, first) in said["answers"].items():
        print(f"  {name}: {taken:.2f} s, {rows} rows, first {first[:110]}")
    slowest = max(taken for taken, _, _ in said["answers"].values())
    answered = sum(rows > 0 for _, rows, _ in said["answers"].values())
    counts = {"instructions": said["counts"]["instructions"], "questions": answered, "compared": compared}
    held = equal and right == compared and slowest <= 1
    return (held and enough(QUICK_LEAST if quick else LEAST, counts),
            f"{answered} questions over {counts['instructions']:,} instructions, the slowest {slowest:.2f} s; counts "
            f"{'equal' if equal else 'DIFFER'}, {right} of {compared} programs as the command says")
