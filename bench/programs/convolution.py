"""Convolutional networks: training and inference steps in one, two and three dimensions."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


def conv(x, w, stride=1, groups=1, dilation=1, padding="SAME"):
    spatial = "DHW"[-(x.ndim - 2):]
    names = ("N" + spatial + "C", spatial + "IO", "N" + spatial + "C")
    n = x.ndim - 2
    return lax.conv_general_dilated(x, w, (stride,) * n, padding, rhs_dilation=(dilation,) * n, feature_group_count=groups,
                                    dimension_numbers=names)


def batch_norm(x, gain, bias):
    axes = tuple(range(x.ndim - 1))
    return (x - x.mean(axes)) * lax.rsqrt(x.var(axes) + 1e-5) * gain + bias


@program("small cnn train 64x28x28")
def cnn_train(draw):
    weights = [draw.normal(3, 3, 1, 16, scale=0.3), draw.normal(3, 3, 16, 32, scale=0.1), draw.weight(7 * 7 * 32, 10)]

    def loss(weights, x, y):
        for w in weights[:2]:
            x = lax.reduce_window(jax.nn.relu(conv(x, w)), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        scores = jax.nn.log_softmax(x.reshape(x.shape[0], -1) @ weights[2])
        return -jnp.mean(jnp.take_along_axis(scores, y[:, None], 1))

    def step(weights, x, y):
        value, gradient = jax.value_and_grad(loss)(weights, x, y)
        return value, [w - 0.01 * g for w, g in zip(weights, gradient)]
    return step, (weights, draw.normal(64, 28, 28, 1), draw.integers(64, high=10))


@program("residual block train 8x32x32x64")
def residual(draw):
    weights = [draw.normal(3, 3, 64, 64, scale=0.05), draw.uniform(64), draw.normal(64), draw.normal(3, 3, 64, 64, scale=0.05),
               draw.uniform(64), draw.normal(64)]

    def step(weights, x):
        def loss(weights, x):
            a, g, b, c, h, d = weights
            y = batch_norm(conv(jax.nn.relu(batch_norm(conv(x, a), g, b)), c), h, d)
            return jnp.mean(jax.nn.relu(x + y) ** 2)
        return jax.value_and_grad(loss, (0, 1))(weights, x)
    return step, (weights, draw.normal(8, 32, 32, 64))


@program("separable block infer 1x56x56x96")
def separable(draw):
    def step(up, depth, down, x):
        y = jax.nn.relu6(conv(x, up))
        return x + conv(jax.nn.relu6(conv(y, depth, groups=y.shape[-1])), down)
    return step, (draw.normal(1, 1, 96, 192, scale=0.1), draw.normal(3, 3, 1, 192), draw.normal(1, 1, 192, 96, scale=0.1),
                  draw.normal(1, 56, 56, 96))


@program("dilated audio convolutions 2x2048x32")
def audio(draw):
    def step(layers, x):
        skip = 0
        for index, (filters, mix) in enumerate(layers):
            d = 2 ** index
            a, b = jnp.split(conv(jnp.pad(x, ((0, 0), (d, 0), (0, 0))), filters, dilation=d, padding="VALID"), 2, -1)
            z = jnp.tanh(a) * jax.nn.sigmoid(b)
            x, skip = x + z @ mix, skip + z
        return skip
    return step, ([(draw.normal(2, 32, 64, scale=0.2), draw.weight(32, 32)) for _ in range(6)], draw.normal(2, 2048, 32))


@program("volume convolution 1x24x24x24x16")
def volume(draw):
    return lambda a, b, x: conv(jax.nn.relu(conv(x, a)), b, stride=2), (
        draw.normal(3, 3, 3, 16, 32, scale=0.1), draw.normal(3, 3, 3, 32, 32, scale=0.1), draw.normal(1, 24, 24, 24, 16))


@program("upsampling by transposed convolution 4x16x16x64")
def upsample(draw):
    def step(a, b, x):
        x = jax.nn.leaky_relu(lax.conv_transpose(x, a, (2, 2), "SAME"))
        return jnp.tanh(lax.conv_transpose(x, b, (2, 2), "SAME"))
    return step, (draw.normal(4, 4, 64, 32, scale=0.05), draw.normal(4, 4, 32, 3, scale=0.05), draw.normal(4, 16, 16, 64))
