"""Helpers shared by the rows: paths, the command, and jaxlib in a separate process."""
import functools
import json
import os
import pathlib
import re
import subprocess
import sys

from subject import subject

ROOT = pathlib.Path(__file__).resolve().parents[3]
SHARED = pathlib.Path(os.environ.get("HALO_SHARED", ROOT.parent / "shared"))
BUILD = ROOT / "build" / "release"
VENV = pathlib.Path(os.environ.get("HALO_VENV", ROOT / "build" / "venv"))
# The jaxlib that we compare with, on Python 3.12 or newer and on older ones (scripts/requirements.txt).
REFERENCES = ("0.12.0.1", "0.10.2")
asked_references = set()  # versions that the row being measured has used; scripts/evidence prints them beside its figure
HALO = subject(BUILD / "halo")


class Skipped(Exception):
    """Raised with the reason if a row cannot be measured here."""


def need(path, what):
    if not pathlib.Path(path).exists():
        raise Skipped(f"{what} is missing ({path})")
    return pathlib.Path(path)


def program(name):
    """A program of the release build that a row measures. In a self-test, a broken one instead (subject.py)."""
    return subject(need(BUILD / name, "the release build; run cmake --workflow --preset release"))


def enough(least, counts):
    """Whether each count reaches the minimum that its row states. Prints those that do not."""
    for what, number in counts.items():
        if number < least[what]:
            print(f"  only {number} {what}; at least {least[what]} are expected")
    return counts.keys() == least.keys() and all(number >= least[what] for what, number in counts.items())


def need_halo():
    return program("halo")


def need_shared(part):
    return need(SHARED / part, "the shared corpus; set HALO_SHARED")


def halo(*arguments, check=True):
    """Returns the command's standard output as bytes."""
    run = subprocess.run([str(need_halo()), *map(str, arguments)], capture_output=True, check=False)
    if check and run.returncode != 0:
        raise RuntimeError(f"halo {' '.join(map(str, arguments))}: exit {run.returncode}\n"
                           + run.stderr.decode(errors="replace")[:2000])
    return run.stdout


def run_options():
    """Options of `halo run` that depend on how this process was started: where extensions are hidden from CPUID (cpu_levels.py), a
    preloaded library answers for the processor by system calls that the sandbox refuses."""
    return ["--no-sandbox"] if "HALO_CPUID_LEVEL" in os.environ else []


def halo_run(*arguments, width=None):
    """The finished process; with a width, its output fits a terminal of so many columns."""
    if arguments[:1] == ("run",):
        arguments = (*arguments, *run_options())
    environment = os.environ if width is None else dict(os.environ, COLUMNS=str(width))
    return subprocess.run([str(need_halo()), *map(str, arguments)], capture_output=True, check=False, env=environment)


@functools.cache
def find_reference():
    """Returns (interpreter, version) of a jaxlib that we compare with."""
    for python in (VENV / "bin" / "python", sys.executable):
        probe = subprocess.run([str(python), "-c", "import jaxlib; print(jaxlib.__version__)"],
                               capture_output=True, text=True, check=False) if pathlib.Path(python).exists() else None
        if probe is not None and probe.returncode == 0 and probe.stdout.strip() in REFERENCES:
            return str(python), probe.stdout.strip()
    raise Skipped(f"jaxlib {' or '.join(REFERENCES)} is not installed; run scripts/venv")


def jax_python():
    """The interpreter of the reference."""
    reference_version()
    return find_reference()[0]


def reference_version():
    """The version of the reference, which is printed beside the row's figure."""
    asked_references.add(find_reference()[1])
    return find_reference()[1]


@functools.cache
def python_with(modules, *first):
    """An interpreter that can import the modules (names separated by commas): one of `first`, that of scripts/venv, or this
    one."""
    for python in (*first, VENV / "bin" / "python", sys.executable):
        if python and pathlib.Path(python).exists() and subprocess.run(
                [str(python), "-c", f"import {modules}"], capture_output=True, check=False).returncode == 0:
            return str(python)
    raise Skipped(f"no Python has {modules}; run scripts/venv")


def jax_script(code, *arguments):
    """Runs Python code in jaxlib's environment and returns its standard output."""
    environment = dict(os.environ, JAX_PLATFORMS="cpu", TF_CPP_MIN_LOG_LEVEL="3")
    run = subprocess.run([jax_python(), "-c", code, *map(str, arguments)], capture_output=True, text=True,
                         env=environment, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"jaxlib: exit {run.returncode}\n{run.stderr[-2000:]}")
    return run.stdout


def as_before_2026(text):
    """HLO text as jaxlib 0.10.2 prints it, which is the canonical style. Since then XLA writes a total order of comparisons
    in other words, and says that a top-k is stable and a collective's root fixed."""
    text = re.sub(rb"( compare\([^\n]*), order=TOTAL\b", rb"\1, type=TOTALORDER", text)
    text = re.sub(rb"( topk\([^\n]*), is_stable=true", rb"\1", text)
    return re.sub(rb"( collective-(?:broadcast|reduce)\([^\n]*), has_dynamic_root=false", rb"\1", text)


def golden_tests(pattern):
    """Runs the golden tests whose names match. Returns how many passed, or 0 if one failed."""
    run = subprocess.run(["ctest", "--test-dir", str(BUILD), "-R", "^lit$", "-V"], capture_output=True, text=True,
                         env=dict(os.environ, LIT_FILTER=pattern, HALO_COMMAND=str(need_halo())), check=False)
    passed = re.search(r"^\d+:\s+Passed\s*:\s*(\d+)", run.stdout, re.MULTILINE)
    return int(passed[1]) if run.returncode == 0 and passed else 0


def make_large_module(path, instructions):
    """Writes HLO text with the given number of instructions. What makes inputs is not measured and never broken."""
    generator = need(BUILD / "bench" / "make_large_module", "the release build's make_large_module")
    with open(path, "wb") as file:
        subprocess.run([str(generator), str(instructions)], stdout=file, check=True)


def json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def hlo_texts(folder):
    """Yields the files below a folder that begin like a module."""
    for path in sorted(folder.rglob("*.txt")):
        with open(path, "rb") as file:
            if file.read(10) == b"HloModule ":
                yield path


def assignment_list():
    """Returns (rules, module or None, pieces) of each assignment of the corpus: those of jax and of the seeds."""
    listed = []
    jax = need_shared("corpus") / "jax"
    for first in sorted(jax.rglob("*buffer-assignment.txt")):
        rules = next((name for name in ("cpu", "gpu", "tpu") if name in str(first.relative_to(jax))), "cpu")
        stem = first.name.removesuffix("-buffer-assignment.txt")
        pieces = [first] + sorted(path for path in first.parent.glob(stem + "-*")
                                  if path.name.removesuffix(".gz").endswith(("-values.txt", "-live-range.txt")))
        module = first.with_name(stem + ".txt")
        listed.append((rules, module if module.exists() else None, pieces))
    for seed, rules in (("001", "gpu"), ("003", "tpu")):
        listed.append((rules, None, [next((SHARED / "seeds").glob(seed + "_*"))]))
    return listed


def write_assignment_list(path):
    """Writes the list in the format that the programs of bench/ read."""
    with open(path, "w", encoding="utf-8") as file:
        for rules, module, pieces in assignment_list():
            file.write("\t".join([rules, str(module or "-"), *map(str, pieces)]) + "\n")
