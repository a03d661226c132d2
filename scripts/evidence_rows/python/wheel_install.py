"""The wheel as a user gets it: installed into a fresh environment of every Python, used by the command and by import; also in a
root of Debian 11, and for ARM under qemu. scripts/python/make_roots makes the two roots."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from common import ROOT, enough, need
from subject import subject
from wheels import EXAMPLE, audited_tag, built_wheel, install, interpreters, make_venv, native_wheel, youngest_glibc

ORDER = 144
QUICK_SECONDS = 6
WHAT = ("the built wheel in fresh environments of every Python from 3.9 on, in Debian 11 and for ARM under qemu: the command, import, "
        "five answers, what is imported")
BAR = ("everywhere `halo memory` runs, five answers equal the command's and nothing but the standard library is imported; both "
       "wheels have at most 15,000,000 bytes, need no symbol younger than glibc 2.17, and have the tag that auditwheel finds")
QUICK_BAR = "1 version of Python, a wheel of the release build; size, tag and glibc are not measured"
LEAST = {"environments": 7, "answers": 35}
QUICK_LEAST = {"environments": 1, "answers": 5}
MOST_BYTES = 15_000_000
ROOTS = ROOT / "build" / "roots"

CHILD = r"""
import json, sys
before = set(sys.modules)  # an environment may load modules itself
import haloscope as hs
path = sys.argv[1]
program = hs.open(path)
print(json.dumps({
    "version": list(sys.version_info[:2]),
    "answers": [program.info().to_json(), program.check().to_json(), program.memory().to_json(), program.time().to_json(),
                program.diff(program).to_json()],
    "run": [each.name for each in program.run(random=1).arrays],
    "page": len(program.to_html()) > 1_000_000,
    "from": hs.__file__,
    "others": sorted({name.split(".")[0] for name in set(sys.modules) - before} - set(getattr(sys, "stdlib_module_names", ()))
                     - {"__main__", "__mp_main__", "haloscope"}) if hasattr(sys, "stdlib_module_names") else [],
}))
"""


def check_installed(halo, python, example, prefix, truth=None, **options):
    """(answers that are equal, problems) of an installation. halo and python are the first arguments of commands; truth is the
    command that says what the answers are, if not halo."""
    def ask(command, *arguments):
        return subprocess.run([*command, *map(str, arguments)], capture_output=True, text=True, check=False, **options)

    said = ask(halo, "memory", example).stdout
    problems = [] if "212.2KiB" in said else [f"halo memory printed {said[:200]!r}"]
    done = ask(python, "-c", CHILD, example)
    expected = [ask(truth or halo, *question, "--json").stdout
                for question in (("info", example), ("check", example), ("memory", example), ("time", example), ("diff", example, example))]
    try:
        child = json.loads(done.stdout.strip().splitlines()[-1])
        equal = sum(a == b for a, b in zip(child["answers"], expected))
        if not child["from"].startswith(str(prefix)) or child["others"] or len(child["run"]) != 9 or not child["page"]:
            problems.append(f"from {child['from']}, other modules {child['others']}, results {child['run']}, page {child['page']}")
    except (ValueError, IndexError, KeyError, TypeError) as error:
        return 0, [*problems, f"{error!r} {done.stdout[-200:]}{done.stderr[-800:]}"]
    return equal, problems


def check_python(python, wheel, folder):
    venv = folder / "venv"
    shutil.rmtree(venv, ignore_errors=True)
    failed = make_venv(python, venv) or install(venv, wheel)
    if failed:
        return 0, [f"not installed: {failed}"]
    return check_installed([subject(venv / "bin" / "halo")], [subject(venv / "bin" / "python")], EXAMPLE, venv,
                           truth=[venv / "bin" / "halo"], cwd=folder, env={"PATH": os.environ["PATH"], "HOME": str(folder)})


def check_debian_11(wheel):
    """With the Python and the pip of Debian 11, below its root."""
    root = need(ROOTS / "debian11", "a root of Debian 11; run scripts/python/make_roots")
    shared = root / "tmp" / "haloscope"
    shutil.rmtree(shared, ignore_errors=True)
    shared.mkdir(parents=True)
    for path in (wheel, EXAMPLE):
        shutil.copy(path, shared / path.name)
    inside = pathlib.Path("/tmp/haloscope")
    enter = ["chroot", str(root), "/usr/bin/env", "-i", "PATH=/usr/bin:/bin", "HOME=/tmp"]
    made = subprocess.run([*enter, "sh", "-c", f"python3 -m venv {inside}/venv && {inside}/venv/bin/pip install --no-index --no-deps "
                           f"{inside / wheel.name}"], capture_output=True, text=True, check=False)
    if made.returncode:
        return 0, [f"not installed: {made.stdout[-300:]}{made.stderr[-300:]}"]
    return check_installed([*enter, f"{inside}/venv/bin/halo"], [*enter, f"{inside}/venv/bin/python"], inside / EXAMPLE.name,
                           inside / "venv")


def check_arm(wheel, folder):
    """With an ARM Python in qemu-user. Its pip installs the wheel, so that the tag is tried as well."""
    root = need(ROOTS / "arm64", "a root of Debian for ARM; run scripts/python/make_roots")
    qemu = ["qemu-aarch64-static", "-L", str(root)]
    venv = folder / "arm"
    pip = next((root / "usr" / "share" / "python-wheels").glob("pip-*.whl")) / "pip"
    for command in ([root / "usr" / "bin" / "python3", "-m", "venv", "--without-pip", venv],
                    [venv / "bin" / "python", pip, "install", "--no-index", "--no-deps", wheel]):
        done = subprocess.run([*qemu, *map(str, command)], capture_output=True, text=True, check=False)
        if done.returncode:
            return 0, [f"not installed: {done.stdout[-300:]}{done.stderr[-300:]}"]
    return check_installed([*qemu, venv / "bin" / "halo"], [*qemu, venv / "bin" / "python"], EXAMPLE, venv)


def check_wheel(wheel, folder):
    """(whether size, glibc and tag are right, what they are)."""
    size, glibc, tag = wheel.stat().st_size, youngest_glibc(wheel, folder / wheel.stem), audited_tag(wheel)
    return (size <= MOST_BYTES and glibc <= (2, 17) and tag in wheel.name,
            f"{size:,} bytes, glibc {'.'.join(map(str, glibc))}, auditwheel finds {tag}")


def measure(quick):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if quick:
            version, python = list(interpreters().items())[0]
            found = {f"Python {version}": check_python(python, native_wheel(folder), folder)}
            right, about = True, "a wheel of the release build"
        else:
            wheel, arm = (built_wheel(f"haloscope-*-manylinux_2_17_{processor}*.whl",
                                      f"scripts/python/build_wheel --target linux-{processor}") for processor in ("x86_64", "aarch64"))
            found = {f"Python {version}": check_python(python, wheel, folder) for version, python in interpreters().items()}
            found["Debian 11"] = check_debian_11(wheel)
            found["ARM under qemu"] = check_arm(arm, folder)
            checked = [check_wheel(each, folder) for each in (wheel, arm)]
            right, about = all(each[0] for each in checked), "; ".join(each[1] for each in checked)
    for where, (equal, problems) in found.items():
        print(f"  {where}: {equal} of 5 answers{''.join('; ' + each for each in problems)}")
    good = [where for where, (equal, problems) in found.items() if equal == 5 and not problems]
    answers = sum(equal for equal, _ in found.values())
    return (right and len(good) == len(found) and enough(QUICK_LEAST if quick else LEAST, {"environments": len(good), "answers": answers}),
            f"{len(good)} of {len(found)} environments ({', '.join(found)}), {answers} answers equal; {about}")
