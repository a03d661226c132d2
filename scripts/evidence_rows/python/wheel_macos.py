"""The wheels for macOS, which are linked here and cannot run here: what their binaries state about themselves, and whether the library has
the functions that the one for Linux has. The release workflow runs them on Macs of both kinds."""
import pathlib
import re
import subprocess
import tempfile
import zipfile

from common import Skipped, enough, need, program
from mach_o import describe
from wheels import built_wheel

ORDER = 147
QUICK_SECONDS = 0
WHAT = "the wheels for macOS on ARM and Intel, linked on Linux: size, tag, processor, oldest system, libraries, signature, functions"
BAR = ("each wheel has at most 15,000,000 bytes; its binaries are for its tag's processor and for its tag's system or an older one, load "
       "libraries of the system only, and on ARM have a signature that covers every page; the library exports the functions that Linux's does")
QUICK_BAR = BAR + " (no quick form)"
LEAST = {"binaries": 4, "functions": 30}
MOST_BYTES = 15_000_000


def functions(path, *options):
    """The C functions of Haloscope that a library exports."""
    listed = subprocess.run([need(pathlib.Path("/usr/bin/llvm-nm-19"), "LLVM's nm"), "--extern-only", "--defined-only", *options, path],
                            capture_output=True, text=True, check=True).stdout
    return set(re.findall(r" T _?(halo_\w+)$", listed, re.MULTILINE))


def check_binary(name, data, processor, system):
    """What is wrong with one binary of a wheel."""
    about = describe(data)
    problems = []
    if about["processor"] != processor:
        problems.append(f"is for {about['processor']}")
    if not about["system"] or about["system"] > system:
        problems.append(f"needs macOS {about['system']}")
    foreign = [each for each in about["libraries"] if not each.startswith(("/usr/lib/", "/System/Library/"))]
    if foreign or not about["libraries"]:
        problems.append(f"loads {foreign or 'nothing'}")
    if about["signature"] or (processor == "arm64" and about["signature"] is None):
        problems.append(f"signature: {about['signature'] or 'none'}")
    return [f"{name} {each}" for each in problems]


def measure(quick):
    if quick:
        raise Skipped("no quick form: the wheels take minutes to build")
    expected = functions(program("libhaloscope.so"), "--dynamic")
    problems, binaries, sizes, counts = [], 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        for processor in ("arm64", "x86_64"):
            wheel = built_wheel(f"haloscope-*-macosx_*_{processor}.whl", f"scripts/python/build_wheel --target macos-{processor}")
            system = tuple(map(int, re.search(r"macosx_(\d+)_(\d+)_", wheel.name).groups()))
            with zipfile.ZipFile(wheel) as archive:
                names = [name for name in archive.namelist() if archive.read(name)[:4] == b"\xcf\xfa\xed\xfe"]
                for name in names:
                    problems += check_binary(f"{processor} {pathlib.PurePath(name).name}", archive.read(name), processor, system)
                exported = functions(archive.extract("haloscope/libhaloscope.dylib", folder))
            binaries += len(names)
            sizes.append(wheel.stat().st_size)
            counts.append(len(exported & expected))
            if exported != expected:
                problems.append(f"{processor}: functions that one of the libraries lacks: {sorted(exported ^ expected)[:5]}")
            print(f"  {wheel.name}: {sizes[-1]:,} bytes, {len(names)} binaries, {len(exported)} functions")
    print("".join(f"  {each}\n" for each in problems), end="")
    return (not problems and max(sizes) <= MOST_BYTES and enough(LEAST, {"binaries": binaries, "functions": min(counts)}),
            f"{binaries} binaries in 2 wheels of {sizes[0]:,} and {sizes[1]:,} bytes, {min(counts)} functions each, {len(problems)} problems")
