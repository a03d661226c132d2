"""Tampers with the cache of compiled code in every way that another user of the machine could, or that a failing disk does:
foreign owner, group-writable folder or entry, links, pipes, truncated, altered and swapped entries. The command must refuse
each, compile again and give the same results; it must use an untouched cache."""
import json
import os
import pathlib
import random
import shutil
import subprocess
import tempfile

from common import HALO, enough, need_halo

ORDER = 60
QUICK_SECONDS = 5
WHAT = "runs with a cache of compiled code that was tampered with: owner, mode, links, truncated, altered, swapped"
BAR = "at least 100 runs of at least 10 ways: each refused and compiled again with the same results; untouched ones are used"
QUICK_BAR = "at least 12 runs of at least 10 ways; the same"
ROUNDS, WAYS = 9, 10
LEAST, QUICK_LEAST = {"runs": 100, "ways": WAYS}, {"runs": 12, "ways": WAYS}
OTHER = 65534  # another user, where this one may give files away

MODULE = """HloModule s
sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[%d,64] parameter(0)
  zero = f32[] constant(0)
  b = f32[%d,64] tanh(a)
  r = f32[%d] reduce(b, zero), dimensions={1}, to_apply=sum
  q = f32[64] reduce(b, zero), dimensions={0}, to_apply=sum
  ROOT t = (f32[%d], f32[64]) tuple(r, q)
}
"""


def entries(store):
    return sorted(path for path in store.iterdir() if path.suffix == ".haloobj")


def cut(path, draw):
    os.truncate(path, draw.randrange(path.stat().st_size))


def alter(path, draw):
    data = bytearray(path.read_bytes())
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    path.write_bytes(data)


def replace_by(path, make):
    kept = path.with_name("kept")
    path.rename(kept)
    make(path, kept)


def swap(store):
    first, second = entries(store)[:2]
    between = store / "between"
    first.rename(between)
    second.rename(first)
    between.rename(second)
    return 2


def each_entry(change):
    def tamper(store, draw):
        for path in entries(store):
            change(path, draw)
        return len(entries(store))
    return tamper


def link_folder(store, _):
    real = store.with_name("real")
    store.rename(real)
    store.symlink_to(real)
    os.lchown(store, OTHER, OTHER)


# Ways to tamper with entries return how many must be refused; ways to tamper with the folder return None.
TAMPERING = {
    "truncated": each_entry(cut),
    "empty": each_entry(lambda path, draw: os.truncate(path, 0)),
    "altered": each_entry(alter),
    "swapped": lambda store, draw: swap(store),
    "group-writable entry": each_entry(lambda path, draw: path.chmod(0o660)),
    "entry writable by all": each_entry(lambda path, draw: path.chmod(0o602)),
    "link": each_entry(lambda path, draw: replace_by(path, lambda name, kept: name.symlink_to(
        shutil.copy(kept, kept.with_name(name.name + ".copy"))))),
    "link to nothing": each_entry(lambda path, draw: replace_by(path, lambda name, kept: name.symlink_to("nothing"))),
    "pipe": each_entry(lambda path, draw: replace_by(path, lambda name, kept: os.mkfifo(name, 0o600))),
    "group-writable folder": lambda store, draw: store.chmod(0o770),
    "folder writable by all": lambda store, draw: store.chmod(0o1777),
    "entry of another user": each_entry(lambda path, draw: os.chown(path, OTHER, OTHER)),
    "folder of another user": lambda store, draw: os.chown(store, OTHER, OTHER),
    "link of another user": link_folder,
}
NEEDS_ROOT = {"entry of another user", "folder of another user", "link of another user"}


def run(module, store, *options):
    done = subprocess.run([str(HALO), "run", str(module), "--random", "1", "--cache", str(store), "--json", *map(str, options)],
                          capture_output=True, check=False, timeout=60)
    return done.returncode, (json.loads(done.stdout) if done.returncode in (0, 1) else {})


def prepare(folder, draw):
    """Makes a module, its results and a cache that is used; returns the first run."""
    module, store, expected = folder / "module.txt", folder / "cache", folder / "first.npz"
    rows = draw.randint(32, 512)
    module.write_text(MODULE % (rows, rows, rows, rows))
    code, first = run(module, store, "-o", expected)
    if code != 0 or first["kernels_compiled"] < 2:
        raise RuntimeError(f"the first run: exit {code}, {first.get('kernels_compiled')} kernels compiled")
    code, second = run(module, store, "--compare", expected)
    if code != 0 or second["kernels_compiled"] != 0 or "not_cached_because" in second:
        raise RuntimeError(f"an untouched cache is not used: {second.get('kernels_compiled')} kernels compiled")
    return first


def one_way(way, folder, first, draw, again):
    """Returns what is wrong; None if nothing is."""
    module, store, expected = folder / "module.txt", folder / "cache", folder / "first.npz"
    refused = TAMPERING[way](store, draw)
    before = sorted(os.listdir(store))
    code, second = run(module, store, "--compare", expected, "--ulp", 0)
    if code != 0 or second["kernels_compiled"] != first["kernels"] or not second["comparison"]["agrees"]:
        return f"exit {code}, {second.get('kernels_compiled')} of {first['kernels']} kernels compiled again"
    if refused is None:
        if not second.get("not_cached_because"):
            return "the folder was used"
        return "the folder was written to" if sorted(os.listdir(store)) != before else None
    if second["damaged_cache_entries"] != refused:
        return f"{second['damaged_cache_entries']} of {refused} entries refused"
    if not again:
        return None
    code, third = run(module, store, "--compare", expected)
    return None if code == 0 and third["kernels_compiled"] == 0 else "entries were not replaced"


def measure(quick):
    need_halo()
    draw = random.Random(18)
    ways = [way for way in TAMPERING if os.geteuid() == 0 or way not in NEEDS_ROOT]
    held, problems = 0, []
    for _ in range(1 if quick else ROUNDS):
        with tempfile.TemporaryDirectory() as name:
            made = pathlib.Path(name) / "made"
            made.mkdir()
            first = prepare(made, draw)
            for number, way in enumerate(ways):
                folder = pathlib.Path(name) / str(number)
                shutil.copytree(made, folder)
                problem = one_way(way, folder, first, draw, again=not quick)
                held += problem is None
                if problem:
                    problems.append(way)
                    print(f"{way}: {problem}", flush=True)
    least = QUICK_LEAST if quick else LEAST
    if not quick and os.geteuid() != 0:
        least = dict(least, runs=WAYS * ROUNDS)
    return not problems and enough(least, {"runs": held, "ways": len(ways)}), (f"{held} of {held + len(problems)} caches, tampered with in {len(ways)} ways, refused and "
                                     "compiled again with the same results"
                                     + (f"; not: {', '.join(sorted(set(problems)))}" if problems else ""))
