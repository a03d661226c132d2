"""Runs the other rows against broken commands: a row that holds although the command fails, says nothing or says
something else, proves nothing. Rows that cannot fail are planted to see that they are found."""
import pathlib
import tempfile

from common import enough
from rows import load_rows
from self_test import FAILS, HOLDS, KINDS, LATE, UNMEASURED, run_pair, self_test

ORDER = 130
QUICK_SECONDS = 5
WHAT = "every row against a command that fails, one that succeeds silently and one that alters what it prints"
BAR = ("no row holds; every row states its minimum count and the bar of its quick form; a planted row that always holds is "
       "found with each broken command")
QUICK_BAR = "the same for four rows that take a moment"
LEAST = {"pairs": 170, "planted": 3}
QUICK_LEAST = {"pairs": 12, "planted": 3}
QUICK = ("memory-seed-001", "memory-seed-003", "memory-mixtral", "memory-cpu-exact")
PLANTED = 'ORDER = 1\nWHAT = BAR = "always"\ndef measure(quick):\n    return True, "always"\n'


def planted_found():
    """With how many of the broken commands a row that always holds is seen to hold."""
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "always_holds.py").write_text(PLANTED, encoding="utf-8")
        return sum(run_pair("always-holds", kind, 60, HALO_EVIDENCE_ROWS=folder)[0] == HOLDS for kind in KINDS)


def measure(quick):
    counts, problems = self_test(load_rows(QUICK if quick else ()))
    found = planted_found()
    pairs = counts[FAILS] + counts[HOLDS]
    held = not problems and enough(QUICK_LEAST if quick else LEAST, {"pairs": pairs, "planted": found})
    return held, (f"{counts[HOLDS]} of {pairs} pairs of a row and a broken command hold, {counts[LATE]} not in time, "
                  f"{counts[UNMEASURED]} not measured; "
                  f"{len(problems)} problems; {found} of {len(KINDS)} planted ones found")
