"""Programs in narrow types: int8 and int4 weights, fp8 products, block scales, lookup tables, binary networks, and
quantization that training sees through."""
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from . import training
from .draw import BF16, Program


def int8_linear(draw):
    m, k, n = draw.pick(3, 8), draw.pick(8, 16), draw.pick(5, 8)
    dynamic = draw.name("dynamic", "static")

    def function(x, w, s):
        scale = jnp.max(jnp.abs(x), -1, keepdims=True) / 127 if dynamic == "dynamic" else 0.05
        q = jnp.clip(jnp.round(x / scale), -127, 127).astype(jnp.int8)
        y = jax.lax.dot_general(q, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
        return y.astype(jnp.float32) * s * scale
    return Program(function, [draw.normal(m, k), draw.integers(-127, 128, k, n, dtype=np.int8), draw.uniform(n)])


def int4_weights(draw):
    k, n, group = 8, draw.pick(4, 6), 4
    packed = draw.name("packed", "native")

    def function(x, w, s):
        if packed == "packed":
            low, high = (w & 15).astype(jnp.int8) - 8, (w >> 4).astype(jnp.int8) - 8
            w = jnp.stack([low, high], 1).reshape(k, n)
        else:
            w = w.astype(jnp.int8)
        wide = w.astype(x.dtype).reshape(k // group, group, n) * s[:, None].astype(x.dtype)
        return x @ wide.reshape(k, n)
    w = (draw.integers(0, 256, k // 2, n, dtype=np.uint8) if packed == "packed"
         else draw.integers(-8, 8, k, n).astype(ml_dtypes.int4))
    return Program(function, [draw.normal(3, k, dtype=draw.pick(np.float32, BF16)), w, draw.uniform(k // group, n)])


def fp8_product(draw):
    names = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz", "float8_e5m2fnuz")
    name = draw.name(*names[:2], *names)
    dtype = getattr(ml_dtypes, name)
    out = draw.pick(jnp.float32, jnp.bfloat16)

    def function(x, w):
        top = float(ml_dtypes.finfo(dtype).max)
        scale = jnp.max(jnp.abs(x)) / top
        q = (x / scale).astype(dtype)
        y = jax.lax.dot_general(q.astype(jnp.bfloat16), w.astype(jnp.bfloat16), (((1,), (0,)), ((), ())),
                                preferred_element_type=jnp.float32)
        return (y * scale).astype(out), q
    return Program(function, [draw.normal(4, 8), draw.normal(8, 6).astype(dtype)])


def block_scaled(draw):
    """Blocks that share a power of two."""
    def function(x):
        blocks = x.reshape(-1, 4)
        top = jnp.max(jnp.abs(blocks), -1, keepdims=True)
        scale = jnp.exp2(jnp.floor(jnp.log2(jnp.maximum(top, 1e-20))) - 2)
        q = jnp.clip(jnp.round(blocks / scale * 4) / 4, -7, 7)
        return (q * scale).reshape(x.shape), jax.lax.reduce_precision(x, draw_bits[0], draw_bits[1])
    draw_bits = draw.pick((5, 2), (4, 3), (8, 7), (5, 10), (3, 2))
    return Program(function, [draw.normal(4, 8, scale=3)])


def lookup(draw):
    """Sixteen levels found in a table."""
    levels = np.sort(draw.normal(16))

    def function(x, codes, s):
        w = jnp.asarray(levels)[codes.astype(jnp.int32)] * s[:, None]
        nearest = jnp.argmin(jnp.abs(x[..., None] - jnp.asarray(levels)), -1).astype(jnp.uint8)
        return x @ w, nearest
    return Program(function, [draw.normal(3, 8), draw.integers(0, 16, 8, 5, dtype=np.uint8), draw.uniform(8)])


def fake_quantized(draw):
    """Training through rounding, whose gradient is the identity."""
    bits = draw.pick(2, 4, 8)

    @jax.custom_vjp
    def rounded(x):
        return jnp.round(x * 2 ** (bits - 1)) / 2 ** (bits - 1)
    rounded.defvjp(lambda x: (rounded(x), None), lambda _, g: (g,))
    p = {"a": draw.weight(6, 8), "b": draw.weight(8, 4)}

    def objective(p, x, y):
        return training.cross_entropy(jnp.tanh(x @ rounded(p["a"])) @ rounded(p["b"]), y)
    step, first = training.step_of(draw, objective, p)
    return Program(step, [*first, draw.normal(4, 6), draw.integers(0, 4, 4)], donate=(0,))


def stochastic(draw):
    """Rounding to bf16 by random bits."""
    def function(key, x):
        noise = jax.random.bits(jax.random.wrap_key_data(key), x.shape, jnp.uint32) >> 16
        moved = jax.lax.bitcast_convert_type(x, jnp.uint32) + noise
        return jax.lax.bitcast_convert_type(moved & jnp.uint32(0xFFFF0000), jnp.float32).astype(jnp.bfloat16)
    return Program(function, [draw.key(), draw.normal(5, 7)])


def binary(draw):
    def function(a, b):
        same = ~(a[:, None, :] ^ b[None, :, :])
        return jnp.sum(jax.lax.population_count(same).astype(jnp.int32), -1) * 2 - 32 * a.shape[-1]
    return Program(function, [draw.integers(0, 2**31, 3, 4, dtype=np.uint32), draw.integers(0, 2**31, 5, 4, dtype=np.uint32)])


def conversions(draw):
    """A chain of conversions between types, where each keeps what it can."""
    types = ("float32", "bfloat16", "float16", "int8", "uint8", "int32", "int16", "float8_e5m2", "float8_e4m3fn",
             "uint16", "bool")
    chain = [draw.name(*types) for _ in range(3)]

    def function(x):
        seen = []
        for name in chain:
            x = x.astype(jnp.dtype(name)) if name == "bool" else jnp.clip(x.astype(jnp.float32), -100, 100).astype(name)
            if name.startswith(("uint", "bool")):
                seen.append(x)
            else:
                seen.append(x * x.dtype.type(1))
        return seen
    return Program(function, [draw.uniform(4, 6, low=0, high=90)])


FAMILIES = (int8_linear, int4_weights, fp8_product, block_scaled, lookup, fake_quantized, stochastic, binary, conversions)
