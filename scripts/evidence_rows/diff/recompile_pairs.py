"""Compiles pairs of functions that differ in one known way, with whatever JAX the interpreter has. This is not a row: rows
and the guides' dumps run it as a program, with the folder to dump into and, optionally, names of programs and causes."""
import os
import sys

folder = sys.argv[1]
wanted_programs = sys.argv[2].split(",") if len(sys.argv) > 2 else None
wanted_causes = sys.argv[3].split(",") if len(sys.argv) > 3 else None
os.environ["XLA_FLAGS"] = (f"--xla_dump_to={folder} --xla_dump_hlo_as_text --xla_dump_hlo_module_re=.*pair_.* "
                           "--xla_force_host_platform_device_count=4")
os.environ["JAX_PLATFORMS"] = "cpu"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec  # noqa: E402

# Names of files without their folders, the same on every machine.
jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
MESH = Mesh(np.array(jax.devices()[:4]), ("x",))


def mlp(x, w, scale, extra):
    y = jnp.maximum(x @ w, 0.0) * scale
    return jnp.tanh(y) if extra else y


def attention(x, w, scale, extra):
    p = jax.nn.softmax(x @ w @ x.T * scale)
    y = p @ x
    return y + 1 if extra else y


def loop(x, w, scale, extra):
    def body(carry, _):
        carry = carry @ w * scale
        return (jnp.sin(carry) if extra else carry), carry.sum()
    return jax.lax.scan(body, x, None, length=3)


def gradient(x, w, scale, extra):
    def loss(v):
        y = x @ v
        y = jnp.cos(y) if extra else y
        return (y * y).mean() * scale
    return jax.value_and_grad(loss)(w)


PROGRAMS = {"mlp": mlp, "attention": attention, "loop": loop, "gradient": gradient}


def layouts(order):
    """The shardings of two arrays, the first stored in this order, in the words of this version of JAX."""
    from jax.experimental import layout
    sharding = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    if hasattr(layout, "DeviceLocalLayout"):
        inner, outer = layout.DeviceLocalLayout, layout.Layout
    else:
        inner, outer = layout.Layout, layout.Format
    return outer(inner(major_to_minor=order), sharding), sharding


def compile_one(name, program, rows=16, dtype=jnp.float32, scale=0.5, extra=False, spec=None, order=None, donates=False,
                precision="default", flags=None, scope="step"):
    def pair(x, w):
        with jax.named_scope(scope):
            return PROGRAMS[program](x, w, scale, extra)
    pair.__name__ = f"pair_{name}"
    more = {}
    if spec is not None:
        more["in_shardings"] = (NamedSharding(MESH, spec), NamedSharding(MESH, PartitionSpec()))
    if order is not None:
        more["in_shardings"] = layouts(order)
    if donates:
        more["donate_argnums"] = (1,) if program == "gradient" else (0,)  # one that a result can take the memory of
    arrays = jnp.zeros((rows, 32), dtype), jnp.zeros((32, 32), dtype)
    with jax.default_matmul_precision(precision):
        lowered = jax.jit(pair, **more).lower(*arrays)
    lowered.compile(flags)


CAUSES = {
    "shape": ({}, {"rows": 24}),
    "dtype": ({}, {"dtype": jnp.bfloat16}),
    "constant": ({}, {"scale": 0.25}),
    "code": ({}, {"extra": True}),
    "sharding": ({"spec": PartitionSpec("x")}, {"spec": PartitionSpec(None, "x")}),
    "layout": ({"order": (0, 1)}, {"order": (1, 0)}),
    "donation": ({}, {"donates": True}),
    "option": ({}, {"precision": "highest"}),
    "flag": ({}, {"flags": {"xla_cpu_enable_fast_math": True}}),
    "metadata": ({}, {"scope": "another"}),
}


def main():
    for program in wanted_programs or PROGRAMS:
        for cause in wanted_causes or CAUSES:
            for change in CAUSES[cause]:
                compile_one(f"{program}_{cause}", program, **change)
    print(jax.__version__)


if __name__ == "__main__":
    main()
