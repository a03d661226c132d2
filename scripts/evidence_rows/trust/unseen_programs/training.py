"""What a training step adds to a network: losses, optimizers, schedules, accumulation and rematerialization."""
import jax
import jax.numpy as jnp
import numpy as np

tree = jax.tree.map


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits, axis=-1), labels[..., None], -1))


def smoothed(logits, labels):
    target = jax.nn.one_hot(labels, logits.shape[-1]) * 0.9 + 0.1 / logits.shape[-1]
    return -jnp.mean(jnp.sum(target * jax.nn.log_softmax(logits, axis=-1), -1)) + 1e-3 * jnp.mean(
        jax.nn.logsumexp(logits, axis=-1) ** 2)


def focal(logits, labels):
    p = jnp.take_along_axis(jax.nn.softmax(logits, axis=-1), labels[..., None], -1)
    return -jnp.mean((1 - p) ** 2 * jnp.log(p + 1e-6))


def hinge(logits, labels):
    right = jnp.take_along_axis(logits, labels[..., None], -1)
    return jnp.mean(jnp.maximum(0, 1 + logits - right).sum(-1))


def contrastive(logits, labels):
    flat = logits.reshape(-1, logits.shape[-1])
    unit = flat / (jnp.linalg.norm(flat, axis=-1, keepdims=True) + 1e-3)
    similar = unit @ unit.T * 5
    same = labels.reshape(-1)[:, None] == labels.reshape(-1)[None, :]
    return -jnp.mean(jnp.where(same, jax.nn.log_softmax(similar, -1), 0))


def huber(logits, labels):
    error = logits - jax.nn.one_hot(labels, logits.shape[-1])
    return jnp.mean(jnp.where(jnp.abs(error) < 1, 0.5 * error * error, jnp.abs(error) - 0.5))


def masked(logits, labels):
    each = -jnp.take_along_axis(jax.nn.log_softmax(logits, axis=-1), labels[..., None], -1)[..., 0]
    kept = (labels % 3 != 0).astype(each.dtype)
    return jnp.sum(each * kept) / jnp.maximum(kept.sum(), 1)


def loss(draw):
    return draw.name(cross_entropy, cross_entropy, smoothed, focal, hinge, contrastive, huber, masked)


def sgd(p, g, s, t):
    return tree(lambda p, g: p - 0.1 * g, p, g), s


def nesterov(p, g, s, t):
    m = tree(lambda m, g: 0.9 * m + g, s["m"], g)
    return tree(lambda p, g, m: p - 0.01 * (g + 0.9 * m), p, g, m), {"m": m, "v": s["v"]}


def adam(p, g, s, t):
    m = tree(lambda m, g: 0.9 * m + 0.1 * g, s["m"], g)
    v = tree(lambda v, g: 0.99 * v + 0.01 * g * g, s["v"], g)
    a, b = 1 - 0.9 ** t, 1 - 0.99 ** t
    return tree(lambda p, m, v: p - 1e-2 * (m / a) / (jnp.sqrt(v / b) + 1e-3) - 1e-3 * p, p, m, v), {"m": m, "v": v}


def clipped_adam(p, g, s, t):
    size = jnp.sqrt(sum(jnp.sum(jnp.square(each)) for each in jax.tree.leaves(g)))
    return adam(p, tree(lambda g: g * jnp.minimum(1, 1 / (size + 1e-6)), g), s, t)


def rms_prop(p, g, s, t):
    v = tree(lambda v, g: 0.9 * v + 0.1 * g * g, s["v"], g)
    return tree(lambda p, g, v: p - 1e-2 * g * jax.lax.rsqrt(v + 1e-4), p, g, v), {"m": s["m"], "v": v}


def soft_lion(p, g, s, t):
    step = tree(lambda m, g: jnp.tanh(20 * (0.9 * m + 0.1 * g)), s["m"], g)
    m = tree(lambda m, g: 0.99 * m + 0.01 * g, s["m"], g)
    return tree(lambda p, u: p - 1e-3 * u, p, step), {"m": m, "v": s["v"]}


def factored(p, g, s, t):
    def update(p, g):
        if p.ndim < 2:
            return p - 1e-2 * g
        square = g * g + 1e-8
        rows, columns = square.mean(-1, keepdims=True), square.mean(-2, keepdims=True)
        return p - 1e-2 * g * jax.lax.rsqrt(rows * columns / rows.mean(-2, keepdims=True) + 1e-6)
    return tree(update, p, g), s


def orthogonal(p, g, s, t):
    """Matrices move along an orthogonalized gradient, by Newton's iteration."""
    def update(p, g):
        if p.ndim != 2:
            return p - 1e-2 * g
        x = g / (jnp.linalg.norm(g) + 1e-4)
        for _ in range(2):
            x = 1.5 * x - 0.5 * x @ (x.T @ x)
        return p - 1e-2 * x
    return tree(update, p, g), s


def scheduled(p, g, s, t):
    rate = jax.lax.cond(t < 5, lambda: t / 5, lambda: 0.5 * (1 + jnp.cos(t / 10))) * 1e-2
    return tree(lambda p, g: p - rate.astype(p.dtype) * g, p, g), s


def optimizer(draw):
    return draw.name(sgd, nesterov, adam, adam, clipped_adam, rms_prop, soft_lion, factored, orthogonal, scheduled)


def remembered(draw, function):
    """The function with one of the ways to recompute its values in the backward pass, or none."""
    how = draw.name("keep", "keep", "remat", "remat_dots")
    if how == "remat":
        return jax.checkpoint(function)
    if how == "remat_dots":
        return jax.checkpoint(function, policy=jax.checkpoint_policies.dots_with_no_batch_dims_saveable)
    return function


def step_of(draw, objective, parameters):
    """A training step from objective(parameters, *batch), and its first arguments: parameters, state and step."""
    update = optimizer(draw)
    how = draw.name("whole", "whole", "accumulated", "average")

    def step(p, s, t, *batch):
        if how == "accumulated":
            def add(total, part):
                value, grads = jax.value_and_grad(objective)(p, *part)
                return (total[0] + value, tree(jnp.add, total[1], grads)), None
            halves = tree(lambda x: x.reshape(2, -1, *x.shape[1:]), batch)
            (value, grads), _ = jax.lax.scan(add, (jnp.float32(0), tree(jnp.zeros_like, p)), halves)
        else:
            value, grads = jax.value_and_grad(objective)(p, *batch)
        new, s = update(p, grads, s, t)
        if how == "average":
            return new, s, value, tree(lambda a, b: 0.99 * a + 0.01 * b, p, new)
        return new, s, value
    zeros = tree(np.zeros_like, parameters)
    return step, [parameters, {"m": zeros, "v": tree(np.copy, zeros)}, np.float32(draw.size(1, 9))]
