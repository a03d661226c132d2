"""Generation: cached decoding, beam search, sampling, speculative acceptance, and dynamic programs over sequences."""
import jax
import jax.numpy as jnp
import numpy as np

from .draw import Program


def cached(draw):
    """Steps of attention over a cache that is updated in place."""
    b, h, d, length, words = 2, 2, 4, draw.pick(6, 8), draw.pick(8, 12)
    p = {"e": draw.normal(words, h * d), "qkv": draw.weight(h * d, 3, h, d), "o": draw.weight(h * d, words)}
    cache = {"k": np.zeros((b, length, h, d), np.float32), "v": np.zeros((b, length, h, d), np.float32)}
    paged = draw.chance(0.5)

    def function(p, cache, tokens, at):
        def step(i, state):
            cache, tokens, out = state
            position = at + i
            q, k, v = jnp.moveaxis(jnp.einsum("bd,dnhs->bnhs", p["e"][tokens], p["qkv"]), 1, 0)
            if paged:
                rows = jnp.arange(b)
                cache = {"k": cache["k"].at[rows, position].set(k), "v": cache["v"].at[rows, position].set(v)}
            else:
                cache = {"k": jax.lax.dynamic_update_slice(cache["k"], k[:, None], (0, position, 0, 0)),
                         "v": jax.lax.dynamic_update_slice(cache["v"], v[:, None], (0, position, 0, 0))}
            s = jnp.einsum("bhd,bthd->bht", q, cache["k"])
            s = jnp.where(jnp.arange(length) <= position, s, -jnp.inf)
            y = jnp.einsum("bht,bthd->bhd", jax.nn.softmax(s, -1), cache["v"]).reshape(b, -1)
            logits = y @ p["o"]
            return cache, jnp.argmax(logits, -1).astype(jnp.int32), out.at[i].set(logits)
        return jax.lax.fori_loop(0, 3, step, (cache, tokens, jnp.zeros((3, b, words))))
    return Program(function, [p, cache, draw.integers(0, words, b), np.int32(draw.size(0, 2))], donate=(1,))


def beams(draw):
    words, beam, steps = draw.pick(7, 10), draw.pick(2, 3), 4
    p = {"e": draw.normal(words, 8), "w": draw.weight(8, 8), "o": draw.weight(8, words) * 3}

    def function(p):
        def step(carry, t):
            score, history, h, done = carry
            h = jnp.tanh(h @ p["w"] + p["e"][history[:, t]])
            logp = jax.nn.log_softmax(h @ p["o"])
            logp = jnp.where(done[:, None], jnp.where(jnp.arange(words) == 0, 0.0, -jnp.inf), logp)
            best, flat = jax.lax.top_k((score[:, None] + logp).reshape(-1), beam)
            parent, word = flat // words, flat % words
            history = history[parent].at[:, t + 1].set(word)
            return (best, history, h[parent], done[parent] | (word == 0)), best
        start = (jnp.where(jnp.arange(beam) == 0, 0.0, -1e9), jnp.zeros((beam, steps + 1), jnp.int32) + 1,
                 jnp.zeros((beam, 8)), jnp.zeros(beam, bool))
        (score, history, _, _), trace = jax.lax.scan(step, start, jnp.arange(steps))
        return score, history, trace
    return Program(function, [p])


def sampling(draw):
    """Top-k, nucleus, minimum-probability or Gumbel sampling with a temperature and repetition penalty."""
    b, words = draw.pick(2, 5), draw.pick(16, 33)
    how = draw.name("top_k", "nucleus", "min_p", "gumbel", "typical")
    implementation = draw.pick("threefry2x32", "threefry2x32", "rbg")
    key = draw.key() if implementation == "threefry2x32" else draw.integers(0, 2**31, 4, dtype=np.uint32)

    def function(key, logits, seen):
        key = jax.random.wrap_key_data(key, impl=implementation)
        counts = jnp.zeros_like(logits).at[jnp.arange(b)[:, None], seen].add(1.0)
        logits = jnp.where(counts > 0, logits / 1.3, logits) / 0.8
        if how == "top_k":
            logits = jnp.where(logits < jax.lax.top_k(logits, 5)[0][:, -1:], -jnp.inf, logits)
        elif how == "nucleus":
            order = jnp.argsort(-logits, axis=-1)
            ordered = jnp.take_along_axis(jax.nn.softmax(logits, -1), order, -1)
            kept = jnp.cumsum(ordered, -1) - ordered < 0.8
            logits = jnp.where(jnp.take_along_axis(kept, jnp.argsort(order, axis=-1), -1), logits, -jnp.inf)
        elif how == "min_p":
            p = jax.nn.softmax(logits, -1)
            logits = jnp.where(p < 0.1 * p.max(-1, keepdims=True), -1e9, logits)
        elif how == "typical":
            logp = jax.nn.log_softmax(logits, -1)
            surprise = jnp.abs(-logp + jnp.sum(jnp.exp(logp) * logp, -1, keepdims=True))
            logits = jnp.where(surprise > jnp.median(surprise, -1, keepdims=True), -1e9, logits)
        noise = jax.random.gumbel(key, logits.shape)
        return jnp.argmax(logits + noise, -1), jnp.where(logits < -1e8, 0, logits)
    return Program(function, [key, draw.normal(b, words, scale=3), draw.integers(0, words, b, 4)])


