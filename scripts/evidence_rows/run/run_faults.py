"""Tests faults around a compiled run: damaged cache entries, insufficient memory, Ctrl-C, a timeout. Also runs a sample
of programs with the sanitized build, which keeps each array in a separate guarded allocation."""
import json
import os
import pathlib
import resource
import signal
import subprocess
import tempfile
import time

from common import ROOT, SHARED, enough, need, need_halo, need_shared
from run_corpus import on_one_device
from subject import subject

ORDER = 58
QUICK_SECONDS = 7
WHAT = "damaged caches, no memory, Ctrl-C and timeouts of compiled runs; a sample under AddressSanitizer"
BAR = "damage is detected and repaired, everything else ends cleanly and promptly with the reason; no sanitizer report"
QUICK_BAR = "the same with 3 programs under AddressSanitizer"
LEAST = {"programs under AddressSanitizer": 24}
QUICK_LEAST = {"programs under AddressSanitizer": 3}

SMALL = """HloModule s
ENTRY e {
  a = f32[64,64] parameter(0)
  b = f32[64,64] tanh(a)
  c = f32[64,64] transpose(b), dimensions={1,0}
  ROOT d = f32[64,64] dot(c, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}
"""
LARGE = """HloModule l
ENTRY e {
  a = f32[] parameter(0)
  b = f32[32768,32768] broadcast(a), dimensions={}
  c = f32[32768,32768] transpose(b), dimensions={1,0}
  ROOT d = (f32[32768,32768], f32[32768,32768]) tuple(b, c)
}
"""
ENDLESS = """HloModule w
cond { s = (s32[], f32[256]) parameter(0)  i = s32[] get-tuple-element(s), index=0  n = s32[] constant(2000000000)
  ROOT c = pred[] compare(i, n), direction=LT }
body { s = (s32[], f32[256]) parameter(0)  i = s32[] get-tuple-element(s), index=0  k = s32[] constant(1)
  j = s32[] add(i, k)  x = f32[256] get-tuple-element(s), index=1  y = f32[256] sine(x)
  ROOT t = (s32[], f32[256]) tuple(j, y) }
ENTRY e {
  z = s32[] constant(0)
  a = f32[256] parameter(0)
  t = (s32[], f32[256]) tuple(z, a)
  w = (s32[], f32[256]) while(t), condition=cond, body=body
  ROOT r = f32[256] get-tuple-element(w), index=1
}
"""


def run(*arguments, **options):
    return subprocess.run([str(need_halo()), "run", *map(str, arguments), "--json"], capture_output=True, check=False, **options)


def cache(folder):
    module, store = folder / "small.txt", folder / "cache"
    module.write_text(SMALL)
    first = json.loads(run(module, "--random", 1, "--cache", store, "-o", folder / "first.npz").stdout)
    entries = [path for path in store.rglob("*") if path.is_file()]
    for i, path in enumerate(entries):
        data = bytearray(path.read_bytes())
        if i % 2 == 0:
            data[len(data) // 2] ^= 0x40
        else:
            del data[len(data) * 2 // 3:]
        path.write_bytes(data)
    again = json.loads(run(module, "--random", 1, "--cache", store, "--compare", folder / "first.npz").stdout)
    third = json.loads(run(module, "--random", 1, "--cache", store, "--compare", folder / "first.npz").stdout)
    print(f"cache: {len(entries)} entries damaged, {again['damaged_cache_entries']} found, "
          f"{again['kernels_compiled']} of {first['kernels']} kernels compiled again, then {third['kernels_compiled']}")
    return (entries and again["damaged_cache_entries"] == len(entries) and again["kernels_compiled"] == first["kernels"]
            and third["kernels_compiled"] == 0 and again["comparison"]["agrees"] and third["comparison"]["agrees"])


def refused(name, done, code):
    """Prints how a run ended and returns whether it ended with this diagnostic."""
    try:
        found = json.loads(done.stdout)["diagnostics"]
    except ValueError:
        found = []
    codes = [each["code"] for each in found]
    print(f"{name}: exit {done.returncode}, {found[0]['message'] if found else done.stderr.decode()[-300:]}")
    return done.returncode not in (0, 1) and done.returncode > 0 and code in codes


def limits(folder):
    module = folder / "large.txt"
    module.write_text(LARGE)
    held = refused("limit given", run(module, "--random", 1, "--max-memory", "1GiB", "-o", folder / "x.npz"), "memory-limit")

    def little():
        resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
    held &= refused("no memory", run(module, "--random", 1, "-o", folder / "x.npz", preexec_fn=little), "memory-limit")
    return held and not (folder / "x.npz").exists()


def stops(folder):
    module, output = folder / "endless.txt", folder / "y.npz"
    module.write_text(ENDLESS)
    start = time.monotonic()
    held = refused("timeout of 1 s", run(module, "--random", 1, "--timeout", 1, "-o", output), "interrupted")
    took = time.monotonic() - start
    process = subprocess.Popen([str(need_halo()), "run", str(module), "--random", "1", "-o", str(output)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    time.sleep(2)
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    message = process.communicate()[1].decode()
    ended = time.monotonic() - start
    print(f"timeout took {took:.1f} s; Ctrl-C ended it in {ended:.2f} s, exit {process.returncode}: {message.strip()[-120:]}")
    return held and took < 10 and ended < 2 and process.returncode == 130 and not output.exists()


def sanitized(quick):
    halo = subject(need(ROOT / "build/dev/halo", "the sanitized build; run cmake --workflow --preset dev"))
    need_shared("corpus/jax/cpu")
    modules = [path for path in sorted((SHARED / "corpus/jax/cpu").glob("*/*before_optimizations.txt"))
               if on_one_device(path)]
    least = QUICK_LEAST if quick else LEAST
    sample = least["programs under AddressSanitizer"]
    modules = modules[::max(1, len(modules) // sample)][:sample]
    bad = 0
    for path in modules:
        done = subprocess.run([str(halo), "run", str(path), "--inputs", str(path.parent / "io.npz"), "--cache", "none",
                               "-o", os.devnull], capture_output=True, check=False)
        if done.returncode != 0:
            bad += 1
            print(f"{path.parent.name}: exit {done.returncode}\n{done.stderr.decode()[-1500:]}")
    print(f"sanitized: {len(modules) - bad} of {len(modules)} programs without a report")
    return bad == 0 and enough(least, {"programs under AddressSanitizer": len(modules)})


def measure(quick):
    need_halo()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        results = {"cache": cache(folder), "memory": limits(folder), "interrupt and timeout": stops(folder)}
    results["sanitizer"] = sanitized(quick)
    return all(results.values()), ", ".join(f"{name} {'clean' if ok else 'NOT CLEAN'}" for name, ok in results.items())
