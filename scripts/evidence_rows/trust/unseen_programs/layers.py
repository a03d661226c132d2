"""Parts of networks that work position by position: activations, norms, dropout, feed-forward layers. A part is a pair
of its parameters, a dict of arrays, and a function of those and of an array [batch, time, width]."""
import jax
import jax.numpy as jnp
import numpy as np


@jax.custom_vjp
def clipped(x):
    return jnp.clip(x, -1.0, 1.0)


clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (jnp.where(jnp.abs(x) < 2, g, g * x.dtype.type(0.1)),))


@jax.custom_jvp
def soft_log(x):
    return jnp.sign(x) * jnp.log1p(jnp.abs(x))


soft_log.defjvp(lambda primals, tangents: (soft_log(primals[0]), tangents[0] / (1 + jnp.abs(primals[0]))))


def squared_relu(x):
    return jnp.square(jax.nn.relu(x))


def mish(x):
    return x * jnp.tanh(jax.nn.softplus(x))


def exact_gelu(x):
    return jax.nn.gelu(x, approximate=False)


def snake(x):
    return x + jnp.square(jnp.sin(x))


def activation(draw):
    return draw.name(jax.nn.gelu, exact_gelu, jax.nn.silu, jax.nn.relu, squared_relu, jax.nn.softplus, jnp.tanh, mish,
                     jax.nn.elu, jax.nn.selu, jax.nn.hard_swish, jax.nn.leaky_relu, clipped, soft_log, snake,
                     jax.nn.celu, jax.nn.log_sigmoid, jax.nn.relu6)


def layer_norm(p, x):
    wide = x.astype(jnp.float32)
    mean = wide.mean(-1, keepdims=True)
    scaled = (wide - mean) * jax.lax.rsqrt(wide.var(-1, keepdims=True) + 1e-5)
    return (scaled * p["g"] + p["b"]).astype(x.dtype)


def rms_norm(p, x):
    wide = x.astype(jnp.float32)
    return (wide * jax.lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6) * (1 + p["b"])).astype(x.dtype)


def group_norm(p, x):
    groups = x.reshape(*x.shape[:-1], 4, -1)
    mean, var = jnp.mean(groups, -1, keepdims=True), jnp.var(groups, -1, keepdims=True)
    return ((groups - mean) / jnp.sqrt(var + 1e-5)).reshape(x.shape) * p["g"].astype(x.dtype)


def batch_norm(p, x):
    axes = tuple(range(x.ndim - 1))
    mean, square = x.mean(axes), (x * x).mean(axes)
    return (x - mean) * jax.lax.rsqrt(square - mean * mean + 1e-3) * p["g"].astype(x.dtype) + p["b"].astype(x.dtype)


def unit_norm(p, x):
    return x / jnp.maximum(jnp.linalg.norm(x, axis=-1, keepdims=True), 1e-3).astype(x.dtype) * p["g"].astype(x.dtype)


def dynamic_tanh(p, x):
    return jnp.tanh(x * jnp.asarray(0.7, x.dtype)) * p["g"].astype(x.dtype) + p["b"].astype(x.dtype)


def norm(draw, width):
    apply = draw.name(layer_norm, rms_norm, group_norm, batch_norm, unit_norm, dynamic_tanh)
    return {"g": np.ones(width, np.float32), "b": draw.normal(width, scale=0.1)}, apply


def plain(draw, width):
    hidden, act = width * draw.pick(2, 4), activation(draw)
    p = {"in": draw.weight(width, hidden), "b": draw.normal(hidden, scale=0.1), "out": draw.weight(hidden, width)}
    return p, lambda p, x: act(x @ p["in"] + p["b"]) @ p["out"]


def gated(draw, width):
    hidden, act = width * 2, activation(draw)
    p = {"gate": draw.weight(width, hidden), "up": draw.weight(width, hidden), "down": draw.weight(hidden, width)}
    return p, lambda p, x: (act(x @ p["gate"]) * (x @ p["up"])) @ p["down"]


def low_rank(draw, width):
    rank = draw.pick(2, 4)
    p = {"base": draw.weight(width, width), "a": draw.weight(width, rank), "b": draw.normal(rank, width, scale=0.1)}

    def apply(p, x):
        return x @ jax.lax.stop_gradient(p["base"]) + (x @ p["a"]) @ p["b"] * np.array(2.0 / rank, x.dtype)
    return p, apply


def dropped(draw, width):
    p, inner = plain(draw, width)
    key, keep = draw.key(), draw.pick(0.5, 0.8)

    def apply(p, x):
        kept = jax.random.bernoulli(jax.random.wrap_key_data(jnp.asarray(key)), keep, x.shape)
        return jnp.where(kept, inner(p, x) / np.array(keep, x.dtype), 0)
    return p, apply


def bilinear(draw, width):
    p = {"a": draw.weight(width, 4), "b": draw.weight(width, 4), "t": draw.weight(4, 4, width)}
    return p, lambda p, x: jnp.einsum("...i,...j,ijk->...k", x @ p["a"], x @ p["b"], p["t"])


def maxout(draw, width):
    p = {"w": draw.weight(width, 3, width)}
    return p, lambda p, x: jnp.max(jnp.einsum("btd,dkw->btkw", x, p["w"]), axis=-2)


def feed_forward(draw, width):
    return draw.name(plain, gated, low_rank, dropped, bilinear, maxout)(draw, width)
