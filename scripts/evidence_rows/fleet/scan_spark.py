"""Apache Spark scans a fleet's dumps with the package's functions: the same rows as a plain loop, also when a worker is killed."""
from common import Skipped
from engine_common import compare

ORDER = 152
SPEED = True
QUICK_SECONDS = 0
WHAT = ("`hs.scan.write_in_arrow` with pyspark 4.3 (`local[2,4]`) over modules made from the corpus, a tenth of them copies, once "
        "without and once with a Python worker killed in the middle")
BAR = ("rows of all tables equal those of a plain loop and of `halo scan`; none lost or doubled after the kill; at least 0.8 of the "
       "throughput of `halo scan` on the same cores, without Spark's start; 100 broken files set aside")
QUICK_BAR = "none: its start takes longer than a quick form may"
LEAST = {"modules": 50_000, "broken": 100, "killed": 1}

CHILD = r"""
import json, os, pathlib, signal, sys, threading, time
dumps, to, count, kind = sys.argv[1:]
os.environ["PYSPARK_PYTHON"] = sys.executable
import haloscope as hs
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
         .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
         .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1").getOrCreate())
spark.sparkContext.setLogLevel("OFF")
folders = sorted(map(str, pathlib.Path(dumps).iterdir()))
parts = hs.scan.parts(folders, min(int(count), len(folders)))
writer = hs.scan.write_in_arrow(to)
marker = to + ".killed"

def fatal(batches):
    # One worker dies in the middle of a part.
    for batch in batches:
        if kind == "killed" and batch.to_pylist()[0]["part"] == 3 and not os.path.exists(marker):
            open(marker, "w").close()
            threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGKILL)).start()
        yield from writer(iter([batch]))

frame = spark.createDataFrame(parts).repartition(len(parts))
spark.range(4).repartition(2).mapInArrow(lambda batches: batches, "id bigint").count()  # workers are started
begin = time.monotonic()
done = frame.mapInArrow(fatal, hs.scan.PART_SCHEMA).collect()
seconds = time.monotonic() - begin
spark.stop()
print(json.dumps({"files": sum(each.files + each.skipped for each in done), "seconds": seconds,
                  "killed": int(os.path.exists(marker)), "parts": len({each.part for each in done})}))
"""


def measure(quick):
    if quick:
        raise Skipped("has no quick form: Spark takes longer to start")
    return compare("Spark", CHILD, ("pyspark", "duckdb", "pyarrow", "pandas"), LEAST)
