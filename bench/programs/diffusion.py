"""Diffusion and other generative models: denoising steps, sampling loops, variational training."""
import jax
import jax.numpy as jnp
from jax import lax

from convolution import conv
from wide import program


def group_norm(x, groups=8):
    split = x.reshape(*x.shape[:-1], groups, -1)
    axes = (1, 2, 4)
    split = (split - split.mean(axes, keepdims=True)) * lax.rsqrt(split.var(axes, keepdims=True) + 1e-5)
    return split.reshape(x.shape)


def time_features(t, width):
    angles = t[:, None] * jnp.exp(-jnp.arange(width // 2) * 0.3)
    return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1)


def unet(w, x, t):
    features = time_features(t, 64) @ w["time"]
    a = jax.nn.silu(group_norm(conv(x, w["in"]) + features[:, None, None]))
    b = jax.nn.silu(group_norm(conv(a, w["down"], stride=2)))
    flat = b.reshape(b.shape[0], -1, 64)
    scores = jax.nn.softmax(jnp.einsum("bqd,bkd->bqk", flat @ w["q"], flat @ w["k"]) * 0.125)
    b = b + jnp.einsum("bqk,bkd->bqd", scores, flat).reshape(b.shape)
    up = jax.image.resize(b, (b.shape[0], b.shape[1] * 2, b.shape[2] * 2, b.shape[3]), "nearest")
    return conv(jax.nn.silu(group_norm(conv(jnp.concatenate([a, up], -1), w["up"]))), w["out"])


def unet_weights(draw):
    kernel = lambda i, o: draw.normal(3, 3, i, o, scale=(9 * i) ** -0.5)
    return {"time": draw.weight(64, 64), "in": kernel(3, 64), "down": kernel(64, 64), "up": kernel(128, 64), "out": kernel(64, 3),
            "q": draw.weight(64, 64), "k": draw.weight(64, 64)}


@program("unet denoise 4x32x32")
def denoise(draw):
    return unet, (unet_weights(draw), draw.normal(4, 32, 32, 3), draw.uniform(4, high=100))


@program("unet train 2x16x16, noise inside")
def unet_train(draw):
    def step(w, x, key):
        def loss(w):
            a, b = jax.random.split(jax.random.wrap_key_data(key))
            noise, t = jax.random.normal(a, x.shape), jax.random.uniform(b, (x.shape[0],))
            mixed = jnp.cos(t)[:, None, None, None] * x + jnp.sin(t)[:, None, None, None] * noise
            return jnp.mean((unet(w, mixed, 100 * t) - noise) ** 2)
        value, gradient = jax.value_and_grad(loss)(w)
        return value, jax.tree.map(lambda p, g: p - 0.01 * g, w, gradient)
    return step, (unet_weights(draw), draw.normal(2, 16, 16, 3), draw.key())


@program("sampling loop, 20 steps of a perceptron, 64x32")
def sampling(draw):
    def step(a, b, c, x):
        def one(i, x):
            t = 1 - i / 20.0
            features = jnp.broadcast_to(time_features(jnp.full((1,), t), 32), (64, 32))
            noise = jax.nn.silu(jax.nn.silu(jnp.concatenate([x, features], -1) @ a) @ b) @ c
            keep = jnp.cos(0.5 * jnp.pi * t) + 0.01
            clean = jnp.clip((x - jnp.sqrt(1 - jnp.minimum(keep, 0.99) ** 2) * noise) / keep, -3, 3)
            return 0.9 * x + 0.1 * clean
        return lax.fori_loop(0, 20, one, x)
    return step, (draw.weight(64, 256), draw.weight(256, 256), draw.weight(256, 32), draw.normal(64, 32))


@program("variational autoencoder train 64x784")
def variational(draw):
    weights = [draw.weight(784, 256), draw.weight(256, 40), draw.weight(20, 256), draw.weight(256, 784)]

    def step(w, x, key):
        def loss(w):
            mean, log_scale = jnp.split(jax.nn.relu(x @ w[0]) @ w[1], 2, -1)
            z = mean + jnp.exp(log_scale) * jax.random.normal(jax.random.wrap_key_data(key), mean.shape)
            logits = jax.nn.relu(z @ w[2]) @ w[3]
            likelihood = jnp.sum(jax.nn.softplus(logits) - x * logits, -1)
            return jnp.mean(likelihood + 0.5 * jnp.sum(mean ** 2 + jnp.exp(2 * log_scale) - 1 - 2 * log_scale, -1))
        value, gradient = jax.value_and_grad(loss)(w)
        return value, [p - 1e-3 * g for p, g in zip(w, gradient)]
    return step, (weights, draw.uniform(64, 784), draw.key())
