"""Programs on indices: sorting, searching, joins, histograms, graphs, scatter and gather, windows, bits."""
import jax
import jax.numpy as jnp
import numpy as np

from .draw import BF16, Program

TYPES = (np.float32, np.int32, np.uint8, np.int8, np.float16, np.uint32, np.int16, BF16)


def numbers(draw, dtype, *shape):
    if np.dtype(dtype).kind in "iu":
        low = 0 if np.dtype(dtype).kind == "u" else -50
        return draw.integers(low, 50, *shape, dtype=dtype)
    return draw.normal(*shape, scale=3, dtype=dtype)


def sorting(draw):
    how = draw.name("sort", "argsort", "lexsort", "descending", "pairs", "top_k", "partial", "median", "unique", "rank")
    dtype = draw.pick(*TYPES)
    n = draw.pick(5, 16, 17, 40)
    x = numbers(draw, dtype, 3, n)

    def function(x):
        if how == "sort":
            return jnp.sort(x, axis=draw_axis)
        if how == "argsort":
            return jnp.argsort(x, axis=draw_axis, stable=True)
        if how == "lexsort":
            return jnp.lexsort((x[0], x[1]))
        if how == "descending":
            return jnp.sort(x, axis=-1, descending=True)
        if how == "pairs":
            return jax.lax.sort((x[0], x[1], jnp.arange(n)), num_keys=2)
        if how == "top_k":
            return jax.lax.top_k(x, 3)
        if how == "partial":
            return jnp.partition(x, 2, axis=-1)[..., 2]
        if how == "median":
            return jnp.median(x.astype(jnp.float32), -1), jnp.percentile(x.astype(jnp.float32), 30, axis=-1)
        if how == "unique":
            return jnp.unique(x[0], size=n, fill_value=0, return_counts=True)
        return jnp.argsort(jnp.argsort(x, axis=-1), axis=-1)
    draw_axis = draw.pick(0, 1)
    return Program(function, [x])


def searching(draw):
    method = draw.name("scan", "sort", "compare_all")
    table, values = np.sort(draw.normal(draw.pick(9, 20))), draw.normal(7)

    def function(table, values):
        at = jnp.searchsorted(table, values, method=method)
        return at, jnp.interp(values, table, jnp.cumsum(table)), jnp.digitize(values, table[::2])
    return Program(function, [table, values])


def histograms(draw):
    n = draw.pick(12, 30)

    def function(x, w):
        return (jnp.histogram(x, bins=5, range=(-2.0, 2.0), weights=w)[0],
                jnp.bincount((x * 2).astype(jnp.int32) + 8, w, length=16), jnp.cumsum(w), jax.lax.cummax(x), jnp.cumprod(w[:6]), jax.lax.cumlogsumexp(x, reverse=True))
    return Program(function, [np.clip(draw.normal(n), -3, 3), draw.uniform(n)])


def graph(draw):
    """Messages along edges, summed at the nodes, with attention over neighbours or pooling."""
    nodes, edges, width = draw.pick(5, 8), draw.pick(9, 16), 4
    how = draw.name("sum", "attention", "max", "mean", "spread")

    def function(x, w, source, target):
        h = x @ w
        if how == "attention":
            s = jnp.sum(h[source] * h[target], -1)
            s = jnp.exp(s - jax.ops.segment_max(s, target, nodes)[target])
            s = s / jax.ops.segment_sum(s, target, nodes)[target]
            return jax.ops.segment_sum(h[source] * s[:, None], target, nodes)
        if how == "max":
            most = jax.ops.segment_max(h[source], target, nodes)
            return jnp.where(jnp.isfinite(most), most, 0)
        if how == "mean":
            count = jnp.zeros(nodes).at[target].add(1)
            return jnp.zeros((nodes, width)).at[target].add(h[source]) / jnp.maximum(count, 1)[:, None]
        if how == "spread":
            adjacency = jnp.zeros((nodes, nodes)).at[target, source].max(1.0)
            return jax.lax.fori_loop(0, 3, lambda _, h: jnp.tanh(adjacency @ h), h)
        return jax.grad(lambda x: jnp.sum(jnp.square(jax.ops.segment_sum((x @ w)[source], target, nodes))))(x)
    return Program(function, [draw.normal(nodes, width), draw.weight(width, width), draw.integers(0, nodes, edges),
                              draw.integers(0, nodes, edges)])


def scattering(draw):
    how = draw.name("add", "set", "max", "min", "multiply", "window", "rows", "grad")
    dtype = draw.pick(*TYPES)
    mode = draw.pick("clip", "drop", "promise_in_bounds")
    high = 5 if mode == "promise_in_bounds" else 8

    def function(x, i, u):
        at = x.at[i[:, 0], i[:, 1]]
        if how == "add":
            return at.add(u, mode=mode)
        if how == "set":
            return x.at[jnp.arange(4), i[:, 1]].set(u, mode=mode)
        if how == "max":
            return at.max(u, mode=mode)
        if how == "min":
            return at.min(u, mode=mode)
        if how == "multiply":
            return at.mul(u, mode=mode)
        if how == "window":
            return jax.lax.dynamic_update_slice(x, u[None, :3], (i[0, 0], i[0, 1]))
        if how == "rows":
            return x.at[i[:, 0]].add(u[:, None], mode=mode), x[i[:, 0]], jnp.take(x, i[:, 1], axis=1, mode="wrap")
        return jax.grad(lambda x: jnp.sum(x[i[:, 0], i[:, 1]] ** 2))(x.astype(jnp.float32))
    return Program(function, [numbers(draw, dtype, 6, 5), draw.integers(0, high, 4, 2), numbers(draw, dtype, 4)],
                   donate=(0,) if draw.chance(0.4) and how not in ("rows", "grad") else ())


