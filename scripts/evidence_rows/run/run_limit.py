"""Measures how close compiled programs come to the machine's limits: matrix products against bare oneDNN, programs
that only move memory against memcpy on the same threads, a sort against numpy. Runs alternate; the best of each
counts."""
import json
import pathlib
import re
import subprocess
import tempfile

from common import enough, halo_run, jax_script, need_halo, program

ORDER = 55
QUICK_SECONDS = 12
SPEED = True
WHAT = "products, memory-bound programs and a sort against the limits of the machine"
BAR = ("f32 and bf16 products of 2048^3 at least 90 % of bare oneDNN; copy, add, softmax and layer norm of 64M "
       "elements at least 85 % of the bandwidth of memcpy; sort of 1e6 f32 no slower than numpy")
QUICK_BAR = "every program reaches a tenth of its limit at least"
LEAST = {"programs": 7, "runs of each": 24}
QUICK_LEAST = {"programs": 7, "runs of each": 4}
ROUNDS, REPEAT, QUICK_REPEAT = 3, 8, 4
ELEMENTS = 64 << 20

MODULES = {
    "matmul f32": "HloModule m\nENTRY e {\n  a = f32[2048,2048] parameter(0)\n  b = f32[2048,2048] parameter(1)\n"
                  "  ROOT c = f32[2048,2048] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
    "matmul bf16": "HloModule m\nENTRY e {\n  a = bf16[2048,2048] parameter(0)\n  b = bf16[2048,2048] parameter(1)\n"
                   "  ROOT c = bf16[2048,2048] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n",
    "copy": "HloModule m\nENTRY e {\n  a = f32[67108864] parameter(0)\n  ROOT c = f32[67108864] copy(a)\n}\n",
    "add": "HloModule m\nENTRY e {\n  a = f32[67108864] parameter(0)\n  b = f32[67108864] parameter(1)\n"
           "  ROOT c = f32[67108864] add(a, b)\n}\n",
    "softmax": """HloModule m
max { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] maximum(x, y) }
sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[16384,4096] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[16384] reduce(a, low), dimensions={1}, to_apply=max
  mb = f32[16384,4096] broadcast(m), dimensions={0}
  d = f32[16384,4096] subtract(a, mb)
  x = f32[16384,4096] exponential(d)
  s = f32[16384] reduce(x, zero), dimensions={1}, to_apply=sum
  sb = f32[16384,4096] broadcast(s), dimensions={0}
  ROOT r = f32[16384,4096] divide(x, sb)
}
""",
    "layer norm": """HloModule m
sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
ENTRY e {
  a = f32[16384,4096] parameter(0)
  g = f32[4096] parameter(1)
  b = f32[4096] parameter(2)
  zero = f32[] constant(0)
  n = f32[] constant(4096)
  eps = f32[] constant(1e-05)
  s = f32[16384] reduce(a, zero), dimensions={1}, to_apply=sum
  nb = f32[16384] broadcast(n), dimensions={}
  mean = f32[16384] divide(s, nb)
  mb = f32[16384,4096] broadcast(mean), dimensions={0}
  d = f32[16384,4096] subtract(a, mb)
  q = f32[16384,4096] multiply(d, d)
  v = f32[16384] reduce(q, zero), dimensions={1}, to_apply=sum
  var = f32[16384] divide(v, nb)
  eb = f32[16384] broadcast(eps), dimensions={}
  ve = f32[16384] add(var, eb)
  r = f32[16384] rsqrt(ve)
  rb = f32[16384,4096] broadcast(r), dimensions={0}
  o = f32[16384,4096] multiply(d, rb)
  gb = f32[16384,4096] broadcast(g), dimensions={1}
  og = f32[16384,4096] multiply(o, gb)
  bb = f32[16384,4096] broadcast(b), dimensions={1}
  ROOT out = f32[16384,4096] add(og, bb)
}
""",
    "sort": """HloModule m
less { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = pred[] compare(x, y), direction=LT, type=TOTALORDER }
ENTRY e {
  a = f32[1000000] parameter(0)
  ROOT r = f32[1000000] sort(a), dimensions={0}, to_apply=less
}
""",
}
TOUCHED = {"copy": 2, "add": 3, "softmax": 2, "layer norm": 2}  # arrays read and written

