"""Blocks that carry information along time without attention: recurrences, state spaces, convolutions, transforms."""
import jax
import jax.numpy as jnp
import numpy as np


def over_time(step, start, x, reverse=False, unroll=1):
    state, out = jax.lax.scan(step, start, jnp.moveaxis(x, 1, 0), reverse=reverse, unroll=unroll)
    return state, jnp.moveaxis(out, 0, 1)


def lstm(draw, width):
    p = {"w": draw.weight(2 * width, 4 * width), "b": draw.normal(4 * width, scale=0.1)}
    reverse, unroll = draw.chance(0.3), draw.pick(1, 1, 2)

    def apply(p, x):
        def step(carry, now):
            h, c = carry
            i, f, g, o = jnp.split(jnp.concatenate([now, h], -1) @ p["w"] + p["b"], 4, axis=-1)
            c = jax.nn.sigmoid(f + 1) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            h = jax.nn.sigmoid(o) * jnp.tanh(c)
            return (h, c), h
        zero = jnp.zeros((x.shape[0], width), x.dtype)
        return over_time(step, (zero, zero), x, reverse, unroll)[1]
    return p, apply


def gru(draw, width):
    p = {"w": draw.weight(width, 3 * width), "u": draw.weight(width, 3 * width)}

    def apply(p, x):
        def step(h, now):
            a, b = jnp.split(now @ p["w"], 3, -1), jnp.split(h @ p["u"], 3, -1)
            r, z = jax.nn.sigmoid(a[0] + b[0]), jax.nn.sigmoid(a[1] + b[1])
            h = (1 - z) * jnp.tanh(a[2] + r * b[2]) + z * h
            return h, h
        return over_time(step, jnp.zeros((x.shape[0], width), x.dtype), x)[1]
    return p, apply


def selective_state(draw, width):
    """A diagonal state space whose steps depend on the input, as an associative scan."""
    p = {"a": draw.uniform(width, low=0.5, high=0.99), "dt": draw.weight(width, width), "b": draw.weight(width, width)}

    def apply(p, x):
        dt = jax.nn.softplus(x @ p["dt"])
        decay = jnp.exp(-dt * p["a"])

        def join(first, second):
            return first[0] * second[0], first[1] * second[0] + second[1]
        return jax.lax.associative_scan(join, (decay, dt * (x @ p["b"])), axis=1)[1]
    return p, apply


def complex_recurrence(draw, width):
    p = {"r": draw.uniform(width, low=0.6, high=0.95), "t": draw.uniform(width, high=3.0)}

    def apply(p, x):
        decay = (p["r"] * jnp.exp(1j * p["t"].astype(jnp.float32))).astype(jnp.complex64)

        def step(h, now):
            h = h * decay + now
            return h, (h * h.conj()).real + h.imag
        start = jnp.zeros((x.shape[0], width), jnp.complex64)
        return over_time(step, start, x.astype(jnp.complex64))[1].astype(x.dtype)
    return p, apply


def depthwise(draw, width):
    taps, dilation = draw.pick(2, 3, 4), draw.pick(1, 2)
    p = {"w": draw.normal(taps, 1, width, scale=0.5)}

    def apply(p, x):
        return jax.lax.conv_general_dilated(x, p["w"].astype(x.dtype), (1,), [((taps - 1) * dilation, 0)],
                                            rhs_dilation=(dilation,), dimension_numbers=("NWC", "WIO", "NWC"),
                                            feature_group_count=width)
    return p, apply


def token_mixing(draw, width):
    p = {"s": draw.normal(1, scale=0.5), "w": draw.normal(1, 1, scale=0.2)}

    def apply(p, x):
        time = x.shape[1]
        weight = jnp.exp(-jnp.abs(jnp.arange(time)[:, None] - jnp.arange(time))).astype(x.dtype)
        return jnp.einsum("ts,bsd->btd", weight, x) * p["s"].astype(x.dtype) + jnp.cumsum(x, 1) * p["w"][0, 0].astype(x.dtype)
    return p, apply


def fourier_mixing(draw, width):
    p = {"s": draw.normal(width, scale=0.3)}

    def apply(p, x):
        wide = x.astype(jnp.float32)
        return (jnp.fft.fft2(wide, axes=(1, 2)).real * (p["s"].astype(jnp.float32) / np.sqrt(width))).astype(x.dtype)
    return p, apply


def long_convolution(draw, width):
    p = {"k": draw.normal(8, width, scale=0.5)}

    def apply(p, x):
        n = 2 * max(x.shape[1], 8)
        product = jnp.fft.rfft(x.astype(jnp.float32), n, axis=1) * jnp.fft.rfft(p["k"].astype(jnp.float32), n, axis=0)
        return jnp.fft.irfft(product, n, axis=1)[:, :x.shape[1]].astype(x.dtype)
    return p, apply


def pooling(draw, width):
    p = {"w": draw.weight(width, width)}
    reducer = draw.pick("max", "mean")

    def apply(p, x):
        window, padding = (1, 3, 1), ((0, 0), (1, 1), (0, 0))
        if reducer == "max":
            y = jax.lax.reduce_window(x, np.array(-np.inf, x.dtype), jax.lax.max, window, (1, 1, 1), padding)
        else:
            y = jax.lax.reduce_window(x, np.array(0, x.dtype), jax.lax.add, window, (1, 1, 1), padding) / 3
        return y @ p["w"]
    return p, apply


def delta_rule(draw, width):
    """A matrix as memory, corrected at each step by what it recalls wrongly."""
    p = {"k": draw.weight(width, 4), "v": draw.weight(width, 4), "q": draw.weight(width, 4), "o": draw.weight(4, width)}

    def apply(p, x):
        k = jax.nn.softmax(x @ p["k"], axis=-1)

        def step(memory, now):
            k, v, q = now[..., :4], now[..., 4:8], now[..., 8:]
            recalled = jnp.einsum("bij,bi->bj", memory, k)
            memory = memory + jnp.einsum("bi,bj->bij", k, v - recalled) * np.array(0.5, x.dtype)
            return memory, jnp.einsum("bij,bi->bj", memory, q)
        packed = jnp.concatenate([k, x @ p["v"], x @ p["q"]], -1)
        return over_time(step, jnp.zeros((x.shape[0], 4, 4), x.dtype), packed)[1] @ p["o"]
    return p, apply


def fixed_point(draw, width):
    """A layer repeated until it settles, or eight times."""
    p = {"w": draw.weight(width, width)}

    def apply(p, x):
        def body(state):
            i, z, _ = state
            new = jnp.tanh(z @ jax.lax.stop_gradient(p["w"]) * np.array(0.3, x.dtype) + jax.lax.stop_gradient(x))
            return i + 1, new, jnp.max(jnp.abs(new - z)).astype(jnp.float32)
        _, z, _ = jax.lax.while_loop(lambda s: (s[0] < 8) & (s[2] > 1e-2), body,
                                     (0, jnp.zeros_like(x), jnp.float32(1)))
        return jnp.tanh(jax.lax.stop_gradient(z) @ p["w"] * np.array(0.3, x.dtype) + x)
    return p, apply


def mixing(draw, width):
    return draw.name(lstm, gru, selective_state, complex_recurrence, depthwise, token_mixing, fourier_mixing,
                     long_convolution, pooling, delta_rule, fixed_point)(draw, width)
