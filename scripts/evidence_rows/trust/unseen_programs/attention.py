"""Attention in the forms that models use. Each kind is a function of queries, keys and values [batch, time, heads, size],
or a separate block where it needs other parameters."""
import jax
import jax.numpy as jnp
import numpy as np


def scores(q, k):
    return jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(jnp.float32) * q.shape[-1] ** -0.5


def mixed(weights, v):
    return jnp.einsum("bhqk,bkhd->bqhd", weights.astype(v.dtype), v)


def causal(q, k):
    return jnp.tril(jnp.ones((q.shape[1], k.shape[1]), bool))


def full(q, k, v):
    return mixed(jax.nn.softmax(scores(q, k), axis=-1), v)


def causal_softmax(q, k, v):
    return mixed(jax.nn.softmax(jnp.where(causal(q, k), scores(q, k), -jnp.inf), axis=-1), v)


def sliding_window(q, k, v):
    distance = jnp.arange(q.shape[1])[:, None] - jnp.arange(k.shape[1])[None, :]
    return mixed(jax.nn.softmax(jnp.where((distance >= 0) & (distance < 3), scores(q, k), -1e30), axis=-1), v)


def slopes(q, k, v):
    distance = jnp.arange(k.shape[1])[None, :] - jnp.arange(q.shape[1])[:, None]
    slope = 2.0 ** -jnp.arange(1, q.shape[2] + 1)
    biased = scores(q, k) + slope[None, :, None, None] * distance
    return mixed(jax.nn.softmax(jnp.where(causal(q, k), biased, -1e9), axis=-1), v)


def soft_cap(q, k, v):
    return mixed(jax.nn.softmax(jnp.where(causal(q, k), 5 * jnp.tanh(scores(q, k) / 5), -1e9), axis=-1), v)


def sink(q, k, v):
    s = jnp.where(causal(q, k), scores(q, k), -1e9)
    top = jnp.maximum(s.max(-1, keepdims=True), 0)
    e = jnp.exp(s - top)
    return mixed(e / (e.sum(-1, keepdims=True) + jnp.exp(-top)), v)


def linear(q, k, v):
    q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
    state = jnp.einsum("bkhd,bkhe->bhde", k, v)
    weight = jnp.einsum("bqhd,bhd->bqh", q, k.sum(1))
    return jnp.einsum("bqhd,bhde->bqhe", q, state) / (weight[..., None] + np.array(1e-3, q.dtype))


def causal_linear(q, k, v):
    """Linear attention as a scan over time, with a decaying state."""
    def step(state, now):
        q, k, v = now
        state = state * np.array(0.9, state.dtype) + jnp.einsum("bhd,bhe->bhde", k, v)
        return state, jnp.einsum("bhd,bhde->bhe", q, state)
    start = jnp.zeros((q.shape[0], q.shape[2], q.shape[3], v.shape[3]), q.dtype)
    _, out = jax.lax.scan(step, start, jax.tree.map(lambda x: jnp.moveaxis(x, 1, 0), (q, k, v)))
    return jnp.moveaxis(out, 0, 1)


def blockwise(q, k, v):
    """Blocks of keys in a scan, with a running maximum and sum."""
    size = 2 if k.shape[1] % 2 == 0 else 1
    blocks = jax.tree.map(lambda x: jnp.moveaxis(x.reshape(x.shape[0], -1, size, *x.shape[2:]), 1, 0), (k, v))

    def step(carry, block):
        top, total, out = carry
        s = scores(q, block[0])
        new = jnp.maximum(top, s.max(-1))
        e = jnp.exp(s - new[..., None])
        old = jnp.exp(top - new)
        out = out * jnp.moveaxis(old, 1, 2)[..., None] + jnp.einsum("bhqk,bkhd->bqhd", e, block[1].astype(jnp.float32))
        return (new, total * old + e.sum(-1), out), None
    shape = (q.shape[0], q.shape[2], q.shape[1])
    start = jnp.full(shape, -1e30), jnp.zeros(shape), jnp.zeros(q.shape[:3] + (v.shape[3],))
    (_, total, out), _ = jax.lax.scan(step, start, blocks)
    return (out / jnp.moveaxis(total, 1, 2)[..., None]).astype(v.dtype)


