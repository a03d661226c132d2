"""Runs the browser tests of what a new user looks for in the viewer: the files viewer/e2e/first_*.ts, on the seeds."""
from common import ROOT, enough, need_shared
from viewer_common import browser_test, told

ORDER = 106
QUICK_SECONDS = 10
WHAT = "what a new user looks for in the viewer, on seeds 000 to 003 in Chromium"
BAR = ("every one of at least 24 flows passes: a click, the advice, a device's capacity, the cursor, ranges, sizes, warnings, "
       "names; scopes, colors by bytes, tables, the text, passes, export, source files")
NEEDED = ("a click selects", "advice", "capacity", "does not fit", "parameters have a color", "sizes", "warnings",
          "verdict", "told apart", "cursor", "range on the curve", "range on the map", "scopes are boxes", "colored by bytes", "the table shows",
          "the text opens", "passes tell", "are exported", "source files")
LEAST = {"flows": 24}
QUICK_LEAST = {"flows": 5}
QUICK = ("a click selects", "advice is listed", "does not fit", "the verdict", "the cursor:")
QUICK_BAR = "five flows of the memory side pass"


def measure(quick):
    need_shared("seeds")
    passed = failed = 0
    lines = []
    for path in sorted((ROOT / "viewer" / "e2e").glob("first_memory.ts" if quick else "first_*.ts")):
        code, output = browser_test(path.stem, *(QUICK if quick else ()))
        good, bad = told(output)
        passed += good
        failed += bad + (code != 0 and bad == 0)
        lines += [line for line in output.splitlines() if line.startswith("ok")]
    missing = [word for word in (QUICK if quick else NEEDED) if not any(word in line for line in lines)]
    for word in missing:
        print(f"  no flow about: {word}")
    held = failed == 0 and not missing and enough(QUICK_LEAST if quick else LEAST, {"flows": passed})
    return held, f"{passed} of {passed + failed} flows pass"
