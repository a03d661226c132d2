"""The compiled engine for 64-bit ARM, cross-compiled by the preset `arm` and run in qemu-user as a CPU with NEON and without SVE: the
unit tests of evaluator, passes, executor and code generator, and real programs, compiled against evaluated. Code is generated and
executed on the emulated CPU, so results are measured and speed is not. Builds what is missing first; needs the root that
`scripts/python/make_roots arm64-engine` makes. The layer halo/engine has no unit tests; the programs run it."""
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from common import ROOT, Skipped, enough, need
from subject import BROKEN, subject

ORDER = 63
QUICK_SECONDS = 0
WHAT = "unit tests of evaluator, passes, executor and code generator built for ARM, and compiled programs, under qemu"
BAR = "every test passes except those listed as excluded, and each compiled program agrees with the reference evaluator"
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"tests": 240, "programs": 3}
ARM = ROOT / "build" / "arm"
ARM_ROOT = ROOT / "build" / "roots" / "arm64-engine"
# Test programs, and in how many parts each runs: the code generator's tests take most of the time.
TESTS = {"halo_runtime_test": 1, "halo_eval_test": 1, "halo_passes_test": 1, "halo_codegen_test": 2}
# The only tests that may be skipped, each by itself, with the reason.
EXCLUDED = {
    "LibSkinnyGemmTest.AgreesWithPlainLoops": "tests a kernel that only x86-64 with AVX-512 has",
    "LibProductTilesTest.AgreesWithPlainLoops": "tests a kernel that only x86-64 with AMX has",
}
# Programs for one device. The other two examples are for four, which the engine runs as ranks: qemu-user starts none.
PROGRAMS = ("examples/cpu_mlp_train/module_0000.jit_mlp_train.cpu_after_optimizations.txt",
            "docs/guides/dumps/checkpoint/with/module_0000.jit_train_step.cpu_after_optimizations.txt",
            "docs/guides/dumps/two_versions/jax_0.10.2/module_0000.jit_attention_step.cpu_after_optimizations.txt")
SECONDS = 5400  # of one part of the tests


def emulated(program):
    """The first words of a command. The CPU has no SVE, which is not assumed; by default qemu's would have it."""
    path = shutil.which("qemu-aarch64-static")
    if path is None:
        raise Skipped("qemu-aarch64-static is missing; run scripts/setup package")
    return [str(subject(path)), "-cpu", "neoverse-n1", "-L", str(ARM_ROOT), str(program)]


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, errors="replace", check=False, cwd=ROOT, **options)


def build():
    targets = ["--target", "halo", "halo_engine_plugin", *TESTS]
    for command in (["cmake", "--preset", "arm"], ["cmake", "--build", "--preset", "arm", "-j", os.cpu_count() or 1, *targets]):
        done = run(command)
        if done.returncode != 0:
            raise RuntimeError(f"the build for ARM: exit {done.returncode}: {(done.stdout + done.stderr)[-3000:]}")


def listed(program):
    """The names of a program's tests, without parameters' values."""
    names, suite = set(), ""
    for line in run([*emulated(program), "--gtest_list_tests"]).stdout.splitlines():
        word = line.split("#")[0].rstrip()
        if word.startswith("  "):
            names.add(suite + word.strip())
        elif word.endswith("."):
            suite = word
    return names


def run_part(name, part, parts):
    """What one part of a test program printed, and its exit code."""
    environment = dict(os.environ, GTEST_TOTAL_SHARDS=str(parts), GTEST_SHARD_INDEX=str(part))
    done = run([*emulated(ARM / "test" / name), "--gtest_color=no"], env=environment, timeout=SECONDS)
    return done.stdout, done.returncode


def ended(text, how):
    return set(re.findall(rf"^\[ +{how} +\] ([\w/]+\.[\w/]+)", text, re.MULTILINE))


def check_tests():
    """(tests that passed, problems)"""
    total, problems = 0, []
    parts = [(name, part, count) for name, count in TESTS.items() for part in range(count)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        outputs = list(pool.map(lambda each: run_part(*each), parts))
    for name in TESTS:
        own = [output for (each, _, _), output in zip(parts, outputs) if each == name]
        text = "\n".join(each for each, _ in own)
        names, passed, skipped = listed(ARM / "test" / name), ended(text, "OK"), ended(text, "SKIPPED")
        summed = sum(int(each) for each in re.findall(r"^\[  PASSED  \] (\d+) test", text, re.MULTILINE))
        print(f"{name}: {len(passed)} of {len(names)} tests passed, {len(skipped)} skipped")
        for each in sorted(skipped):
            print(f"  excluded: {each}: {EXCLUDED.get(each, 'NO REASON IS LISTED')}")
        wrong = sorted(ended(text, "FAILED") | (names - passed - skipped) | (skipped - set(EXCLUDED)))
        if wrong or any(code != 0 for _, code in own) or summed != len(passed) or passed - names:
            problems.append(f"{name}: exits {[code for _, code in own]}, {summed} counted, not passed: {', '.join(wrong) or 'none'}")
            failure = text.find("Failure")
            print(text[max(0, failure - 200):failure + 2000] if failure >= 0 else text[-500:])
        total += len(passed)
    return total, problems


def check_program(path, folder):
    """What is wrong with a compiled program's results, or with how it ran; nothing if it is right."""
    expected = folder / "expected.npz"
    halo = [*emulated(ARM / "halo"), "run", ROOT / path, "--random", "1", "--json"]
    evaluated = run([*halo, "--engine", "reference", "-o", expected])
    compiled = run([*halo, "--engine", "compiled", "--cache", "none", "--compare", expected])
    try:
        first, second = json.loads(evaluated.stdout), json.loads(compiled.stdout)
    except ValueError:
        return f"exits {evaluated.returncode} and {compiled.returncode}: {evaluated.stderr[-500:]}{compiled.stderr[-500:]}"
    outputs = second["comparison"]["outputs"]
    print(f"{path}: {second['kernels_compiled']} kernels compiled, {second['library_steps']} library calls, {second['reference_steps']} steps "
          f"evaluated, {len(outputs)} outputs")
    if (first["engine"], second["engine"]) != ("reference", "compiled") or second["kernels_compiled"] == 0:
        return f"engines {first['engine']} and {second['engine']}"
    if len(outputs) != len(first["outputs"]) or not all(each["ok"] for each in outputs) or not second["comparison"]["agrees"]:
        return "the outputs do not agree"
    codes = (evaluated.returncode, compiled.returncode)
    return f"exits {codes}" if codes != (0, 0) else ""


def measure(quick):
    if quick:
        raise Skipped("the tests take many minutes under qemu")
    need(ARM_ROOT, "a root of Debian for ARM with the engine's libraries; run scripts/python/make_roots arm64-engine")
    if not BROKEN:  # a self-test replaces what runs, not what is built
        build()
    right, problems = 0, []
    with tempfile.TemporaryDirectory() as name:
        for number, path in enumerate(PROGRAMS):
            folder = pathlib.Path(name) / str(number)
            folder.mkdir()
            problem = check_program(path, folder)
            right += not problem
            problems += [f"{path}: {problem}"] if problem else []
    tests, failed = check_tests()
    problems += failed
    for problem in problems:
        print(problem)
    return (not problems and enough(LEAST, {"tests": tests, "programs": right}),
            f"{tests} tests passed, {len(EXCLUDED)} excluded, {len(failed)} test programs with problems; {right} of {len(PROGRAMS)} "
            "programs agree, compiled for ARM with NEON and without SVE")