def speculative(draw):
    b, k, words = 2, 4, 9

    def function(key, drafted, q, p):
        key = jax.random.wrap_key_data(key)
        at = jnp.take_along_axis
        ratio = at(p, drafted[..., None], -1)[..., 0] / at(q, drafted[..., None], -1)[..., 0]
        accepted = jax.random.uniform(key, (b, k)) < ratio
        count = jnp.sum(jnp.cumprod(accepted.astype(jnp.int32), axis=1), axis=1)
        rest = jnp.maximum(p - q, 0)
        where = jnp.minimum(count, k - 1)
        chosen = jnp.argmax(rest[jnp.arange(b), where], -1)
        return jnp.where(jnp.arange(k) < count[:, None], drafted, -1), count, chosen
    q, p = (np.exp(draw.normal(b, k, words)) for _ in range(2))
    return Program(function, [draw.key(), draw.integers(0, words, b, k), (q / q.sum(-1, keepdims=True)).astype(np.float32),
                              (p / p.sum(-1, keepdims=True)).astype(np.float32)])


def best_path(draw):
    """The Viterbi path through a chain, with its way back."""
    t, n = draw.pick(5, 9), draw.pick(3, 6)

    def function(emit, move):
        def step(score, e):
            all_ = score[:, None] + move
            return all_.max(0) + e, all_.argmax(0)
        last, back = jax.lax.scan(step, emit[0], emit[1:])
        end = jnp.argmax(last)
        _, path = jax.lax.scan(lambda s, b: (b[s], s), end, back, reverse=True)
        return last.max(), path, end
    return Program(function, [draw.normal(t, n), draw.normal(n, n)])


def alignment(draw):
    """The forward recursion of connectionist temporal classification, with its gradient."""
    t, n = draw.pick(6, 8), 3

    def function(logits, labels):
        def cost(logits):
            logp = jax.nn.log_softmax(logits, axis=-1)
            extended = jnp.zeros(2 * n + 1, jnp.int32).at[1::2].set(labels)
            skip = jnp.concatenate([jnp.zeros(2, bool), (extended[2:] != extended[:-2]) & (extended[2:] != 0)])
            start = jnp.full(2 * n + 1, -1e5).at[0].set(logp[0, 0]).at[1].set(logp[0, extended[1]])

            def step(a, row):
                one = jnp.concatenate([jnp.array([-1e5]), a[:-1]])
                two = jnp.where(skip, jnp.concatenate([jnp.array([-1e5, -1e5]), a[:-2]]), -1e5)
                return jax.nn.logsumexp(jnp.stack([a, one, two]), axis=0) + row[extended], None
            a, _ = jax.lax.scan(step, start, logp[1:])
            return -jnp.logaddexp(a[-1], a[-2])
        return jax.value_and_grad(cost)(logits)
    return Program(function, [draw.normal(t, 5), draw.integers(1, 5, n)])


def distance(draw):
    """Edit distance by rows."""
    n, m = draw.pick(5, 7), draw.pick(4, 8)

    def function(a, b):
        def row(previous, i):
            def cell(left, j):
                value = jnp.minimum(jnp.minimum(left + 1, previous[j + 1] + 1), previous[j] + (a[i] != b[j]))
                return value, value
            first = i + 1
            _, rest = jax.lax.scan(cell, first, jnp.arange(m))
            new = jnp.concatenate([first[None], rest])
            return new, new
        return jax.lax.scan(row, jnp.arange(m + 1), jnp.arange(n))[1]
    return Program(function, [draw.integers(0, 3, n), draw.integers(0, 3, m)])


FAMILIES = (cached, beams, sampling, speculative, best_path, alignment, distance)
