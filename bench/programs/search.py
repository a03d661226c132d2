"""Sorting, selecting and searching: token sampling, order statistics, beam search, nearest neighbours."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


@program("token sampling, top-50 and top-p, 8x32000")
def tokens(draw):
    def step(logits, key):
        top, index = lax.top_k(logits / 0.8, 50)
        weights = jax.nn.softmax(top)
        top = jnp.where(jnp.cumsum(weights, -1) - weights < 0.9, top, -jnp.inf)
        chosen = jax.random.categorical(jax.random.wrap_key_data(key), top)
        return jnp.take_along_axis(index, chosen[:, None], 1)
    return step, (draw.normal(8, 32000, scale=3.0), draw.key())


@program("argsort of rows 1024x512")
def rows(draw):
    return lambda x: jnp.argsort(x, axis=-1), (draw.normal(1024, 512),)


@program("unique integers of 200000, by sorting")
def unique(draw):
    return lambda x: jnp.unique(x, return_counts=True, size=5000, fill_value=-1), (draw.integers(200000, high=4000),)


@program("searchsorted 200000 in 65536")
def sorted_search(draw):
    edges = draw.normal(65536)
    edges.sort()
    return jnp.searchsorted, (edges, draw.normal(200000))


@program("medians and quantiles 256x4096")
def quantiles(draw):
    return lambda x: (jnp.median(x, -1), jnp.quantile(x, jnp.array([0.05, 0.95]), axis=-1)), (draw.normal(256, 4096),)


@program("beam search, 20 steps, 4 beams of 2000")
def beams(draw):
    def step(table, bias):
        def one(i, state):
            total, last, history = state
            scores = total[:, None] + jax.nn.log_softmax(table[last] + bias)
            best, flat = lax.top_k(scores.reshape(-1), 4)
            parent, token = flat // 2000, flat % 2000
            return best, token, history[parent].at[:, i].set(token)
        start = (jnp.array([0.0, -1e9, -1e9, -1e9]), jnp.zeros(4, jnp.int32), jnp.zeros((4, 20), jnp.int32))
        return lax.fori_loop(0, 20, one, start)
    return step, (draw.normal(2000, 2000), draw.normal(2000))


@program("boxes suppressed, 512 boxes")
def boxes(draw):
    def step(corner, size, scores):
        order = jnp.argsort(-scores)
        low, high = corner[order], (corner + size)[order]
        area = (size[:, 0] * size[:, 1])[order]
        sides = jnp.maximum(jnp.minimum(high[:, None], high) - jnp.maximum(low[:, None], low), 0)
        shared = sides[..., 0] * sides[..., 1]
        overlaps = shared / (area[:, None] + area - shared) > 0.5

        def one(i, keep):
            return jnp.where(keep[i] & overlaps[i] & (jnp.arange(512) > i), False, keep)
        return order, lax.fori_loop(0, 512, one, jnp.ones(512, bool))
    return step, (draw.uniform(512, 2), draw.uniform(512, 2, low=0.1, high=0.3), draw.uniform(512))


@program("nearest neighbours, 10 of 8192x64 for 256")
def neighbours(draw):
    def step(points, queries):
        distance = (points ** 2).sum(-1) - 2 * queries @ points.T
        return lax.top_k(-distance, 10)
    return step, (draw.normal(8192, 64), draw.normal(256, 64))


@program("sort by two keys with payload 100000")
def two_keys(draw):
    return lambda a, b, c: lax.sort((a, b, c), num_keys=2), (draw.integers(100000, high=100), draw.normal(100000), draw.normal(100000))
