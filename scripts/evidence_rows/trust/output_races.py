"""Attacks on the outputs of the command by another user who may write to their folder: while the command writes, the names
in the folder are exchanged for links. Run by itself, this file is that other user: output_races.py FOLDER VICTIM WAY, until
it is ended; WAY is one of WAYS.

races(folder, count, seed) runs generated variants of commands, ways, permissions and what is there before, and returns how
many there were of each way and what went wrong. Nothing may: the victim, a file that only its owner may read, keeps its
bytes and permissions, and the output is either whole and a separate file, or refused with a reason."""
import collections
import contextlib
import ctypes
import itertools
import os
import pathlib
import random
import stat
import subprocess
import sys

IN_CREATE = 0x100
SECRET = "only its owner may read this\n"
TEMPORARY, HARD, OTHER, OUTPUT, DEVICE = "temporary", "hard link", "other file", "output", "device"
WAYS = {
    TEMPORARY: "the file under its temporary name becomes a link to the victim",
    HARD: "the file under its temporary name becomes a second name of the victim",
    OTHER: "the file under its temporary name becomes a file of the attacker",
    OUTPUT: "the output becomes a link to the victim and a file in turns",
    DEVICE: "a link to /dev/null becomes one to the victim and back in turns",
}


def write_other(path):
    with open(path, "w", encoding="ascii") as file:
        file.write("of the attacker\n")


def created():
    """The names of files that are created in the current folder, each as soon as it is. A process that sleeps until then
    is woken at once, also on a busy machine."""
    library = ctypes.CDLL(None, use_errno=True)
    watch = library.inotify_init()
    if watch < 0 or library.inotify_add_watch(watch, b".", IN_CREATE) < 0:
        raise OSError(ctypes.get_errno(), "inotify")
    while True:
        events = os.read(watch, 1 << 16)
        while events:
            size = int.from_bytes(events[12:16], sys.byteorder)
            yield events[16:16 + size].rstrip(b"\0").decode()
            events = events[16 + size:]


def attack(folder, victim, way):
    make = {TEMPORARY: lambda path: os.symlink(victim, path), HARD: lambda path: os.link(victim, path), OTHER: write_other}
    turns = itertools.cycle({OUTPUT: [make[TEMPORARY], write_other],
                             DEVICE: [make[TEMPORARY], lambda path: os.symlink("/dev/null", path)]}.get(way, [make.get(way)]))
    os.chdir(folder)
    exchanged, names = set(), created()
    print("ready", flush=True)
    while True:
        with contextlib.suppress(FileNotFoundError):
            os.unlink("between")
        next(turns)("between")  # made beforehand: the exchange itself is one step
        if way in (OUTPUT, DEVICE):
            os.rename("between", "out")
            continue
        name = next(names)
        while not name.endswith(".tmp") or name in exchanged:
            name = next(names)
        with contextlib.suppress(OSError):
            os.rename("between", name)
            exchanged.add(name)


def commands(module):
    """Ways to write a file, by name: (options before the path)."""
    return {
        "fmt": ["fmt", module, "-o"],
        "convert": ["convert", module, "--to", "proto", "-o"],
        "snapshot": ["snapshot", module, "-o"],
        "trace": ["time", module, "--device", "h100", "--trace"],
        "run": ["run", module, "--random", "1", "--engine", "reference", "-o"],
    }


def one_race(halo, folder, words, way, mode):
    """What is wrong; None if nothing is."""
    shared, victim = folder / "shared", folder / "victim"
    shared.mkdir()
    shared.chmod(0o777)
    victim.write_text(SECRET)
    victim.chmod(0o600)
    out = shared / "out"
    if way == DEVICE:
        out.symlink_to("/dev/null")
    elif mode is not None:
        out.write_text("old\n")
        out.chmod(mode)
    other = subprocess.Popen([sys.executable, "-IS", __file__, str(shared), str(victim), way], stdout=subprocess.PIPE)
    try:
        other.stdout.readline()
        done = subprocess.run([str(halo), *words, str(out)], capture_output=True, check=False, timeout=60)
    finally:
        other.kill()
        other.communicate()
    found = victim.stat()
    if stat.S_IMODE(found.st_mode) != 0o600 or victim.read_text() != SECRET:
        return f"the victim has mode {stat.S_IMODE(found.st_mode):o} and {found.st_size} bytes"
    if way not in (OUTPUT, DEVICE) and (out.is_symlink() or (out.exists() and out.samefile(victim))):
        return "the output is a link to the victim"
    if done.returncode not in (0, 2) or (done.returncode == 2 and b"cannot write" not in done.stderr):
        return f"exit code {done.returncode}: {done.stderr[-200:]!r}"
    if way in (TEMPORARY, HARD) and done.returncode == 0 and out.read_bytes()[:4] in (b"old\n", b""):
        return "exit code 0 and no output"
    return None


def races(halo, folder, count, seed):
    """Runs `count` variants. Returns (variants by way, problems)."""
    draw = random.Random(seed)
    folder = pathlib.Path(folder)
    modules = [folder / f"module{lines}.txt" for lines in (100, 4000)]
    for module, lines in zip(modules, (100, 4000)):
        adds = "".join(f"  a{i} = f32[8]{{0}} add(f32[8]{{0}} a{i - 1}, f32[8]{{0}} a{i - 1})\n" for i in range(1, lines))
        module.write_text(f"HloModule m\n\nENTRY e {{\n  a0 = f32[8]{{0}} parameter(0)\n{adds}"
                          f"  ROOT r = f32[8]{{0}} sine(f32[8]{{0}} a{lines - 1})\n}}\n")
    ways, counts, problems = list(WAYS), collections.Counter(), []
    for number in range(count):
        way = ways[number % len(ways)]
        command, words = draw.choice(list(commands(str(draw.choice(modules))).items()))
        mode = draw.choice([None, 0o666, 0o664, 0o777, 0o644, 0o600])
        place = folder / str(number)
        place.mkdir()
        problem = one_race(halo, place, words, way, mode)
        counts[way] += problem is None
        if problem:
            problems.append(f"variant {number} ({command}, {way}, {mode if mode is None else oct(mode)}): {problem}")
    return counts, problems


if __name__ == "__main__":
    attack(*sys.argv[1:4])
