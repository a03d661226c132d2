"""Elementwise maps, reductions and movement limited by memory rather than arithmetic."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


@program("gelu and its gradient 4 M")
def gelu(draw):
    return lambda x, g: jax.vjp(jax.nn.gelu, x)[1](g)[0], (draw.normal(4 << 20), draw.normal(4 << 20))


@program("layer norm train 2048x1024")
def layer_norm(draw):
    def step(x, gain, bias, g):
        def norm(x, gain, bias):
            return (x - x.mean(-1, keepdims=True)) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-5) * gain + bias
        return jax.vjp(norm, x, gain, bias)[1](g)
    return step, (draw.normal(2048, 1024), draw.uniform(1024), draw.normal(1024), draw.normal(2048, 1024))


@program("log softmax of 512x10000, loss and gradient")
def cross_entropy(draw):
    def step(x, y):
        return jax.value_and_grad(lambda x: -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1)))(x)
    return step, (draw.normal(512, 10000), draw.integers(512, high=10000))


@program("transposes of 64x128x256")
def transposes(draw):
    return lambda x: (x.transpose(2, 1, 0), x.transpose(1, 0, 2) * 2), (draw.normal(64, 128, 256),)


@program("cumulative sums and maxima 512x2048")
def cumulative(draw):
    return lambda x: (jnp.cumsum(x, 1), lax.cummax(x, 0), jnp.cumprod(1 + 0.01 * x, 0)), (draw.normal(512, 2048),)


@program("special functions of 1 M, f32")
def special(draw):
    s = jax.scipy.special
    return lambda x: (s.erfinv(x * 0.2 - 0.5), s.gammaln(x), s.i0e(x), jnp.arctan2(x, 1 - x), jnp.power(x, 1.7)), (
        draw.uniform(1 << 20, low=0.1, high=4),)


@program("reductions of 8 M in several ways")
def reductions(draw):
    return lambda x: (x.sum(), x.max(0), jnp.argmax(x, 1), (x * x).mean(1), jnp.any(x > 5)), (draw.normal(2048, 4096),)


@program("pad, concatenate, slice, reverse 8 M")
def movement(draw):
    def step(x, y):
        joined = jnp.concatenate([x[:, ::-1], jnp.pad(y, ((0, 0), (16, 16)))], 1)
        return joined[::2], jnp.tile(joined[:64], (4, 1)), lax.dynamic_slice(joined, (3, 5), (512, 512))
    return step, (draw.normal(1024, 2048), draw.normal(1024, 2048))


@program("tiny expressions of 16 numbers")
def tiny(draw):
    return lambda x, y: (jnp.tanh(x) + y * 2, x.sum(), jnp.sort(y), jnp.where(x > 0, x, y)), (draw.normal(16), draw.normal(16))


@program("image augmentation 8x224x224")
def images(draw):
    def step(x, gain):
        small = jax.image.resize(x, (8, 112, 112, 3), "bilinear")
        gray = (small * jnp.array([0.3, 0.59, 0.11])).sum(-1, keepdims=True)
        return jnp.clip(gray + gain * (small[:, :, ::-1] - gray), 0, 1), lax.reduce_window(small, 0.0, lax.add, (1, 5, 5, 1), (1, 1, 1, 1), "SAME")
    return step, (draw.uniform(8, 224, 224, 3), draw.uniform(8, 1, 1, 1))
