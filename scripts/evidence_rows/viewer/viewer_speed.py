"""Measures the viewer's response times in Chromium with software GL at 1280x720: on seed 002, and loading a generated
module of a million instructions. Memory is the sum of the private memory of the browser's processes. The quick form
loads a hundred thousand instructions; it runs on busy machines and therefore checks times only roughly."""
import pathlib
import tempfile

from common import enough, make_large_module, need_shared
from viewer_common import browser_test, json_line

ORDER = 86
QUICK_SECONDS = 12
SPEED = True
WHAT = "the viewer on seed 002 and on a generated module of a million instructions"
BAR = ("search under 100 ms, selection under 50 ms, moving at 30 frames a second or more; "
       "the million loads in under 10 s within 3 GB")
LEAST = {"instructions": 1_000_000}
QUICK_LEAST = {"instructions": 100_000}
QUICK_BAR = "ten times that, a hundred thousand instructions"


def instructions_of(path):
    """The instructions of a module, counted by lines."""
    return sum(b" = " in line.split(b", ", 1)[0] for line in path.read_bytes().splitlines() if line.startswith(b"  "))


def measure(quick):
    seed = next(need_shared("seeds").glob("002_*"))
    code, output = browser_test("speed", seed)
    if code != 0:
        return False, "the measurement failed"
    use = json_line(output)
    print(f"  002: search {use['search_ms']['median']} ms (worst of ten {use['search_ms']['worst']}), selection "
          f"{use['select_ms']['median']} ms (worst of twelve {use['select_ms']['worst']}), graph {use['graph_fps']} and "
          f"{use['graph_all_fps']} frames/s (near, all of it) at {use['graph_cpu_ms']} and {use['graph_all_cpu_ms']} ms of "
          f"processor time each, memory {use['memory_fps']} frames/s at {use['memory_cpu_ms']} ms")
    least = QUICK_LEAST if quick else LEAST
    count = least["instructions"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "large.txt"
        make_large_module(path, count)
        written = instructions_of(path)
        code, output = browser_test("speed", "--load", path)
    if code != 0:
        return False, "loading the large module failed"
    load = json_line(output)
    print(f"  {count} instructions: loaded in {load['load_s']} s, graph after {load['graph_s']} s more, search "
          f"{load['search_ms']['median']} ms, {load['graph_fps']} frames/s, {load['peak_mib']} MiB at most")
    slack = 10 if quick else 1
    frames = min(use["graph_fps"], use["graph_all_fps"], use["memory_fps"])
    cost = max(use["graph_cpu_ms"], use["graph_all_cpu_ms"], use["memory_cpu_ms"])
    held = (use["search_ms"]["median"] < 100 * slack and use["select_ms"]["median"] < 50 * slack
            and frames >= 30 / slack and load["load_s"] < 10 * slack and load["peak_mib"] < 3 * 1024
            and not use["said"] and not load["said"]
            and use["instructions"] == instructions_of(seed) and load["instructions"] == written
            and enough(least, {"instructions": load["instructions"]}))
    return held, (f"search {use['search_ms']['median']} ms, selection {use['select_ms']['median']} ms, {frames} frames/s at "
                  f"{cost} ms of processor time each; "
                  f"{count} instructions in {load['load_s']} s and {load['peak_mib']} MiB")
