"""Transformers: training, prefill and decoding steps, and forms of attention by themselves."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import BF16, program


def rms_norm(x, gain):
    wide = x.astype(jnp.float32)
    return (wide * lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-6)).astype(x.dtype) * gain


def rotate(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None, None] * 10000.0 ** (-jnp.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    c, s = jnp.cos(angles).astype(x.dtype), jnp.sin(angles).astype(x.dtype)
    return jnp.concatenate([a * c - b * s, b * c + a * s], -1)


def attend(q, k, v, mask):
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k).astype(jnp.float32) * q.shape[-1] ** -0.5
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(mask, scores, -1e30)).astype(q.dtype), v)


def block_weights(draw, d, heads, dtype="float32"):
    return {"qkv": draw.weight(d, 3 * d, dtype=dtype).reshape(d, 3, heads, d // heads), "o": draw.weight(d, d, dtype=dtype),
            "up": draw.weight(d, 4 * d, dtype=dtype), "down": draw.weight(4 * d, d, dtype=dtype),
            "n1": draw.uniform(d, low=0.5, dtype=dtype), "n2": draw.uniform(d, low=0.5, dtype=dtype)}


def block(w, x, mask):
    batch, length, d = x.shape
    q, k, v = jnp.moveaxis(jnp.einsum("bld,dthe->blthe", rms_norm(x, w["n1"]), w["qkv"]), 2, 0)
    positions = jnp.arange(length, dtype=jnp.float32)
    x = x + attend(rotate(q, positions), rotate(k, positions), v, mask).reshape(batch, length, d) @ w["o"]
    return x + jax.nn.gelu(rms_norm(x, w["n2"]) @ w["up"]) @ w["down"]


@program("gpt train 4x128, 2 layers of 256")
def gpt_train(draw):
    weights = {"table": draw.normal(1000, 256, scale=0.05), "blocks": [block_weights(draw, 256, 4) for _ in range(2)]}

    def loss(weights, tokens):
        x = weights["table"][tokens[:, :-1]]
        mask = jnp.tril(jnp.ones((x.shape[1],) * 2, bool))
        for w in weights["blocks"]:
            x = block(w, x, mask)
        scores = jax.nn.log_softmax(x @ weights["table"].T)
        return -jnp.mean(jnp.take_along_axis(scores, tokens[:, 1:, None], -1))

    def step(weights, tokens):
        value, gradient = jax.value_and_grad(loss)(weights, tokens)
        return value, jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradient)
    return step, (weights, draw.integers(4, 129, high=1000))


@program("prefill 1x256, 2 layers of 512, bf16")
def prefill(draw):
    def step(blocks, x):
        mask = jnp.tril(jnp.ones((x.shape[1],) * 2, bool))
        for w in blocks:
            x = block(w, x, mask)
        return x[:, -1]
    return step, ([block_weights(draw, 512, 8, BF16) for _ in range(2)], draw.normal(1, 256, 512, dtype=BF16))


@program("decode 8 rows, cache of 512, f32")
def decode(draw):
    d, heads = 512, 8
    w = block_weights(draw, d, heads)
    cache = draw.normal(2, 8, 512, heads, d // heads)

    def step(w, x, cache, position):
        q, k, v = jnp.moveaxis(jnp.einsum("bld,dthe->blthe", rms_norm(x, w["n1"]), w["qkv"]), 2, 0)
        at = position.astype(jnp.float32)[None]
        cache = lax.dynamic_update_slice(cache, jnp.stack([rotate(k, at), v]), (0, 0, position, 0, 0))
        mask = jnp.arange(cache.shape[2]) <= position
        x = x + attend(rotate(q, at), cache[0], cache[1], mask).reshape(x.shape) @ w["o"]
        return x + jax.nn.gelu(rms_norm(x, w["n2"]) @ w["up"]) @ w["down"], cache
    return step, (w, draw.normal(8, 1, d), cache, draw.integers(high=500))


@program("blockwise attention 8x1024x64")
def blockwise(draw):
    def step(q, k, v):
        def one(state, kv):
            best, total, out = state
            scores = jnp.einsum("hqd,hkd->hqk", q, kv[0]) * 0.125
            top = jnp.maximum(best, scores.max(-1))
            weight, old = jnp.exp(scores - top[..., None]), jnp.exp(best - top)
            return (top, total * old + weight.sum(-1), out * old[..., None] + jnp.einsum("hqk,hkd->hqd", weight, kv[1])), None
        pieces = [jnp.moveaxis(each.reshape(8, 8, 128, 64), 1, 0) for each in (k, v)]
        start = (jnp.full(q.shape[:2], -jnp.inf), jnp.zeros(q.shape[:2]), jnp.zeros_like(q))
        (_, total, out), _ = lax.scan(one, start, tuple(pieces))
        return out / total[..., None]
    return step, tuple(draw.normal(8, 1024, 64) for _ in range(3))


@program("window attention 2x1024, grouped queries")
def window(draw):
    def step(q, k, v):
        k, v = (jnp.repeat(each, 4, axis=2) for each in (k, v))
        rows, columns = jnp.arange(1024)[:, None], jnp.arange(1024)[None]
        return attend(q, k, v, (columns <= rows) & (columns > rows - 128))
    return step, (draw.normal(2, 1024, 8, 32), draw.normal(2, 1024, 2, 32), draw.normal(2, 1024, 2, 32))


@program("cross attention 4x16 to 4x64, tiny")
def cross(draw):
    def step(x, y, wq, wk, wv):
        return attend(jnp.einsum("bld,dhe->blhe", x, wq), jnp.einsum("bld,dhe->blhe", y, wk),
                      jnp.einsum("bld,dhe->blhe", y, wv), True)
    return step, (draw.normal(4, 16, 32), draw.normal(4, 64, 32), *(draw.normal(32, 2, 16, scale=0.2) for _ in range(3)))


@program("vit train 8x65x192, bf16 with f32 weights")
def vit(draw):
    weights = {"patch": draw.weight(192, 192), "blocks": [block_weights(draw, 192, 3) for _ in range(2)], "head": draw.weight(192, 10)}

    def loss(weights, images, labels):
        weights = jax.tree.map(lambda w: w.astype(jnp.bfloat16), weights)
        x = images.reshape(8, 8, 8, 8, 8, 3).transpose(0, 1, 3, 2, 4, 5).reshape(8, 64, 192).astype(jnp.bfloat16) @ weights["patch"]
        for w in weights["blocks"]:
            x = jax.checkpoint(block)(w, x, True)
        scores = jax.nn.log_softmax((x.mean(1) @ weights["head"]).astype(jnp.float32))
        return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], 1))

    def step(weights, images, labels):
        value, gradient = jax.value_and_grad(loss)(weights, images, labels)
        return value, jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradient)
    return step, (weights, draw.normal(8, 64, 64, 3), draw.integers(8, high=10))
