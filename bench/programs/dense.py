"""Multilayer perceptrons: training steps with their optimizers, and inference, small and large."""
import jax
import jax.numpy as jnp

from wide import BF16, program


def layers(draw, *widths, dtype="float32"):
    return [(draw.weight(a, b, dtype=dtype), draw.normal(b, dtype=dtype, scale=0.01)) for a, b in zip(widths, widths[1:])]


def forward(weights, x, activation=jax.nn.relu):
    for w, b in weights[:-1]:
        x = activation(x @ w + b)
    w, b = weights[-1]
    return x @ w + b


def loss(weights, x, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(forward(weights, x)), y[:, None], 1))


@program("mlp train 256x784, momentum")
def mlp_train(draw):
    weights = layers(draw, 784, 1024, 1024, 10)
    velocity = layers(draw, 784, 1024, 1024, 10)

    def step(weights, velocity, x, y):
        value, gradient = jax.value_and_grad(loss)(weights, x, y)
        velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, gradient)
        return value, jax.tree.map(lambda w, v: w - 0.01 * v, weights, velocity), velocity
    return step, (weights, velocity, draw.normal(256, 784), draw.integers(256, high=10))


@program("mlp infer 8x64")
def mlp_infer(draw):
    return forward, (layers(draw, 64, 128, 128, 10), draw.normal(8, 64))


@program("mlp infer 1x2048, bf16")
def mlp_vector(draw):
    return forward, (layers(draw, 2048, 4096, 2048, dtype=BF16), draw.normal(1, 2048, dtype=BF16))


@program("mixer infer 8x196x512")
def mixer(draw):
    blocks = [(draw.weight(196, 256), draw.weight(256, 196), draw.weight(512, 1024), draw.weight(1024, 512)) for _ in range(2)]

    def norm(x):
        return (x - x.mean(-1, keepdims=True)) * jax.lax.rsqrt(x.var(-1, keepdims=True) + 1e-6)

    def step(blocks, x):
        for a, b, c, d in blocks:
            x = x + jnp.swapaxes(jax.nn.gelu(jnp.swapaxes(norm(x), 1, 2) @ a) @ b, 1, 2)
            x = x + jax.nn.gelu(norm(x) @ c) @ d
        return x.mean(1)
    return step, (blocks, draw.normal(8, 196, 512))


@program("adam of 24 arrays, 1.5 M weights")
def adam(draw):
    shapes = [(256, 256), (256,), (256, 64), (64,), (512, 512), (512,)] * 4
    arrays = [[draw.normal(*shape, scale=0.1) for shape in shapes] for _ in range(3)]
    moments = [abs(each) for each in arrays[2]]

    def step(weights, gradients, first, second, count):
        norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients))
        gradients = [g * jnp.minimum(1, 1 / norm) for g in gradients]
        first = [0.9 * m + 0.1 * g for m, g in zip(first, gradients)]
        second = [0.999 * v + 0.001 * g * g for v, g in zip(second, gradients)]
        a, b = 1 - 0.9 ** count, 1 - 0.999 ** count
        new = [w - 1e-3 * (m / a / (jnp.sqrt(v / b) + 1e-8) + 0.01 * w) for w, m, v in zip(weights, first, second)]
        return new, first, second, count + 1
    return step, (arrays[0], arrays[1], arrays[2], moments, draw.uniform(low=1, high=9))


@program("autoencoder train 128x512, dropout")
def autoencoder(draw):
    weights = layers(draw, 512, 256, 32, 256, 512)

    def step(weights, x, key):
        def objective(weights):
            keep = jax.random.bernoulli(jax.random.wrap_key_data(key), 0.9, x.shape)
            return jnp.mean((forward(weights, jnp.where(keep, x / 0.9, 0), jnp.tanh) - x) ** 2)
        value, gradient = jax.value_and_grad(objective)(weights)
        return value, jax.tree.map(lambda w, g: w - 0.1 * g, weights, gradient)
    return step, (weights, draw.normal(128, 512), draw.key())
