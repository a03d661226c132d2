"""The Python package with several versions of JAX: every stage of JAX is a program, and a capture sees every compilation."""
import json

from common import Skipped, enough
from python_common import JAX_VERSIONS, jax_pythons, newest_jax, run_python

ORDER = 141
QUICK_SECONDS = 5
WHAT = "`Lowered`, `Compiled`, `Exported`, StableHLO text and bytecode of JAX 0.4.30, 0.6.2, 0.10.2 and 0.12; `hs.capture`"
BAR = ("4 versions: info, memory, time and run of 5 forms each, with the results of JAX itself; a capture holds each of 3 "
       "compilations with XLA's own buffer assignment, although XLA_FLAGS excludes it, and programs of the cache on disk")
QUICK_BAR = "1 version, otherwise the same"
LEAST = {"versions": 4, "forms": 20, "captures": 24}
QUICK_LEAST = {"versions": 1, "forms": 5, "captures": 6}

CHILD = r"""
import json, os, sys, tempfile
os.environ["XLA_FLAGS"] = "--xla_dump_hlo_as_text=false --xla_dump_hlo_module_re=none_of_these"
import numpy as np
import haloscope as hs
import jax, jax.numpy as jnp
from jax import export

def step(x, y):
    return jnp.tanh(x @ y).sum(axis=0), (x * y).mean()

x = np.arange(64, dtype=np.float32).reshape(8, 8) / 64
y = np.eye(8, dtype=np.float32) * 2
expected = [np.asarray(each) for each in jax.jit(step)(x, y)]
lowered = jax.jit(step).lower(x, y)
compiled = lowered.compile()
exported = export.export(jax.jit(step))(x, y)
forms = {"Lowered": lowered, "Compiled": compiled, "Exported": exported, "text": lowered.as_text(),
         "bytecode": bytes(exported.mlir_module_serialized)}
good = {}
for name, program in forms.items():
    document = hs.open(program)
    results = document.run([x, y]).arrays
    close = len(results) == 2 and all(np.allclose(a.numpy(), b, rtol=1e-5) for a, b in zip(results, expected))
    good[name] = [bool(close), document.info().modules[0].name, document.memory().device_bytes, document.time().program]

captured = {}
def see(name, how):
    with hs.capture() as dump:
        how()
    documents = {}
    for module in dump.compiles:
        documents[module] = [hs.open(dump, module=module).memory().planned_by_halo]
    captured[name] = documents

def named(scale):
    def alpha(a): return a * scale
    def beta(a): return a @ a * scale
    def gamma(a): return jnp.exp(a) * scale
    return lambda: [jax.jit(f)(x) for f in (alpha, beta, gamma)]
see("three", named(3.0))
folder = tempfile.mkdtemp()
jax.config.update("jax_compilation_cache_dir", folder)
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
named(5.0)()
jax.clear_caches()
see("cache", named(5.0))
outside = len(os.listdir(folder))
print(json.dumps({"version": jax.__version__, "forms": good, "captured": captured, "cached": outside}))
"""
STEPS = ("jit_alpha", "jit_beta", "jit_gamma")


def check_version(version, python):
    """(forms, captured compilations) that are right."""
    done = run_python(["-c", CHILD], python=python)
    try:
        said = json.loads(done.stdout.strip().splitlines()[-1])
        forms = said["forms"]
        right = sum(close and name in ("jit_step", "step") and program == name and size > 512
                    for close, name, size, program in forms.values()) if said["version"].startswith(version) else 0
        captures = sum(step in documents and documents[step] == [False] or name == "cache" and step in documents
                       for name, documents in said["captured"].items() for step in STEPS)
    except (ValueError, IndexError, KeyError, TypeError, AttributeError) as error:
        print(f"  {version}: {error!r}\n{done.stdout[-300:]}{done.stderr[-1500:]}")
        return 0, 0
    print(f"  {said['version']}: {right} of 5 forms, {captures} of 6 captured; {said['captured']}")
    return right, captures


def measure(quick):
    pythons = jax_pythons()
    if quick:
        pythons = dict([newest_jax()])
    elif set(pythons) != set(JAX_VERSIONS):
        raise Skipped(f"environments with jax {', '.join(sorted(set(JAX_VERSIONS) - set(pythons)))} are missing (HALO_VENVS)")
    forms = captures = 0
    for version, python in pythons.items():
        right, seen = check_version(version, python)
        forms += right
        captures += seen
    counts = {"versions": len(pythons), "forms": forms, "captures": captures}
    return (forms == 5 * len(pythons) and captures == 6 * len(pythons) and enough(QUICK_LEAST if quick else LEAST, counts),
            f"{len(pythons)} versions ({', '.join(pythons)}): {forms} of {5 * len(pythons)} forms, {captures} of "
            f"{6 * len(pythons)} compilations captured")
