"""Convolutional networks on small images: residual, separable and dilated blocks, U-shapes, transposed convolutions,
pooling, resizing and augmentation; forward or as training steps."""
import jax
import jax.numpy as jnp
import numpy as np

from . import layers, training
from .draw import Program

NHWC = ("NHWC", "HWIO", "NHWC")


def convolve(x, w, stride=1, dilation=1, groups=1, padding="SAME"):
    return jax.lax.conv_general_dilated(x, w, (stride, stride), padding, rhs_dilation=(dilation, dilation),
                                        dimension_numbers=NHWC, feature_group_count=groups)


def residual(draw, c):
    act = layers.activation(draw)
    p = {"a": draw.weight(3, 3, c, c), "b": draw.weight(3, 3, c, c)}
    return p, lambda p, x: x + convolve(act(convolve(x, p["a"])), p["b"])


def separable(draw, c):
    size = draw.pick(3, 5)
    p = {"d": draw.weight(size, size, 1, c), "p": draw.weight(1, 1, c, c)}
    return p, lambda p, x: convolve(jax.nn.silu(convolve(x, p["d"], groups=c)), p["p"])


def dilated(draw, c):
    p = {"w": draw.weight(3, 3, c, c)}
    return p, lambda p, x: jax.nn.relu(convolve(x, p["w"], dilation=2)) + x


