"""One training step compiled by consecutive versions, and after consecutive passes: causes against lines of a text diff.

0.8.0 and 0.9.0 must be the same program. Every value that only one program has, or that changed, must be listed under
some cause. 100 causes were checked by hand, by reading both texts (checked_causes.tsv); every one of them must still be reported.
The quick form leaves the passes out, and looks only for the checked causes of its pairs."""
import json
import subprocess

import checked_causes
from common import enough, halo_run, hlo_texts, need_shared

ORDER = 125
QUICK_SECONDS = 4
WHAT = "consecutive versions of jaxlib on CPU, and 71 transitions between passes: causes against changed lines"
BAR = ("causes at most 5% of the changed lines; every edit is listed; 0.8.0 and 0.9.0 are the same program; of 100 causes "
       "checked by hand at least 95 right and all still reported")
QUICK_BAR = "the same for three pairs of versions"
LEAST = {"pairs": 3, "checked causes": 100, "checked causes looked for": 100, "transitions": 71}
QUICK_LEAST = {"pairs": 3, "checked causes": 100, "checked causes looked for": 15}
PAIRS = (("0.8.0", "0.9.0"), ("0.9.0", "0.10.2"), ("0.10.2", "0.12.0.1"))


def changed_lines(a, b):
    run = subprocess.run(["git", "diff", "--no-index", "--numstat", str(a), str(b)], capture_output=True, text=True,
                         check=False)
    return sum(map(int, run.stdout.split()[:2]))


def compared(a, b):
    run = halo_run("diff", a, b, "--json", "--top", 100000)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"halo diff {a} {b}: exit {run.returncode}\n{run.stderr.decode()[:500]}")
    found = json.loads(run.stdout)
    values = found["values"]
    edits = sum(values[key] for key in ("changed", "rewired", "deleted", "inserted", "outputs"))
    listed = sum(len(cause["places"]) for cause in found["causes"] if cause["kind"] in ("values", "outputs"))
    return found, edits, listed


def measure(quick):
    versions = need_shared("corpus/versions")
    ok, same = True, False
    checked = checked_causes.checked()
    number, right = checked_causes.verdicts(checked)
    looked_for, gone = 0, []
    for before, after in PAIRS:
        found, edits, listed = compared(*(versions / f"cpu_{each}.tar.zst" for each in (before, after)))
        ok = ok and edits == listed
        rows = checked.pop(f"cpu {before} {after}", ())
        looked_for += len(rows)
        gone += checked_causes.missing(rows, found)
        print(f"  {before} -> {after}: {found['verdict']}; {found['cause_count']} causes")
        if before == "0.8.0":
            same = found["same"]
    for pair, a, b in () if quick else checked_causes.texts_of(checked):
        looked_for += len(checked[pair])
        gone += checked_causes.missing(checked[pair], compared(a, b)[0])
    for row in gone:
        print(f"  no longer reported: {row['pair']}: {row['cause']} ({row['example']})")
    ok = ok and same and not gone and right >= checked_causes.RIGHT
    counts = {"pairs": len(PAIRS), "checked causes": number, "checked causes looked for": looked_for}
    text = (f"0.8.0 and 0.9.0 {'are' if same else 'are not'} the same; {right} of {number} checked causes right, "
            f"{looked_for - len(gone)} of {looked_for} still reported")
    if quick:
        return ok and enough(QUICK_LEAST, counts), text
    steps = sorted(hlo_texts(need_shared("corpus/jax/allpass")))
    lines = causes = edits_found = transitions = 0
    for a, b in zip(steps, steps[1:]):
        found, edits, listed = compared(a, b)
        ok = ok and edits == listed
        causes += found["cause_count"]
        edits_found += edits
        lines += changed_lines(a, b)
        transitions += 1
    held = ok and causes <= 0.05 * lines and enough(LEAST, {**counts, "transitions": transitions})
    return held, (f"{transitions} transitions: {causes} causes, {edits_found} edits for {lines} changed lines "
                  f"({100 * causes / max(1, lines):.1f}%); {text}")
