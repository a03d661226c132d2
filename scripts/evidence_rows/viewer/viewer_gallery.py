"""Takes screenshots of every view for seeds 001, 002 and 003 and compares them with those in docs/gallery. Two
pictures match if, at half size, at most 2% of the pixels differ in brightness by more than a tenth of the full range.
The quick form takes five pictures and allows for other fonts and drivers."""
from common import ROOT, enough, need, need_shared
from viewer_common import browser_test, json_line

ORDER = 87
QUICK_SECONDS = 8
WHAT = "screenshots of every view for seeds 001, 002 and 003, against docs/gallery"
BAR = "all alike: at most 2% of pixels differ by more than a tenth in brightness"
LEAST = {"pictures": 16}
QUICK_LEAST = {"pictures": 5}
QUICK_BAR = "five of them: at most 15% of pixels differ"
QUICK_SHARE = 0.15
QUICK = ("001-memory", "002-graph", "002-text", "002-overview", "003-table")


def measure(quick):
    need_shared("seeds")
    need(ROOT / "docs" / "gallery", "the gallery")
    code, output = browser_test("gallery", "--compare", ROOT / "docs" / "gallery", *(QUICK if quick else ()))
    for line in output.splitlines()[:-1]:
        print(f"  {line}")
    result = json_line(output)
    views = {name.split("-")[1] for line in output.splitlines()[:-1] for name in [line.split()[1].rstrip(":")]}
    alike = result["worst_share"] <= QUICK_SHARE if quick else code == 0 and result["differ"] == 0
    # The count and the worst at the end must be those of the lines.
    shares = [float(line.split(":")[-1].split("%")[0]) for line in output.splitlines()[:-1]]
    alike = alike and len(shares) == result["pictures"] and abs(max(shares, default=1) - 100 * result["worst_share"]) <= 0.005
    held = alike and {"overview", "memory", "graph", "text", "table"} <= views
    held = held and enough(QUICK_LEAST if quick else LEAST, {"pictures": result["pictures"]})
    return held, f"{result['pictures'] - result['differ']} of {result['pictures']} alike, at most {100 * result['worst_share']:.2f}% differ"
