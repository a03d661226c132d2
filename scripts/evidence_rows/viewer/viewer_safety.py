"""Tests the viewer with hostile names and without a mouse: the Content-Security-Policy as written and as enforced by
the browser, names that contain markup, a million letters or bidi controls, and every view with the keyboard alone."""
from common import enough
from viewer_common import browser_test, told

ORDER = 85
QUICK_SECONDS = 8
WHAT = "keyboard-only use of every view, Content-Security-Policy, hostile names"
BAR = "every check passes"
QUICK_BAR = BAR
LEAST = {"checks": 5}


def measure(quick):
    code, output = browser_test("safety")
    passed, failed = told(output)
    return code == 0 and failed == 0 and enough(LEAST, {"checks": passed}), f"{passed} of {passed + failed} checks pass"
