"""A sweep without devices: XLA compiles for GPUs and TPUs, halo's answers are those about the same programs compiled by hand, and a
sweep that was killed continues where it was."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from common import HALO, Skipped, enough, need_halo, need_shared
from python_common import VENVS, environment
from subject import subject

ORDER = 154
QUICK_SECONDS = 0
WHAT = "`hs.sweep` of two programs over three meshes of four H100 and of four TPU v5e, with jaxlib 0.10.2 and its compilers for both"
BAR = ("12 variants: memory, capacity and time equal those that `halo` prints about each compiled by hand; a sweep killed in the "
       "middle compiles only the rest when it is repeated")
QUICK_BAR = "none: XLA takes seconds for each variant"
LEAST = {"variants": 12, "kept": 1, "compiled after": 1}
PACKAGES = "jax==0.10.2 'libtpu==0.0.42.*' jax-cuda12-plugin==0.10.2 jax-cuda12-pjrt==0.10.2 nvidia-cuda-nvcc-cu12"

PROGRAMS = r"""
import jax, jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec as P

def shape(mesh, dims, *spec):
    return jax.ShapeDtypeStruct(dims, jnp.bfloat16, sharding=NamedSharding(mesh, P(*spec)))

def mlp(w1, w2, x):
    def loss(w1, w2):
        return jnp.mean((jnp.tanh(x @ w1) @ w2).astype(jnp.float32))
    return jax.grad(loss, argnums=(0, 1))(w1, w2)

def mlp_args(mesh):
    model = "model" if "model" in mesh.axis_names else None
    data = "data" if "data" in mesh.axis_names else None
    return (shape(mesh, (1024, 4096), None, model), shape(mesh, (4096, 1024), model, None), shape(mesh, (2048, 1024), data, None))

def scores(q, k):
    return jax.nn.softmax((q @ k.T).astype(jnp.float32), axis=-1).sum(axis=0)

def scores_args(mesh):
    data = "data" if "data" in mesh.axis_names else None
    return shape(mesh, (4096, 512), data, None), shape(mesh, (4096, 512), None, None)

CASES = {"mlp": (mlp, mlp_args), "scores": (scores, scores_args)}
TARGETS = ("h100:4", "v5e:2x2")
MESHES = ({"data": 4}, {"data": 2, "model": 2}, {"model": 4})
"""

SWEEP = r"""
import json, sys
sys.path.insert(0, sys.argv[1])
import sweep_programs as programs
import haloscope as hs
rows = []
for name, (fn, args) in programs.CASES.items():
    rows += [{"case": name, **row} for row in
             hs.sweep(fn, args, targets=programs.TARGETS, meshes=programs.MESHES, folder=sys.argv[2],
                      target_configs={"h100": open(sys.argv[3]).read()}).rows]
print(json.dumps(rows))
"""

# The same without the package: topology, mesh, jit, lower, compile.
BY_HAND = r"""
import os, sys
folder, out, config, case, target, data, model = sys.argv[1:]
os.environ.update(JAX_PLATFORMS="cpu", TPU_SKIP_MDS_QUERY="1", TPU_WORKER_HOSTNAMES="localhost",
                  XLA_FLAGS=f"--xla_dump_to={out} --xla_dump_hlo_as_text")
sys.path.insert(0, folder)
import jax, numpy as np
from jax.experimental import topologies
import sweep_programs as programs
if target == "h100:4":
    topology = topologies.get_topology_desc(platform="cuda", topology_name="h100", target_config=open(config).read(),
                                            topology="1x1x4")
else:
    topology = topologies.get_topology_desc(platform="tpu", topology_name=target)
axes = {name: int(size) for name, size in (("data", data), ("model", model)) if int(size)}
mesh = jax.sharding.Mesh(np.array(topology.devices).reshape(tuple(axes.values())), tuple(axes))
fn, args = programs.CASES[case]
with jax.set_mesh(mesh):
    jax.jit(fn).lower(*args(mesh)).compile()
"""


def compiler_python():
    """An interpreter with jax and its compilers for GPUs and TPUs."""
    python = VENVS / "fleets" / "bin" / "python"
    if python.exists() and subprocess.run([str(python), "-c", "import jax, libtpu, jax_plugins.xla_cuda12"], capture_output=True,
                                          check=False).returncode == 0:
        return python
    raise Skipped(f"no environment has the compilers: python -m venv {VENVS / 'fleets'}, and there pip install {PACKAGES}")


def asked(path, device):
    """(bytes, capacity, seconds) that the command prints about a compiled program."""
    memory, step = ([str(HALO), *each, str(path), "--device", device, "--json", "--no-advice"] for each in (("memory",), ("time",)))
    document = json.loads(subprocess.run(memory, capture_output=True, check=False).stdout)
    timed = json.loads(subprocess.run(step, capture_output=True, check=False).stdout)
    return document["device_bytes"], document["verdict"]["capacity"], timed["step"]["estimate_seconds"]


def measure(quick):
    if quick:
        raise Skipped("has no quick form: XLA takes seconds for each variant")
    need_halo()
    python = compiler_python()
    config = need_shared("oracle") / "gpu_specs" / "h100_sxm.txtpb"
    folder = pathlib.Path(tempfile.mkdtemp(prefix="halo-sweep-"))
    try:
        (folder / "sweep_programs.py").write_text(PROGRAMS, encoding="utf-8")
        command = [str(subject(python)), "-c", SWEEP, str(folder), str(folder / "kept"), str(config)]
        with subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              start_new_session=True) as process:
            while process.poll() is None and len(list((folder / "kept").glob("*/compiled.json"))) < 2:
                time.sleep(0.2)
            time.sleep(1)  # the next one is under way
            os.killpg(process.pid, signal.SIGKILL)
        before = {path: path.stat().st_mtime_ns for path in (folder / "kept").glob("*/compiled.json")}
        done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
        try:
            rows = json.loads(done.stdout)
        except ValueError:
            return False, f"no rows: {done.stderr[-800:]}"
        kept = sum(path.stat().st_mtime_ns == stamp for path, stamp in before.items())
        after = len(list((folder / "kept").glob("*/compiled.json"))) - len(before)
        right = 0
        for number, row in enumerate(rows):
            out = folder / f"hand_{number}"
            sizes = [str(row["mesh"].get(axis, 0)) for axis in ("data", "model")]
            by_hand = subprocess.run([str(python), "-c", BY_HAND, str(folder), str(out), str(config), row["case"], row["target"], *sizes],
                                     capture_output=True, text=True, check=False)
            dumped = sorted(out.glob("*after_optimizations.txt"), key=lambda each: each.stat().st_size)
            if row["refused"] or not dumped:
                print(f"  {row['case']} {row['target']} {row['mesh']}: {row['refused'][-300:]} {by_hand.stderr[-300:]}")
                continue
            expected = asked(dumped[-1], row["target"].split(":")[0])
            found = row["memory_bytes"], row["capacity_bytes"], row["seconds"]
            right += expected == found
            print(f"  {row['case']} {row['target']} {row['mesh']}: {found[0]:,} bytes, {found[2] * 1e3:.3f} ms, compiled in "
                  f"{row['compile_seconds']:.1f} s{'' if expected == found else f', BY HAND {expected}'}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    counts = {"variants": right, "kept": kept, "compiled after": after}
    return (right == len(rows) and kept == len(before) and enough(LEAST, counts),
            f"{right} of {len(rows)} variants as compiled by hand; after the kill {kept} of {len(before)} were kept and {after} compiled")
