"""Shrinks seed 002, a Mixtral 8x22B training step for 16 GPUs, and runs it with the evaluator in one process and as
one process per device."""
import json
import pathlib
import re
import tempfile
import time

from common import enough, halo_run, need_shared
from shrunk import changed_elements, same_structure, shrink, told, verifies

ORDER = 74
QUICK_SECONDS = 3
WHAT = "seed 002 shrunk and run as 16 processes: both loops with 9 trips, fused attention, all collectives"
BAR = ("runs; equal to the one-process evaluator; every parameter updated, nothing infinite; the small program verifies "
       "and has the large one's instructions; its seven elided constants recovered")
LEAST = {"constants": 7, "attention calls": 4}
QUICK_BAR = "the small program verifies and has the large one's instructions; seven elided constants recovered"
PARAMETERS = 72  # results 0 to 71 are the next values of parameters 0 to 71


def measure(quick):
    seed = next(need_shared("seeds").glob("002_*"))
    with tempfile.TemporaryDirectory() as folder:
        small = pathlib.Path(folder) / "small.txt"
        report = shrink(seed, small, "--to", "1MB")
        print(told(report))
        recovered = [each for each in report["recovered_constants"] if each["values"]]
        for each in report["recovered_constants"]:
            print(f"  {each['name']}: {each['how']}: {each['values']}")
        structure, right = same_structure(seed, small), verifies(small)
        trips = re.findall(r'known_trip_count[^0-9]*(\d+)', small.read_text())
        calls = small.read_text().count("te_fused_attn_")
        print(f"same instructions: {structure}; verifies: {right}; trips {trips}; {calls} attention calls")
        counts = {"constants": len(recovered), "attention calls": calls}
        held = structure and right and trips == ["9", "9"] and enough(LEAST, counts)
        summary = f"{len(recovered)} of 7 constants recovered, {told(report)}"
        if quick or not held:
            return held, summary
        inputs, expected = pathlib.Path(folder) / "in.npz", pathlib.Path(folder) / "out.npz"
        start = time.perf_counter()
        one = halo_run("run", small, "--engine", "reference", "--random", "1", "--save-inputs", inputs, "--output",
                       expected)
        print((one.stdout + one.stderr).decode().strip()[-300:])
        seconds = time.perf_counter() - start
        if one.returncode != 0:
            return False, f"{summary}; the evaluator: exit {one.returncode}"
        look = changed_elements(inputs, expected, PARAMETERS)
        still = [number for number, count in look["changed"].items() if count == 0]
        print(f"{look['results']} results, {look['not_finite']} not finite; parameters that did not change: {still}")
        start = time.perf_counter()
        many = halo_run("run", small, "--devices", "16", "--inputs", inputs, "--compare", expected, "--json")
        print(many.stderr.decode().strip()[-1500:])
        in_ranks = json.loads(many.stdout)
        compiled = in_ranks.get("engine") == "compiled" and in_ranks["ranks"] == 16 and in_ranks["comparison"]["agrees"]
        held = many.returncode == 0 and compiled and not still and look["not_finite"] == 0 and len(look["changed"]) == PARAMETERS
        return held, (f"{summary}; one process {seconds:.0f} s, 16 processes {time.perf_counter() - start:.0f} s, exit "
                      f"{many.returncode}; {PARAMETERS - len(still)} of {PARAMETERS} parameters updated, "
                      f"{look['not_finite']} results not finite")