# Fails if numpy uses a level of vector extensions that it is told to do without.
NUMPY = """
import numpy as np, os, time
from numpy._core._multiarray_umath import __cpu_features__ as used
assert not any(used[name] for name in os.environ.get("NPY_DISABLE_CPU_FEATURES", "").split())
a = np.random.RandomState(0).standard_normal(1000000).astype(np.float32)
best = 1e9
for _ in range(20):
    start = time.perf_counter(); np.sort(a); best = min(best, time.perf_counter() - start)
print(best)
"""


def ours(path, repeat):
    run = halo_run("run", path, "--random", 1, "--repeat", repeat, "--json", "--cache", "none")
    if run.returncode != 0:
        raise RuntimeError(run.stdout.decode()[-1500:] + run.stderr.decode()[-1500:])
    answer = json.loads(run.stdout)
    result = re.findall(r"ROOT \w+ = \w+\[([\d,]*)\]", path.read_text(encoding="utf-8"))[-1]  # of the entry, the last
    if [each["dims"] for each in answer["outputs"]] != [[int(each) for each in result.split(",")]]:
        raise RuntimeError(f"the results are not of the shape [{result}]")
    if len(answer["run_seconds"]) != repeat:
        raise RuntimeError(f"{len(answer['run_seconds'])} runs of {repeat} were timed")
    return min(answer["run_seconds"])


def best_times(rounds, repeat):
    """The best seconds of each program, those of what limits it, and numpy's sort."""
    limits_program = program("bench/machine_limits")
    best, limits, numpy = {}, {}, None
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            for name, value in json.loads(subprocess.run([limits_program], capture_output=True, check=True).stdout).items():
                limits[name] = min(value, limits.get(name, value))
            for name, text in MODULES.items():
                path = pathlib.Path(folder) / "module.txt"
                path.write_text(text)
                seconds = ours(path, repeat)
                best[name] = min(seconds, best.get(name, seconds))
            seconds = float(jax_script(NUMPY))
            numpy = min(seconds, numpy or seconds)
    return best, limits, numpy


def shares_of(best, limits, numpy, bf16_limit="matmul_bf16_seconds"):
    """(program, its speed as a share of its limit, what it should reach), printed as well."""
    copied = 2 * 4 * ELEMENTS / limits["copy_64m_seconds"]
    out = []
    for name, seconds in best.items():
        if name.startswith("matmul"):
            limit = bf16_limit if name == "matmul bf16" else "matmul_f32_seconds"
            share, bar = limits[limit] / seconds, 0.9 if limit.startswith(name.replace(" ", "_")) else 1.0
            print(f"{name:12} {2 * 2048 ** 3 / seconds / 1e9:8.0f} GF/s, {100 * share:.0f} % of bare oneDNN in {limit.split('_')[1]}")
        elif name == "sort":
            share, bar = numpy / seconds, 1.0
            print(f"{name:12} {1e3 * seconds:8.2f} ms, numpy {1e3 * numpy:.2f} ms")
        else:
            reached = TOUCHED[name] * 4 * ELEMENTS / seconds
            share, bar = reached / copied, 0.85
            print(f"{name:12} {reached / 1e9:8.1f} GB/s, {100 * share:.0f} % of memcpy's {copied / 1e9:.1f}")
        out.append((name, share, bar))
    return out


def measure(quick):
    need_halo()
    rounds, repeat = (1, QUICK_REPEAT) if quick else (ROUNDS, REPEAT)
    best, limits, numpy = best_times(rounds, repeat)
    held = enough(QUICK_LEAST if quick else LEAST, {"programs": len(best), "runs of each": rounds * repeat})
    shares = shares_of(best, limits, numpy)
    held &= all(share >= (0.1 if quick else bar) for _, share, bar in shares)
    return held, ", ".join(f"{name} {100 * share:.0f} %" for name, share, _ in shares)
