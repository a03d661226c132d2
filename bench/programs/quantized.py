"""Integers and small floats: int8 and int4 weights, fp8 with scales, quantization inside training."""
import jax
import jax.numpy as jnp
from jax import lax
import numpy as np

from wide import BF16, F8, program


@program("int8 linear 128x1024x1024, scaled rows")
def int8_linear(draw):
    def step(x, w, scales):
        size = jnp.max(jnp.abs(x), -1, keepdims=True) / 127
        rounded = jnp.round(x / size).astype(jnp.int8)
        return lax.dot_general(rounded, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32) * size * scales
    return step, (draw.normal(128, 1024), draw.integers(1024, 1024, low=-127, high=128, dtype=np.int8), draw.uniform(1024, high=0.01))


@program("int8 weights, bf16 rows 8x1024x2048")
def weights_only(draw):
    return lambda x, w, scales: (x @ w.astype(jnp.bfloat16)) * scales, (
        draw.normal(8, 1024, dtype=BF16), draw.integers(1024, 2048, low=-127, high=128, dtype=np.int8), draw.uniform(2048, dtype=BF16))


@program("int4 weights packed in bytes, 16x1024x1024")
def packed(draw):
    def step(x, w, scales):
        low, high = (w << 4) >> 4, w >> 4
        whole = jnp.stack([low, high], 1).reshape(1024, 1024).astype(jnp.float32)
        grouped = whole.reshape(16, 64, 1024) * scales[:, None]
        return x @ grouped.reshape(1024, 1024)
    return step, (draw.normal(16, 1024), draw.integers(512, 1024, low=-128, high=128, dtype=np.int8), draw.uniform(16, 1024, high=0.1))


@program("fp8 perceptron train 128x512")
def fp8(draw):
    @jax.custom_vjp
    def product(a, b):
        return lax.dot_general(a.astype(jnp.float8_e4m3fn), b.astype(jnp.float8_e4m3fn), (((1,), (0,)), ((), ())),
                               preferred_element_type=jnp.float32)

    def back(kept, g):
        a, b = kept
        small = lambda x: x.astype(jnp.float8_e5m2).astype(jnp.float32)
        return small(g) @ b.T, a.T @ small(g)
    product.defvjp(lambda a, b: (product(a, b), (a, b)), back)

    def step(weights, x, y):
        def loss(weights):
            return jnp.mean((product(jax.nn.relu(product(x, weights[0])), weights[1]) - y) ** 2)
        value, gradient = jax.value_and_grad(loss)(weights)
        return value, [w - 0.1 * g for w, g in zip(weights, gradient)]
    return step, ([draw.weight(512, 512), draw.weight(512, 512)], draw.normal(128, 512), draw.normal(128, 512))


@program("fp8 weights, scaled infer 32x1024x1024")
def fp8_infer(draw):
    def step(x, w, scale):
        top = jnp.max(jnp.abs(x))
        small = (x * (448 / top)).astype(jnp.float8_e4m3fn)
        out = lax.dot_general(small, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.float32)
        return jax.nn.gelu(out * (top / 448) * scale)
    return step, (draw.normal(32, 1024), draw.normal(1024, 1024, dtype=F8), draw.uniform(high=0.1))


@program("fake quantization in training 256x256")
def fake(draw):
    def rounded(x, bits):
        step = jnp.max(jnp.abs(x)) / (2 ** (bits - 1) - 1)
        return x + lax.stop_gradient(jnp.round(x / step) * step - x)

    def step(weights, x, y):
        def loss(weights):
            h = x
            for w in weights:
                h = jax.nn.relu(rounded(h, 8) @ rounded(w, 4))
            return jnp.mean((h - y) ** 2)
        value, gradient = jax.value_and_grad(loss)(weights)
        return value, [w - 0.1 * g for w, g in zip(weights, gradient)]
    return step, ([draw.weight(256, 256) for _ in range(3)], draw.normal(256, 256), draw.normal(256, 256))


@program("int8 convolution 4x28x28x32")
def int8_conv(draw):
    def step(x, w, scale):
        out = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), preferred_element_type=jnp.int32)
        return jnp.clip(jnp.round(out * scale), -127, 127).astype(jnp.int8)
    return step, (draw.integers(4, 28, 28, 32, low=-127, high=128, dtype=np.int8),
                  draw.integers(3, 3, 32, 64, low=-127, high=128, dtype=np.int8), draw.uniform(64, high=1e-3))


@program("stochastic rounding to bf16, 1 M")
def stochastic(draw):
    def step(x, key):
        bits = jax.random.bits(jax.random.wrap_key_data(key), x.shape, jnp.uint16).astype(jnp.uint32)
        raised = (lax.bitcast_convert_type(x, jnp.uint32) + bits) & jnp.uint32(0xFFFF0000)
        return lax.bitcast_convert_type(raised, jnp.float32).astype(jnp.bfloat16)
    return step, (draw.normal(1 << 20), draw.key())


@program("float16 attention 4x256x64")
def half(draw):
    def step(q, k, v):
        return jax.nn.softmax((q @ jnp.swapaxes(k, 1, 2)).astype(jnp.float32) * 0.125).astype(jnp.float16) @ v
    return step, tuple(draw.normal(4, 256, 64, dtype=np.float16) for _ in range(3))
