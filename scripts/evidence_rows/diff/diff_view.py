"""Opens two programs in the viewer: the flows of viewer/e2e/diff.ts, and screenshots against docs/gallery. The pairs are
seed 002 against an edited copy, the stages of one compilation, and one training step compiled by two versions, as the
report that `halo report --against` writes. The quick form runs some flows and takes no pictures."""
import os
import pathlib
import tempfile

from common import ROOT, enough, halo, need_shared
from viewer_common import browser_test, json_line, told

ORDER = 129
QUICK_SECONDS = 9
WHAT = "two programs in the viewer: flows in Chromium, and screenshots against docs/gallery"
BAR = "every one of at least 11 flows passes; 8 of 8 pictures alike: at most 2% of pixels differ"
LEAST = {"flows": 11, "pictures": 8}
QUICK_LEAST = {"flows": 4}
QUICK = ("the card asks", "changed lines are", "the same as itself", "against an earlier version")
QUICK_BAR = "four flows pass"
NEEDED = ("the card asks", "dropped on the card", "changed lines are", "pointing at a line", "a cause selects", "the merged graph",
          "memory maps", "stages of one", "the same as itself", "a saved report", "against an earlier version")


def measure(quick):
    versions = need_shared("corpus/versions")
    need_shared("seeds")
    with tempfile.TemporaryDirectory() as folder:
        halo("report", versions / "cpu_0.10.2.tar.zst", "--module", "jit_step", "--against", versions / "cpu_0.9.0.tar.zst",
             "-o", pathlib.Path(folder) / "versions.html")
        os.environ["HALO_DIFF_REPORTS"] = folder
        code, output = browser_test("diff", *(QUICK if quick else ()))
        passed, failed = told(output)
        lines = [line for line in output.splitlines() if line.startswith("ok")]
        missing = [word for word in (QUICK if quick else NEEDED) if not any(word in line for line in lines)]
        for word in missing:
            print(f"  no flow about: {word}")
        held = code == 0 and failed == 0 and not missing
        if quick:
            return held and enough(QUICK_LEAST, {"flows": passed}), f"{passed} of {passed + failed} flows pass"
        code, output = browser_test("gallery", "--compare", ROOT / "docs" / "gallery", "diff-")
        pictures = output.splitlines()[:-1]
        for line in pictures:
            print(f"  {line}")
        result = json_line(output)
    alike = sum(line.startswith("alike") for line in pictures)
    held = held and code == 0 and alike == len(pictures) == result["pictures"]
    held = held and enough(LEAST, {"flows": passed, "pictures": alike})
    return held, f"{passed} of {passed + failed} flows pass; {alike} of {len(pictures)} pictures alike"
