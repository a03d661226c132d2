"""The wheel `haloscope-engine` next to `haloscope` in a fresh environment: programs are evaluated without it and compiled with it,
by the command and from Python, with equal results; an engine that others could have replaced is refused."""
import hashlib
import json
import os
import pathlib
import stat
import struct
import subprocess
import tempfile
import zipfile

from common import Skipped, enough, need_shared
from replay import problem_of
from subject import subject
from wheels import DIST, EXAMPLE, audited_tag, built_wheel, install, interpreters, make_venv, native_wheel, youngest_glibc

ORDER = 146
QUICK_SECONDS = 0
WHAT = "seed 000, shrunk, compiled by the wheel haloscope-engine: equal to the evaluator, and the same from Python"
BAR = ("without the wheel programs are evaluated, and the command says how to get it; with it no step of seed 000 is evaluated and every "
       "output equals the evaluator's within the tolerance of eval-seeds, Python's bytes equal the command's, and every library but the "
       "C and C++ ones is the wheel's; at most 60,000,000 bytes; the tag is the one that auditwheel finds; refused if others can write it")
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"outputs": 4, "steps": 100, "libraries": 4}
MOST_BYTES = 60_000_000

CHILD = r"""
import hashlib, json, re, sys
import haloscope as hs
result = hs.open(sys.argv[1]).run(random=1, engine="compiled")
maps = open("/proc/self/maps").read()
print(json.dumps({
    "engine": result["engine"],
    "digests": {each.name: hashlib.sha256(each.data).hexdigest() for each in result.arrays},
    "libraries": sorted(set(re.findall(r"(/\S*/lib(?:haloscope|dnnl|gomp|OpenCL|hwy|LLVM|halo_engine)\S*)", maps))),
}))
"""


def digests_of(archive):
    """{array: digest of its elements} of an .npz file."""
    found = {}
    with zipfile.ZipFile(archive) as files:
        for name in files.namelist():
            data = files.read(name)
            begin = 10 + struct.unpack_from("<H", data, 8)[0]
            found[name.removesuffix(".npy")] = hashlib.sha256(data[begin:]).hexdigest()
    return found


def compare_python(venv, module, written, environment):
    """(libraries loaded from the environment, problems) of a run from Python, whose results must have the command's bytes."""
    done = subprocess.run([subject(venv / "bin" / "python"), "-c", CHILD, module], capture_output=True, text=True, check=False,
                          env=environment)
    try:
        child = json.loads(done.stdout.strip().splitlines()[-1])
        problems = [f"{each} is not the wheel's" for each in child["libraries"] if not each.startswith(str(venv))]
        if child["engine"] != "compiled" or not written.exists() or child["digests"] != digests_of(written):
            problems.append(f"Python's results, by the engine {child['engine']}, are not the command's")
        return len(child["libraries"]), problems
    except (ValueError, IndexError, KeyError, TypeError) as error:
        return 0, [f"{error!r} {done.stdout[-200:]}{done.stderr[-800:]}"]


def measure(quick):
    if quick:
        raise Skipped("has no quick form: the wheels take minutes to build")
    engine = built_wheel("haloscope_engine-*.whl", "scripts/python/build_engine_wheel")
    seed = next(need_shared("seeds").glob("000_*"))
    problems = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        venv = folder / "venv"
        # Without its release build's engine next to it, the command of a native wheel has none either.
        published = sorted(DIST.glob("haloscope-*-manylinux_2_17_x86_64*.whl"))
        core = published[-1] if published else native_wheel(folder)
        print(f"  with {core.name}")
        failed = make_venv(list(interpreters().values())[-1], venv) or install(venv, core)
        if failed:
            return False, f"not installed: {failed}"
        halo = subject(venv / "bin" / "halo")
        clean = {"PATH": os.environ["PATH"], "HOME": str(folder)}

        def run(*arguments):
            return subprocess.run([halo, *map(str, arguments)], capture_output=True, text=True, check=False, env=clean)

        if "pip install haloscope-engine" not in run("run", EXAMPLE, "--random", 1).stderr:
            problems.append("without the engine, the command does not say how to get it")
        small, expected = folder / "small.txt", folder / "expected.npz"
        run("shrink", seed, "--to", "64MB", "-o", small)
        run("run", small, "--random", 1, "--engine", "reference", "-o", expected)
        before = json.loads(run("run", small, "--random", 1, "--json").stdout or "{}")
        if before.get("engine") != "reference":
            problems.append(f"without the wheel, the engine is {before.get('engine')}")
        failed = install(venv, engine)
        if failed:
            return False, f"not installed: {failed}"
        after = json.loads(run("run", small, "--random", 1, "--compare", expected, "--json").stdout)
        problem = problem_of(after, expected)
        if problem or not after["comparison"]["agrees"] or after["reference_steps"]:
            problems.append(problem or f"{after['reference_steps']} steps evaluated, agrees: {after['comparison']['agrees']}")
        run("run", small, "--random", 1, "-o", folder / "compiled.npz")
        libraries, more = compare_python(venv, small, folder / "compiled.npz", clean)
        problems += more
        # A folder that others can write.
        own = next((venv / "lib" / "haloscope").iterdir())
        own.chmod(own.stat().st_mode | stat.S_IWOTH)
        said = run("run", EXAMPLE, "--random", 1).stderr
        if "can be replaced by users" not in said:
            problems.append(f"an engine that others can write is used: {said[-200:]!r}")
        size, tag, glibc = engine.stat().st_size, audited_tag(engine), youngest_glibc(engine, folder / "unpacked")
    for each in problems:
        print(f"  {each}")
    outputs, steps = len(after["comparison"]["outputs"]), after["kernel_steps"] + after["library_steps"]
    right = size <= MOST_BYTES and tag in engine.name
    return (not problems and right and enough(LEAST, {"outputs": outputs, "steps": steps, "libraries": libraries}),
            f"{outputs} outputs equal, {steps} compiled steps, {after['reference_steps']} evaluated; {libraries} libraries, all of the wheel; "
            f"{size:,} bytes, glibc {'.'.join(map(str, glibc))}, auditwheel finds {tag}")
