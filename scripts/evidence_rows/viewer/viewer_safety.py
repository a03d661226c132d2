"""The viewer against hostile names and without a mouse: the policy as written and as the browser enforces it, names
that are markup, a million letters or turn text, and every view by the keyboard alone."""
from viewer_common import browser_test, told

ORDER = 85
WHAT = "keyboard-only use of every view, Content-Security-Policy, hostile names"
BAR = "every check passes"
CHECKS = 5


def measure(quick):
    code, output = browser_test("safety")
    passed, failed = told(output)
    return code == 0 and failed == 0 and passed >= CHECKS, f"{passed} of {passed + failed} checks pass"
