"""The pytest plugin: each assertion in a session of pytest, once where it holds and once where it fails, with the cause in the
message."""
import pathlib
import re
import subprocess
import tempfile

from common import ROOT, Skipped, enough
from python_common import jax_pythons, run_python

ORDER = 143
QUICK_SECONDS = 7
WHAT = "`assert_fits`, `assert_peak`, `assert_collectives`, `assert_same_program` and `--halo-update` in a session of pytest"
BAR = "each of 4 assertions passes and fails as it should, in 9 tests; each of 4 failures names its cause"
QUICK_BAR = BAR
LEAST = {"passed": 5, "failed": 4, "causes": 9}

TESTS = '''
import pathlib
import jax.numpy as jnp
from haloscope.pytest_plugin import assert_collectives, assert_fits, assert_peak, assert_same_program

MANY = pathlib.Path(%r)

def step(x):
    return jnp.tanh(x @ x).sum()

def other(x):
    return jnp.sin(x @ x).sum()

ARGS = (jnp.ones((256, 256)),)

def test_fits(): assert_fits(step, ARGS, device="h100")
def test_fits_not(): assert_fits("""HloModule huge, is_scheduled=true

ENTRY main {
  p = f32[40,1073741824]{1,0} parameter(0), metadata={op_name="weights"}
  ROOT too_large = f32[40,1073741824]{1,0} negate(p), metadata={op_name="jit(step)/neg" source_file="model.py" source_line=12}
}
""", device="h100")
def test_peak(): assert_peak(step, ARGS, at_most="1MiB")
def test_peak_not(): assert_peak(step, ARGS, at_most="100KiB")
def test_collectives(): assert_collectives(MANY, expected={"all-gather": 3, "all-to-all": 5, "reduce-scatter": 1, "all-reduce": 1})
def test_no_collectives(): assert_collectives(step, ARGS, expected={})
def test_collectives_not(): assert_collectives(MANY, expected={"all-gather": 2, "all-to-all": 5, "reduce-scatter": 1, "all-reduce": 1})
def test_same(tmp_path_factory): assert_same_program(step, ARGS, snapshot="step.hlo.pb.gz")
def test_same_not(): assert_same_program(CHANGED, ARGS, snapshot="other.hlo.pb.gz")
'''
# What the message of each failing test must contain.
CAUSES = {
    "test_fits_not": (r"does not fit: needs 320\.0GiB, h100 has 80\.0GiB", r"too_large", r"model\.py:12"),
    "test_peak_not": (r"more than 100\.0KiB", r"at the peak:"),
    "test_collectives_not": (r"all-gather: 3 instead of 2", r"examples/generate\.py:\d+"),
    "test_same_not": (r"another program than in other\.hlo\.pb\.gz", r"(tanh|sine|cosine|sin)"),
}


def has_pytest(python):
    return subprocess.run([python, "-c", "import pytest"], capture_output=True, check=False).returncode == 0


def session(python, folder, *options):
    return run_python(["-m", "pytest", "-p", "haloscope.pytest_plugin", "-p", "no:cacheprovider", "-v", "--tb=short", *options,
                       "test_step.py"], python=python, cwd=folder)


def measure(quick):
    del quick  # takes seconds
    python = next((path for path in reversed(list(jax_pythons().values())) if has_pytest(path)), None)
    if python is None:
        raise Skipped("no environment with jax has pytest; run scripts/venv")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        many = ROOT / "examples" / "h100x4_fsdp_mlp_train"
        (folder / "test_step.py").write_text(TESTS % str(many) + "\nCHANGED = other\n")
        session(python, folder, "--halo-update", "-k", "same")
        (folder / "test_step.py").write_text(TESTS % str(many) + "\nCHANGED = step\n")
        done = session(python, folder)
    outcomes = dict(re.findall(r"^test_step\.py::(\w+) (PASSED|FAILED)", done.stdout, re.MULTILINE))
    passed = sum(outcome == "PASSED" and not test.endswith("_not") for test, outcome in outcomes.items())
    failed = sum(outcome == "FAILED" and test.endswith("_not") for test, outcome in outcomes.items())
    causes = 0
    for test, patterns in CAUSES.items():
        said = re.search(rf"_{{3,}} {test} _{{3,}}\n(.*?)(?=\n_{{3,}} |\n=+ short)", done.stdout, re.DOTALL)
        for pattern in patterns:
            found = bool(said and re.search(pattern, said[1]))
            causes += found
            if not found:
                print(f"  {test}: {pattern} is not in {said[1][-800:] if said else done.stdout[-800:] + done.stderr[-300:]!r}")
    counts = {"passed": passed, "failed": failed, "causes": causes}
    return (len(outcomes) == 9 and enough(LEAST, counts),
            f"{passed} of 5 pass, {failed} of 4 fail as they should, {causes} of 9 causes in the messages")