def grouped(draw, c):
    p = {"w": draw.weight(3, 3, c // 2, c)}
    return p, lambda p, x: jax.nn.gelu(convolve(x, p["w"], groups=2))


def down_up(draw, c):
    p = {"d": draw.weight(3, 3, c, c), "u": draw.weight(3, 3, c, c)}

    def apply(p, x):
        low = jax.nn.relu(convolve(x, p["d"], stride=2))
        high = jax.lax.conv_transpose(low, p["u"], (2, 2), "SAME", dimension_numbers=NHWC)
        return x + high[:, :x.shape[1], :x.shape[2]]
    return p, apply


def squeezed(draw, c):
    p = {"a": draw.weight(c, 2), "b": draw.weight(2, c)}
    return p, lambda p, x: x * jax.nn.sigmoid(jax.nn.relu(x.mean((1, 2)) @ p["a"]) @ p["b"])[:, None, None]


def pooled(draw, c):
    kind = draw.pick("max", "mean")
    p = {"w": draw.weight(1, 1, c, c)}

    def apply(p, x):
        window, stride = (1, 2, 2, 1), (1, 2, 2, 1)
        if kind == "max":
            y = jax.lax.reduce_window(x, np.array(-np.inf, x.dtype), jax.lax.max, window, stride, "SAME")
        else:
            y = jax.lax.reduce_window(x, np.array(0, x.dtype), jax.lax.add, window, stride, "VALID") / 4
        return jax.image.resize(convolve(y, p["w"]), x.shape, draw_method)
    draw_method = draw.pick("nearest", "linear", "cubic")
    return p, apply


def normalized(draw, c):
    p, apply = layers.norm(draw, c)
    return p, apply


def shuffled(draw, c):
    p = {"w": draw.weight(3, 3, c, 4 * c), "o": draw.weight(1, 1, c, c)}

    def apply(p, x):
        n, h, w, _ = x.shape
        y = convolve(x, p["w"], stride=2)
        y = y.reshape(n, y.shape[1], y.shape[2], 2, 2, c).transpose(0, 1, 3, 2, 4, 5)
        y = y.reshape(n, y.shape[1] * 2, y.shape[3] * 2, c)[:, :h, :w]
        return convolve(y, p["o"])
    return p, apply


def patched(draw, c):
    """Patches as tokens of an MLP, and back."""
    p = {"w": draw.weight(4 * c, 4 * c)}

    def apply(p, x):
        n, h, w, _ = x.shape
        even = x[:, :h // 2 * 2, :w // 2 * 2]
        tokens = even.reshape(n, h // 2, 2, w // 2, 2, c).transpose(0, 1, 3, 2, 4, 5).reshape(n, -1, 4 * c)
        tokens = jnp.tanh(tokens @ p["w"]).reshape(n, h // 2, w // 2, 2, 2, c).transpose(0, 1, 3, 2, 4, 5)
        return x.at[:, :h // 2 * 2, :w // 2 * 2].add(tokens.reshape(even.shape))
    return p, apply


BLOCKS = (residual, separable, dilated, grouped, down_up, squeezed, pooled, normalized, shuffled, patched)


def augmented(draw, x):
    """Random crops and flips as gathers and selects."""
    key = jax.random.wrap_key_data(jnp.asarray(draw.key()))
    flip = jax.random.bernoulli(key, 0.5, (x.shape[0],))
    x = jnp.where(flip[:, None, None, None], x[:, :, ::-1], x)
    shift = jax.random.randint(key, (2,), 0, 3)
    padded = jnp.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), mode="reflect")
    return jax.lax.dynamic_slice(padded, (0, shift[0], shift[1], 0), x.shape)


def images(draw):
    c, classes = draw.pick(4, 8), draw.pick(3, 10)
    n, h, w = 2, draw.pick(5, 6, 8), draw.pick(5, 7, 8)
    chosen = [draw.name(*BLOCKS)(draw, c) for _ in range(draw.pick(1, 1, 2))]
    augment = draw.chance(0.3)
    pixel_type = draw.pick(np.float32, np.uint8)
    p = {"stem": draw.weight(3, 3, 3, c), "blocks": [each[0] for each in chosen], "head": draw.weight(c, classes)}
    dtype = draw.pick(jnp.float32, jnp.float32, jnp.bfloat16)

    def apply(p, x):
        x = x.astype(jnp.float32) / 255 if pixel_type == np.uint8 else x
        if augment:
            x = augmented(draw, x)
        p = jax.tree.map(lambda a: a.astype(dtype), p)
        x = convolve(x.astype(dtype), p["stem"])
        for each, (_, function) in zip(p["blocks"], chosen):
            x = function(each, x).astype(dtype)
        return (x.mean((1, 2)) @ p["head"]).astype(jnp.float32)
    x = draw.integers(0, 256, n, h, w, 3, dtype=np.uint8) if pixel_type == np.uint8 else draw.normal(n, h, w, 3)
    if draw.name("forward", "train") == "forward":
        return Program(apply, [p, x])
    measure = training.loss(draw)
    step, first = training.step_of(draw, lambda p, x, y: measure(apply(p, x), y), p)
    return Program(step, [*first, x, draw.integers(0, classes, n)], donate=(0,) if draw.chance(0.5) else ())


def volumes(draw):
    """Convolutions of one and three dimensions, with batch groups, padding and dilation of both sides."""
    dims = draw.name("1d", "3d", "input_dilated", "batch_groups")
    if dims == "1d":
        x, w = draw.normal(2, 13, 4), draw.weight(draw.pick(2, 3, 5), 4, 6)
        stride, pad = draw.pick(1, 2, 3), draw.pick("SAME", "VALID")
        return Program(lambda x, w: jnp.tanh(jax.lax.conv_general_dilated(
            x, w, (stride,), pad, dimension_numbers=("NWC", "WIO", "NWC"))), [x, w])
    if dims == "3d":
        x, w = draw.normal(1, 4, 5, 6, 3), draw.weight(2, 3, 2, 3, 4)
        return Program(jax.value_and_grad(lambda x, w: jnp.sum(jnp.square(jax.lax.conv_general_dilated(
            x, w, (1, 2, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC")))), (0, 1)), [x, w])
    if dims == "input_dilated":
        x, w = draw.normal(2, 4, 4, 3), draw.weight(3, 3, 3, 4)
        return Program(lambda x, w: jax.lax.conv_general_dilated(
            x, w, (1, 1), [(2, 1), (1, 2)], lhs_dilation=(2, 3), dimension_numbers=NHWC), [x, w])
    x, w = draw.normal(4, 6, 6, 3), draw.weight(3, 3, 3, 4)
    return Program(lambda x, w: jax.lax.conv_general_dilated(
        x, w, (1, 1), "VALID", dimension_numbers=NHWC, batch_group_count=2), [x, w])
