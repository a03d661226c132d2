"""The public library as a stranger gets it: installed, used by the examples while the packages of the engine and of the
command are hidden, its exported symbols, and each of its headers alone."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from common import BUILD, ROOT, enough, need
from subject import subject

ORDER = 61
QUICK_SECONDS = 14
WHAT = ("the installed component `core`: examples built and run with LLVM, fmt, CLI11 and MPI hidden; exported symbols; "
        "every public header alone, `c.h` also as C99")
BAR = ("four examples build and run, by CMake and by pkg-config; only `halo::v0` and `halo_*` are exported; nothing that is "
       "installed names a hidden package; every header compiles alone")
QUICK_BAR = BAR
LEAST = {"examples": 4, "headers": 10, "functions of C++": 30, "functions of C": 12}
HIDDEN = ("LLVM", "fmt", "CLI11", "MPI")
HIDDEN_NAMES = re.compile(rb"\b(libLLVM|libfmt|CLI11|libmpi|libdnnl|libhwy|libgomp|llvm|fmt::|mpi\.h)", re.IGNORECASE)
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
DUMP = ROOT / "examples" / "cpu_mlp_train"
MODULE = DUMP / "module_0000.jit_mlp_train.cpu_after_optimizations.txt"


class Check:
    """Counts what holds and prints what does not."""

    def __init__(self):
        self.failed = 0

    def that(self, holds, message):
        if not holds:
            self.failed += 1
            print(f"  {message}")
        return holds


def run(command, check, what, **options):
    """Standard output of a command that must succeed."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    check.that(done.returncode == 0, f"{what}: exit code {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return done.stdout


def tool(*names):
    return next((found for name in names if (found := shutil.which(name))), None)


def built_examples(prefix, folder, check):
    """The example programs, configured against the prefix with the packages hidden."""
    programs = {}
    for language, variable, compiler in (("cpp", "CXX", tool("clang++-19", "c++")), ("c", "C", tool("clang-19", "cc"))):
        build = folder / f"examples-{language}"
        hidden = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in HIDDEN]
        run(["cmake", "-S", ROOT / "examples" / language, "-B", build, "-G", "Ninja", f"-DCMAKE_{variable}_COMPILER={compiler}",
             f"-DCMAKE_PREFIX_PATH={prefix}", *hidden], check, f"configuring examples/{language}")
        run(["cmake", "--build", build], check, f"building examples/{language}")
        for source in sorted((ROOT / "examples" / language).glob("*.c*")):
            if source.stem != "CMakeLists":
                programs[source.stem] = build / source.stem
    return programs


def check_examples(programs, check):
    cases = {
        "list_calls": [[MODULE], "jit_mlp_train: "],
        "memory_peak": [[MODULE, "h100"], "217316 bytes, 217148 at the peak"],
        "run_module": [[MODULE], "out_0: f32, 16 bytes 12 24 36 48"],
        "describe": [[MODULE], " instructions make "],
    }
    ran = 0
    for name, (arguments, expected) in cases.items():
        if not check.that(name in programs and programs[name].exists(), f"example {name} was not built"):
            continue
        said = run([subject(programs[name]), *arguments], check, f"example {name}")
        ran += check.that(expected in said, f"example {name} printed {said[:300]!r}")
        needed = run(["ldd", programs[name]], check, f"ldd {name}")
        check.that(not HIDDEN_NAMES.search(needed.encode()), f"example {name} loads a hidden library:\n{needed}")
    lengths = [len(path.read_text().splitlines()) for language in ("cpp", "c")
               for path in (ROOT / "examples" / language).glob("*.c*") if path.suffix in (".c", ".cc")]
    check.that(max(lengths) <= 60, f"an example has {max(lengths)} lines")
    return ran


def check_pkg_config(prefix, folder, check):
    environment = dict(os.environ, PKG_CONFIG_PATH=str(next(prefix.rglob("haloscope.pc")).parent))
    flags = run(["pkg-config", "--cflags", "--libs", "haloscope"], check, "pkg-config", env=environment).split()
    library = next(prefix.rglob("libhaloscope.so")).parent
    run([tool("clang-19", "cc"), "-std=c99", ROOT / "examples/c/describe.c", "-o", folder / "describe", *flags,
         f"-Wl,-rpath,{library}"], check, "the C example by pkg-config")
    run([subject(folder / "describe"), MODULE], check, "the C example by pkg-config, run")


def check_symbols(library, check):
    listed = run(["nm", "-D", "--defined-only", "-C", library], check, "nm")
    names = [line.split(" ", 2)[2] for line in listed.splitlines()]
    cpp = [name for name in names if name.startswith("halo::v0::")]
    c = [name for name in names if re.fullmatch(r"halo_\w+", name)]
    others = sorted(set(names) - set(cpp) - set(c))
    check.that(not others, f"{len(others)} other symbols are exported, such as {others[:3]}")
    return len(cpp), len(c)


def check_headers(prefix, check):
    headers = sorted((prefix / "include").rglob("*"))
    headers = [path for path in headers if path.is_file()]
    strangers = [path for path in headers if path.parent.name != "haloscope"]
    check.that(not strangers, f"also installed: {strangers[:3]}")
    include = f"-I{prefix / 'include'}"
    for header in headers:
        run([tool("clang++-19", "c++"), "-std=c++20", *WARNINGS, "-fsyntax-only", "-x", "c++", include, header], check,
            f"{header.name} alone")
    run([tool("clang-19", "cc"), "-std=c99", *WARNINGS, "-fsyntax-only", "-x", "c", include,
         prefix / "include/haloscope/c.h"], check, "c.h as C99")
    return len(headers)


def measure(quick):
    del quick  # takes seconds
    need(BUILD / "libhaloscope.so", "the release build; run cmake --workflow --preset release")
    check = Check()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / "prefix"
        run(["cmake", "--install", BUILD, "--component", "core", "--prefix", prefix], check, "installing `core`")
        library = next(prefix.rglob("libhaloscope.so")).resolve()
        needed = run(["readelf", "-d", library], check, "readelf")
        check.that(not HIDDEN_NAMES.search(needed.encode()), f"the library needs a hidden one:\n{needed}")
        for path in prefix.rglob("*"):
            if path.is_file() and path.suffix in (".cmake", ".pc", ".h"):
                found = HIDDEN_NAMES.search(path.read_bytes())
                check.that(not found, f"{path.name} names {found and found[0]}")
        ran = check_examples(built_examples(prefix, folder, check), check)
        check_pkg_config(prefix, folder, check)
        cpp, c = check_symbols(library, check)
        headers = check_headers(prefix, check)
        installed = sum(path.is_file() and not path.is_symlink() for path in prefix.rglob("*"))
    counts = {"examples": ran, "headers": headers, "functions of C++": cpp, "functions of C": c}
    return (check.failed == 0 and enough(LEAST, counts),
            f"{ran} of 4 examples; {cpp} functions of halo::v0 and {c} halo_* exported, nothing else; {headers} headers "
            f"alone; {installed} files installed; {check.failed} problems")
