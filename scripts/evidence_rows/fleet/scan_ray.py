"""Ray Data scans a fleet's dumps with the package's functions: the same rows as a plain loop, also when a worker is killed."""
from common import Skipped
from engine_common import compare

ORDER = 153
SPEED = True
QUICK_SECONDS = 0
WHAT = ("`hs.scan.write_batch` with Ray 2.60 on two cores over modules made from the corpus, a tenth of them copies, once without "
        "and once with a worker killed in the middle")
BAR = ("rows of all tables equal those of a plain loop and of `halo scan`; none lost or doubled after the kill; at least 0.8 of the "
       "throughput of `halo scan` on the same cores, without Ray's start; 100 broken files set aside")
QUICK_BAR = "none: its start takes longer than a quick form may"
LEAST = {"modules": 50_000, "broken": 100, "killed": 1}

CHILD = r"""
import json, os, pathlib, signal, sys, threading, time
dumps, to, count, kind = sys.argv[1:]
os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
os.environ["RAY_raylet_start_wait_time_s"] = "300"  # on a busy machine
import haloscope as hs
import ray
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
         runtime_env={"env_vars": {name: os.environ[name] for name in ("PYTHONPATH", "HALOSCOPE_LIBRARY")}})
folders = sorted(map(str, pathlib.Path(dumps).iterdir()))
parts = hs.scan.parts(folders, min(int(count), len(folders)))
writer = hs.scan.write_batch(to)
marker = to + ".killed"

def fatal(table):
    # One worker dies in the middle of a part.
    if kind == "killed" and table.to_pylist()[0]["part"] == 3 and not os.path.exists(marker):
        open(marker, "w").close()
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGKILL)).start()
    return writer(table)

ray.data.range(4, override_num_blocks=2).map_batches(lambda batch: batch).count()  # workers are started
dataset = ray.data.from_items(parts, override_num_blocks=len(parts))
begin = time.monotonic()
done = dataset.map_batches(fatal, batch_format="pyarrow", batch_size=1).take_all()
seconds = time.monotonic() - begin
ray.shutdown()
print(json.dumps({"files": sum(each["files"] + each["skipped"] for each in done), "seconds": seconds,
                  "killed": int(os.path.exists(marker)), "parts": len({each["part"] for each in done})}))
"""


def measure(quick):
    if quick:
        raise Skipped("has no quick form: Ray takes longer to start")
    return compare("Ray", CHILD, ("ray", "duckdb", "pyarrow", "pandas"), LEAST)
