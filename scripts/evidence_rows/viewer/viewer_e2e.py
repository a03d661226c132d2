"""Tests the viewer's user flows in Chromium: drop files, search, follow a link, compare with repacking, save a report
and open it."""
from common import enough
from viewer_common import browser_test, told

ORDER = 84
QUICK_SECONDS = 12
WHAT = "end-to-end tests of the viewer with playwright-core and Chromium"
BAR = "drop, search, deep link, re-packing, saving and opening a report: all pass"
QUICK_BAR = BAR
LEAST = {"flows": 10}
NEEDED = ("drop a module", "search", "a link", "re-packing", "saved report")


def measure(quick):
    code, output = browser_test("flows")
    passed, failed = told(output)
    covered = all(any(line.startswith("ok") and word in line for line in output.splitlines()) for word in NEEDED)
    return code == 0 and failed == 0 and covered and enough(LEAST, {"flows": passed}), f"{passed} of {passed + failed} flows pass"
