"""Opens the reports that `halo report` makes of all five seeds in Chromium as file: URLs and shows every view once."""
import json
import pathlib
import tempfile

from common import enough, halo, need_shared
from viewer_common import browser_test

ORDER = 83
QUICK_SECONDS = 8
WHAT = "reports of all five seeds, opened by file: in Chromium"
BAR = ("nothing on the console, no request, under 5 MB for 001 and 003 and under 10 MB for 002, first paint under "
       "1.5 s")
LEAST = {"reports": 5}
QUICK_BAR = BAR + " (15 s in the quick form)"
MOST = {"001": 5e6, "002": 10e6, "003": 5e6}


def measure(quick):
    seeds = need_shared("seeds")
    with tempfile.TemporaryDirectory() as folder:
        reports = []
        for number in ("000", "001", "002", "003", "004"):
            path = pathlib.Path(folder) / f"{number}.html"
            halo("report", next(seeds.glob(f"{number}_*")), "-o", path)
            reports.append(path)
        _, output = browser_test("reports", *reports)
        sizes = {path.stem: path.stat().st_size for path in reports}
    results = {pathlib.Path(line["path"]).stem: line for line in map(json.loads, output.splitlines()) if line}
    held = enough(LEAST, {"reports": len(results)})
    for number, line in results.items():
        good = (line["shown"] and len(line["views"]) == 5 and not line["said"] and not line["requests"]
                and line["bytes"] == sizes.get(number) and line["bytes"] < MOST.get(number, 10e6)
                and 0 <= line["first_paint_ms"] < (15000 if quick else 1500))
        held = held and good
        print(f"  {number}: {line['bytes'] / 1e6:.2f} MB, first paint {line['first_paint_ms']} ms, "
              f"{len(line['views'])} views, console {line['said'] or 'silent'}, "
              f"{len(line['requests'])} requests{'' if good else '  <-'}")
    largest = max((line["bytes"] for line in results.values()), default=0)
    slowest = max((line["first_paint_ms"] for line in results.values()), default=-1)
    return held, f"{len(results)} reports, at most {largest / 1e6:.2f} MB, first paint at most {slowest} ms, all silent" \
        if held else f"{len(results)} reports, at most {largest / 1e6:.2f} MB, first paint at most {slowest} ms; not all hold"