def sparse(q, k, v):
    """Each query keeps its two best keys."""
    best, where = jax.lax.top_k(scores(q, k), 2)
    weights = jax.nn.softmax(best, axis=-1)
    taken = jax.vmap(lambda v, i: v[i], (0, 0))(jnp.moveaxis(v, 2, 1).reshape(-1, v.shape[1], v.shape[3]),
                                                where.reshape(-1, *where.shape[2:]))
    taken = taken.reshape(*where.shape, v.shape[3])
    return jnp.einsum("bhqk,bhqkd->bqhd", weights.astype(v.dtype), taken)


KINDS = (full, causal_softmax, sliding_window, slopes, soft_cap, sink, linear, causal_linear, blockwise, sparse)


def rotary(x):
    half = x.shape[-1] // 2
    angle = jnp.arange(x.shape[1])[:, None, None] * 100.0 ** -(jnp.arange(half) / half)
    cos, sin = jnp.cos(angle).astype(x.dtype), jnp.sin(angle).astype(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return jnp.concatenate([a * cos - b * sin, a * sin + b * cos], axis=-1)


def interleaved(x):
    """Rotary positions by multiplying pairs as complex numbers."""
    pairs = x.astype(jnp.float32).reshape(*x.shape[:-1], -1, 2)
    turn = jnp.exp(1j * jnp.arange(x.shape[1])[:, None, None] / (1.0 + jnp.arange(pairs.shape[-2])))
    turned = jax.lax.complex(pairs[..., 0], pairs[..., 1]) * turn
    return jnp.stack([turned.real, turned.imag], axis=-1).reshape(x.shape).astype(x.dtype)


def unturned(x):
    return x


def heads(draw, width):
    """Multi-head, grouped-query or multi-query attention."""
    count = draw.pick(2, 4)
    groups = draw.pick(1, 2, count)
    size = width // count
    kind, turn = draw.name(*KINDS), draw.name(rotary, interleaved, unturned)
    p = {"q": draw.weight(width, count, size), "k": draw.weight(width, groups, size),
         "v": draw.weight(width, groups, size), "o": draw.weight(count * size, width)}

    def apply(p, x):
        q, k, v = (jnp.einsum("btd,dhs->bths", x, p[name]) for name in "qkv")
        q, k = turn(q), turn(k)
        k, v = (jnp.repeat(each, count // groups, axis=2) for each in (k, v))
        return kind(q, k, v).reshape(*x.shape[:-1], -1) @ p["o"]
    return p, apply


def latent(draw, width):
    """A few learned queries gather, and the sequence reads from them."""
    p = {"z": draw.normal(3, width), "k": draw.weight(width, width), "v": draw.weight(width, width)}

    def apply(p, x):
        z = jnp.broadcast_to(p["z"], (x.shape[0], *p["z"].shape))[:, :, None, :]
        gathered = full(z, (x @ p["k"])[:, :, None, :], (x @ p["v"])[:, :, None, :])
        return full(x[:, :, None, :], gathered, gathered)[:, :, 0, :]
    return p, apply


def differential(draw, width):
    p = {"a": draw.weight(width, 2, width // 2), "b": draw.weight(width, 2, width // 2), "v": draw.weight(width, width),
         "l": draw.normal(1, scale=0.3)}

    def apply(p, x):
        q, k = (jnp.einsum("btd,dhs->bths", x, p[name]) for name in "ab")
        w = jax.nn.softmax(jnp.where(causal(q, k), scores(q, k), -1e9), axis=-1)
        return jnp.einsum("bqk,bkd->bqd", (w[:, 0] - jax.nn.sigmoid(p["l"]).astype(w.dtype) * w[:, 1]).astype(x.dtype),
                          x @ p["v"])
    return p, apply


def library(draw, width):
    """The attention of jax.nn."""
    p = {"w": draw.weight(width, 3, 2, width // 2)}
    how = {"is_causal": draw.chance(0.5), "implementation": "xla"}

    def apply(p, x):
        q, k, v = jnp.moveaxis(jnp.einsum("btd,dnhs->btnhs", x, p["w"]), 2, 0)
        wide = jnp.float32 if x.dtype == jnp.float16 else x.dtype  # XLA's CPU has no such product of f16
        out = jax.nn.dot_product_attention(q.astype(wide), k.astype(wide), v.astype(wide), **how)
        return out.reshape(x.shape).astype(x.dtype)
    return p, apply


def attention(draw, width):
    return draw.name(heads, heads, heads, latent, differential, library)(draw, width)
