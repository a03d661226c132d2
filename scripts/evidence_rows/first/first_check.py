"""Checks `halo check DIR` as a gate: of a folder of 200 files, one broken file is enough to fail, and it is named. The
folder holds 40 small programs: before and after optimizations, after a pass, as proto, and a buffer assignment."""
import pathlib
import shutil
import tarfile
import tempfile

from common import enough, halo, halo_run, need_halo

ORDER = 80
WHAT = "`halo check` of a generated folder of 200 files and of its archive, whole and with one broken file"
BAR = ("exit 0 for the whole folder, 200 files counted; with one broken file of at least 6 kinds at 3 positions each, "
       "exit 1 (2 where the file cannot be read), naming that file and no other; --module of another one exits 0")
LEAST = {"folders and archives": 50, "kinds": 6}
QUICK_LEAST = {"folders and archives": 34, "kinds": 6}
QUICK_BAR = "the same, but only one archive for each kind of breakage"
QUICK_SECONDS = 7
PROGRAMS = 40
FILES = 5 * PROGRAMS

PROGRAM = """HloModule jit_f{number}, is_scheduled=true, entry_computation_layout={{(f32[{size}]{{0}})->f32[{size}]{{0}}}}

ENTRY main {{
  p = f32[{size}]{{0}} parameter(0)
  a = f32[{size}]{{0}} exponential(p)
  b = f32[{size}]{{0}} sine(p)
  c = f32[{size}]{{0}} multiply(a, b)
  d = f32[{size}]{{0}} add(c, b)
  ROOT r = f32[{size}]{{0}} subtract(d, a)
}}
"""


def stem(number):
    return f"module_{number:04}.jit_f{number}"


def make_folder(folder):
    for number in range(PROGRAMS):
        text = PROGRAM.format(number=number, size=64 + 16 * number)
        before = folder / f"{stem(number)}.before_optimizations.txt"
        after = folder / f"{stem(number)}.cpu_after_optimizations.txt"
        for path in (before, folder / f"{stem(number)}.0003.simplification.after_dce.before_cse.txt", after):
            path.write_text(text, encoding="utf-8")
        halo("convert", after, "-o", after.with_suffix(".hlo.pb"))
        assignment = folder / f"{stem(number)}.cpu_after_optimizations-buffer-assignment.txt"
        assignment.write_bytes(halo("memory", before, "--print", "--backend", "cpu"))


def replaced(path, old, new):
    data = path.read_bytes()
    if old not in data:
        raise RuntimeError(f"{path.name} has no {old!r}")
    path.write_bytes(data.replace(old, new, 1))


def move_value(path):
    """Moves the last value of the temporary allocation onto the first, while both are live."""
    lines = path.read_text(encoding="utf-8").split("\n")
    values = [i for i, line in enumerate(lines) if " value: " in line and "offset=" in line]
    moved = [i for i in values if ",offset=0)" not in lines[i]]
    if not moved:
        raise RuntimeError(f"{path.name}: no value has another offset")
    at = moved[0]
    head, tail = lines[at].split(",offset=", 1)
    lines[at] = head + ",offset=0)" + tail.split(")", 1)[1]
    path.write_text("\n".join(lines), encoding="utf-8")


# (what, the file's ending, how it is broken, the exit code)
KINDS = (
    ("text syntax error", ".before_optimizations.txt", lambda path: replaced(path, b"multiply(a, b)", b"multiply(a, b"), 1),
    ("text cut off", ".cpu_after_optimizations.txt", lambda path: path.write_bytes(path.read_bytes()[:-30]), 1),
    ("verifier error", ".0003.simplification.after_dce.before_cse.txt",
     lambda path: replaced(path, b"ROOT r = f32[", b"ROOT r = f32[1"), 1),
    ("truncated proto", ".cpu_after_optimizations.hlo.pb",
     lambda path: path.write_bytes(path.read_bytes()[:len(path.read_bytes()) * 2 // 3]), 1),
    ("unsound assignment", ".cpu_after_optimizations-buffer-assignment.txt", move_value, 1),
    ("assignment syntax error", ".cpu_after_optimizations-buffer-assignment.txt",
     lambda path: replaced(path, b"allocation 0: size ", b"allocation 0: sighs "), 1),
    ("empty file", ".before_optimizations.txt", lambda path: path.write_bytes(b""), 2),
    ("cut-off gzip", ".before_optimizations.txt",
     lambda path: path.rename(path.with_name(path.name + ".gz")).write_bytes(b"\x1f\x8b\x08\x00"), 2),
)


def named(output, folder):
    """Returns the files that lines of the output begin with."""
    prefix = f"{folder}/"
    return {line[len(prefix):].split(":", 1)[0] for line in output.splitlines() if line.startswith(prefix)}


def archived(folder):
    archive = folder.with_suffix(".tar")
    with tarfile.open(archive, "w") as file:
        file.add(folder, arcname=".")
    return archive


def measure(quick):
    need_halo()
    good = total = 0
    with tempfile.TemporaryDirectory() as temporary:
        whole = pathlib.Path(temporary) / "whole"
        whole.mkdir()
        make_folder(whole)
        for path in (whole, archived(whole)):
            total += 1
            run = halo_run("check", path)
            fine = run.returncode == 0 and f"{FILES} files, 0 errors".encode() in run.stdout
            good += fine
            if not fine:
                print(f"  {path.name}: exit {run.returncode}: {run.stdout.decode()[-600:]}{run.stderr.decode()[-300:]}")
        positions = (0, PROGRAMS // 2, PROGRAMS - 1)
        for what, ending, damage, code in KINDS:
            for number in positions:
                folder = pathlib.Path(temporary) / f"broken-{number}"
                shutil.copytree(whole, folder)
                damage(folder / (stem(number) + ending))
                # Reading the archive as well is the same work again, so the quick form does it once for each kind.
                paths = [folder] if quick and number else [folder, archived(folder)]
                for path in paths:
                    total += 1
                    run = halo_run("check", path, "--no-warnings")
                    files = {name.removeprefix("./").removesuffix(".gz") for name in named(run.stdout.decode(), path)}
                    fine = run.returncode == code and files == {stem(number) + ending}
                    good += fine
                    if not fine:
                        print(f"  {what}, program {number}, {path.name}: exit {run.returncode}, names {sorted(files)}\n"
                              + run.stdout.decode()[-400:])
                other = halo_run("check", folder, "--module", f"jit_f{(number + 7) % PROGRAMS}")
                if other.returncode != 0:  # what a command that selects one module would have said
                    good -= 1
                    print(f"  {what}: --module of another program exits {other.returncode}")
                shutil.rmtree(folder)
    kinds = len(KINDS)
    held = good == total and enough(QUICK_LEAST if quick else LEAST, {"folders and archives": total, "kinds": kinds})
    return held, (f"{good} of {total} folders and archives of {FILES} files reported correctly: 2 whole, the others with one file "
                  f"broken in one of {kinds} ways")
