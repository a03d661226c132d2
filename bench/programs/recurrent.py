"""Recurrent networks: loops over time with small and medium products."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


def lstm_cell(w, state, x):
    h, c = state
    i, f, g, o = jnp.split(jnp.concatenate([x, h], -1) @ w[0] + w[1], 4, -1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return (h, c), h


def gru_cell(w, h, x):
    r, z = jnp.split(jax.nn.sigmoid(x @ w[0] + h @ w[1]), 2, -1)
    n = jnp.tanh(x @ w[2] + r * (h @ w[3]))
    h = (1 - z) * n + z * h
    return h, h


def lstm_weights(draw, inputs, hidden):
    return draw.weight(inputs + hidden, 4 * hidden), draw.normal(4 * hidden, scale=0.1)


def run_lstm(w, xs):
    start = (jnp.zeros((xs.shape[1], w[1].shape[0] // 4)),) * 2
    return lax.scan(lambda s, x: lstm_cell(w, s, x), start, xs)[1]


@program("lstm train 64 steps, 16x256")
def lstm_train(draw):
    def loss(weights, xs, y):
        return jnp.mean((run_lstm(weights["cell"], xs)[-1] @ weights["out"] - y) ** 2)

    def step(weights, xs, y):
        value, gradient = jax.value_and_grad(loss)(weights, xs, y)
        return value, jax.tree.map(lambda w, g: w - 0.01 * g, weights, gradient)
    return step, ({"cell": lstm_weights(draw, 128, 256), "out": draw.weight(256, 16)}, draw.normal(64, 16, 128), draw.normal(16, 16))


@program("gru infer 200 steps, 1x32")
def gru_small(draw):
    weights = tuple(draw.weight(32, n) for n in (64, 64, 32, 32))
    return lambda w, h, xs: lax.scan(lambda s, x: gru_cell(w, s, x), h, xs), (weights, draw.normal(1, 32), draw.normal(200, 1, 32))


@program("bilstm infer 64 steps, 16x128")
def bilstm(draw):
    def step(a, b, xs):
        return jnp.concatenate([run_lstm(a, xs), run_lstm(b, xs[::-1])[::-1]], -1)
    return step, (lstm_weights(draw, 64, 128), lstm_weights(draw, 64, 128), draw.normal(64, 16, 64))


@program("linear attention scan 256 steps, 4x4x32x32")
def linear_attention(draw):
    def step(decay, q, k, v):
        def one(state, qkv):
            q, k, v = qkv
            state = state * decay[None, :, None, None] + k[..., :, None] * v[..., None, :]
            return state, jnp.einsum("bhd,bhde->bhe", q, state)
        return lax.scan(one, jnp.zeros((4, 4, 32, 32)), (q, k, v))[1]
    return step, (draw.uniform(4, low=0.9), *(draw.normal(256, 4, 4, 32) for _ in range(3)))


@program("gru train 50 steps, 32x64, bounded while")
def gru_train(draw):
    weights = tuple(draw.weight(64, n) for n in (128, 128, 64, 64))

    def step(w, xs, lengths):
        def loss(w):
            def one(state, t):
                h, _ = gru_cell(w, state, xs[t])
                return jnp.where((t < lengths)[:, None], h, state), None
            return jnp.sum(lax.scan(one, jnp.zeros((32, 64)), jnp.arange(50))[0] ** 2)
        value, gradient = jax.value_and_grad(loss)(w)
        return value, jax.tree.map(lambda a, g: a - 0.01 * g, w, gradient)
    return step, (weights, draw.normal(50, 32, 64), draw.integers(32, low=10, high=50))