def windows(draw):
    reducer = draw.name("max", "min", "sum", "scan", "product")
    dtype = draw.pick(np.float32, np.int32, np.float32)

    def function(x):
        window, stride, dilation = (2, 3), (1, 2), (2, 1)
        if reducer == "max":
            return jax.lax.reduce_window(x, np.array(-2**30, dtype), jax.lax.max, window, stride, "SAME")
        if reducer == "min":
            return jax.lax.reduce_window(x, np.array(2**30, dtype), jax.lax.min, window, stride, "VALID",
                                         window_dilation=dilation)
        if reducer == "product":
            return jax.lax.reduce_window(x, np.array(1, dtype), jax.lax.mul, (2, 2), (1, 1), "VALID", base_dilation=(1, 2))
        if reducer == "sum":
            return jax.grad(lambda x: jnp.sum(jax.lax.reduce_window(x * x, np.float32(0), jax.lax.add, window, stride,
                                                                     "SAME") ** 2))(x.astype(jnp.float32))
        return jax.lax.associative_scan(jnp.maximum, x, axis=1, reverse=True)
    return Program(function, [numbers(draw, dtype, 6, 7)])


def bits(draw):
    dtype = draw.pick(np.uint32, np.int32, np.uint8, np.int16, np.uint16)

    def function(x, y):
        width = np.dtype(dtype).itemsize * 8
        h = x ^ (x << dtype(3)) ^ jax.lax.shift_right_logical(y, dtype(2))
        packed = jnp.packbits((x > y).reshape(-1))
        return (h, jax.lax.population_count(x), jax.lax.clz(y), (x * y) % dtype(7 if width > 8 else 5), x // (y | dtype(1)),
                ~x & y, packed, jnp.unpackbits(packed), jax.lax.bitcast_convert_type(x, np.dtype(f"u{width // 8}")))
    top = 2 ** (np.dtype(dtype).itemsize * 8 - 1) - 1
    return Program(function, [draw.integers(0, top, 3, 8, dtype=dtype), draw.integers(0, top, 3, 8, dtype=dtype)])


def random_numbers(draw):
    names = ("normal", "uniform", "randint", "permutation", "categorical", "gamma", "poisson", "truncated", "choice", "beta",
             "dirichlet", "laplace", "bits", "exponential", "orthogonal")
    chosen = [draw.name(*names) for _ in range(2)]

    def function(key, logits):
        key = jax.random.wrap_key_data(key)
        r = jax.random
        calls = {"normal": lambda k: r.normal(k, (3, 5)), "uniform": lambda k: r.uniform(k, (7,), minval=-1),
                 "randint": lambda k: r.randint(k, (9,), 0, 17), "permutation": lambda k: r.permutation(k, 11),
                 "categorical": lambda k: r.categorical(k, logits, shape=(6,)), "gamma": lambda k: r.gamma(k, 1.5, (4,)),
                 "poisson": lambda k: r.poisson(k, 2.0, (4,)), "truncated": lambda k: r.truncated_normal(k, -1, 2, (5,)),
                 "choice": lambda k: r.choice(k, 10, (4,), replace=False), "beta": lambda k: r.beta(k, 2.0, 3.0, (3,)),
                 "dirichlet": lambda k: r.dirichlet(k, jnp.ones(3)), "laplace": lambda k: r.laplace(k, (5,)),
                 "bits": lambda k: r.bits(k, (6,), "uint16"), "exponential": lambda k: r.exponential(k, (5,)),
                 "orthogonal": lambda k: jnp.abs(r.orthogonal(k, 3))}
        return [calls[name](each) for name, each in zip(chosen, r.split(key, len(chosen)))]
    return Program(function, [draw.key(), draw.normal(5)])


def shapes(draw):
    """Movements of elements in a random sequence."""
    steps = [draw.name("transpose", "reverse", "pad", "slice", "tile", "roll", "diagonal", "triangle", "stack", "split",
                       "rot90", "repeat", "negative_pad", "one_hot") for _ in range(4)]
    dtype = draw.pick(*TYPES, np.bool_)

    def function(x):
        for how in steps:
            if x.size > 400:
                x = x[:, ::3]
            if how == "transpose":
                x = x.T
            elif how == "reverse":
                x = x[::-1]
            elif how == "pad":
                x = jnp.pad(x, ((1, 0), (0, 2)), mode="edge")
            elif how == "negative_pad":
                x = jax.lax.pad(x, np.array(1, dtype), ((-1, 2, 0), (1, -1, 1)))
            elif how == "slice":
                x = x[:, ::2]
            elif how == "tile":
                x = jnp.tile(x, (1, 2))
            elif how == "roll":
                x = jnp.roll(x, 3, axis=1)
            elif how == "diagonal":
                x = jnp.diagonal(x)[:, None] & x[:1] if dtype == np.bool_ else jnp.diagonal(x)[:, None] + x[:1]
            elif how == "triangle":
                x = jnp.tril(x)
            elif how == "stack":
                x = jnp.stack([x, x[:, ::-1]], 1).reshape(x.shape[0], -1)
            elif how == "split":
                x = jnp.concatenate(jnp.array_split(x, 2, axis=1)[::-1], axis=1)
            elif how == "rot90":
                x = jnp.rot90(x)
            elif how == "repeat":
                x = jnp.repeat(x, 2, axis=0)
            else:
                x = jnp.concatenate([x, x[:1]], 0)
        return x
    x = draw.integers(0, 2, 4, 6).astype(bool) if dtype == np.bool_ else numbers(draw, dtype, 4, 6)
    return Program(function, [x])


FAMILIES = (sorting, sorting, searching, histograms, graph, scattering, scattering, windows, bits, random_numbers,
            random_numbers, shapes)
