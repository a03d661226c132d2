"""Times all of .ci/run in a fresh clone. The quick form runs inside .ci/run on any machine, reports the elapsed
time, and fails only if the run would be too slow on any machine."""
import os
import re
import subprocess
import tempfile
import time

from common import ROOT, Skipped, enough

ORDER = 10
QUICK_SECONDS = 0
WHAT = ".ci/run from a fresh clone, nothing built before"
BAR = "passes in under 30 minutes"
QUICK_BAR = "under 88 minutes so far"
LEAST = {"steps": 17}
LIMIT = 30 * 60
QUICK_LIMIT = 88 * 60


def measure(quick):
    if quick:
        begin = os.environ.get("HALO_CI_BEGIN")
        if begin is None:
            raise Skipped("the quick form only runs inside .ci/run")
        seconds = time.time() - float(begin)
        return seconds < QUICK_LIMIT, f"{seconds:.0f} s so far"
    with tempfile.TemporaryDirectory() as folder:
        clone = os.path.join(folder, "haloscope")
        subprocess.run(["git", "clone", "-q", str(ROOT), clone], check=True)
        environment = dict(os.environ, HALO_SHARED=str(os.environ.get("HALO_SHARED", ROOT.parent / "shared")))
        start = time.monotonic()
        run = subprocess.run(["bash", ".ci/run"], cwd=clone, env=environment, stdin=subprocess.DEVNULL,
                             capture_output=True, text=True, check=False)
        seconds = time.monotonic() - start
    steps = re.findall(r"^ *\d+ s  .*$", run.stdout, re.MULTILINE)
    print("\n".join("  " + line for line in steps))
    return run.returncode == 0 and seconds < LIMIT and enough(LEAST, {"steps": len(steps)}), f"{seconds:.0f} s, exit code {run.returncode}"
