"""Checks that every diagnostic code has a passing golden test, and that ten errors in one file are all reported."""
import re

from common import ROOT, golden_tests, halo_run, need, need_halo

ORDER = 9
QUICK_SECONDS = 6
WHAT = "diagnostic codes with a golden test each; a file with ten independent mistakes"
BAR = "40 or more codes, each tested; ten mistakes reported as ten"
QUICK_BAR = BAR
LEAST = {"codes": 40, "golden tests": 20}


def measure(quick):
    del quick
    need_halo()
    definitions = "".join(p.read_text() for p in sorted((ROOT / "halo").rglob("*_diagnostics.def")))
    codes = re.findall(r'^HALO_DIAGNOSTIC\(\w+, (?:Error|Warning), "([a-z0-9-]+)"', definitions, re.MULTILINE)
    golden = "\n".join(p.read_text(errors="replace") for p in sorted((ROOT / "tests").rglob("*"))
                       if p.suffix in (".hlo", ".test"))
    # One code requires a text of more than 4 GiB; a unit test with a smaller limit covers it.
    units = "\n".join(p.read_text() for p in sorted((ROOT / "halo").rglob("*_test.cc")))
    untested = [code for code in codes
                if not re.search(rf"^\W*[A-Z][A-Z0-9_-]*: .*\[{code}\]", golden, re.MULTILINE)
                and not (code == "too-large" and f'"{code}"' in units)]
    for code in untested:
        print(f"  no golden test shows [{code}]")
    ten = need(ROOT / "tests/diagnostics/lexical/ten_mistakes.hlo", "the file with ten mistakes")
    errors = len(re.findall(rb": error: ", (lambda r: r.stdout + r.stderr)(halo_run("check", ten))))
    print(f"  {ten.name}: {errors} errors reported")
    tests = golden_tests("diagnostics|proto")
    print(f"  golden tests: {f'{tests} pass' if tests else 'FAIL'}")
    held = len(codes) >= LEAST["codes"] and not untested and errors == 10 and tests >= LEAST["golden tests"]
    return held, f"{len(codes)} codes, {len(codes) - len(untested)} with a golden test; {errors} of 10 mistakes reported"
