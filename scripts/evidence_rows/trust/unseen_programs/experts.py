"""Mixtures of experts: how tokens are routed to a few of several small networks."""
import jax
import jax.numpy as jnp
import numpy as np


def parameters(draw, width, count):
    return {"r": draw.normal(width, count), "in": draw.weight(count, width, width), "out": draw.weight(count, width, width)}


def experts_on(p, x):
    """Each expert on its slice of [experts, tokens, width]."""
    return jnp.einsum("ecf,efd->ecd", jax.nn.silu(jnp.einsum("ecd,edf->ecf", x, p["in"])), p["out"])


def flat(x):
    return x.reshape(-1, x.shape[-1])


def capacity(draw, width):
    """Tokens beyond an expert's capacity are dropped; dispatch by one-hot products."""
    count, keep = draw.pick(2, 4), draw.pick(1, 2)
    p = parameters(draw, width, count)

    def apply(p, x):
        tokens = flat(x)
        gates = jax.nn.softmax((tokens @ p["r"]).astype(jnp.float32))
        best, which = jax.lax.top_k(gates, keep)
        slots = max(2, tokens.shape[0] // count)
        chosen = jax.nn.one_hot(which, count)
        at = (jnp.cumsum(chosen.reshape(-1, count), 0).reshape(chosen.shape) - 1) * chosen
        mask = chosen[..., None] * jax.nn.one_hot(at.astype(jnp.int32), slots) * (at < slots)[..., None]
        dispatch = mask.sum(1).astype(x.dtype)
        combine = (mask * best[..., None, None]).sum(1).astype(x.dtype)
        out = experts_on(p, jnp.einsum("tec,td->ecd", dispatch, tokens))
        return jnp.einsum("tec,ecd->td", combine, out).reshape(x.shape)
    return p, apply


def sorted_tokens(draw, width):
    """Tokens sorted by expert, so that each expert has a range of rows."""
    count = draw.pick(2, 4)
    p = parameters(draw, width, count)

    def apply(p, x):
        tokens = flat(x)
        gates = jax.nn.softmax((tokens @ p["r"]).astype(jnp.float32))
        which = jnp.argmax(gates, -1)
        order = jnp.argsort(which, stable=True)
        sizes = jnp.bincount(which, length=count).astype(jnp.int32)
        out = jax.lax.ragged_dot(jax.nn.silu(jax.lax.ragged_dot(tokens[order], p["in"], sizes)), p["out"], sizes)
        back = jnp.zeros_like(tokens).at[order].set(out)
        return (back * jnp.max(gates, -1, keepdims=True).astype(x.dtype)).reshape(x.shape)
    return p, apply


def expert_choice(draw, width):
    """Experts choose their tokens."""
    count = draw.pick(2, 3)
    p = parameters(draw, width, count)

    def apply(p, x):
        tokens = flat(x)
        gates = jax.nn.softmax((tokens @ p["r"]).astype(jnp.float32), axis=-1)
        weight, which = jax.lax.top_k(gates.T, max(1, tokens.shape[0] // 2))
        out = experts_on(p, tokens[which]) * weight[..., None].astype(x.dtype)
        return jnp.zeros_like(tokens).at[which.reshape(-1)].add(flat(out)).reshape(x.shape)
    return p, apply


def soft(draw, width):
    """Every slot of an expert is a weighted mean of all tokens."""
    count = draw.pick(2, 4)
    p = parameters(draw, width, count)

    def apply(p, x):
        tokens = flat(x)
        logits = (tokens @ p["r"]).astype(jnp.float32)
        slots = jnp.einsum("te,td->ed", jax.nn.softmax(logits, 0).astype(x.dtype), tokens)[:, None]
        return (jax.nn.softmax(logits, 1).astype(x.dtype) @ experts_on(p, slots)[:, 0]).reshape(x.shape)
    return p, apply


def switched(draw, width):
    """A whole batch goes to one branch, chosen by its mean."""
    p = {"a": draw.weight(width, width), "b": draw.weight(width, width), "c": draw.normal(width)}

    def apply(p, x):
        score = jnp.abs(jnp.sum(x.astype(jnp.float32).mean((0, 1)) * p["c"].astype(jnp.float32)))
        return jax.lax.switch(jnp.clip((score * 2).astype(jnp.int32), 0, 2),
                              [lambda: jnp.tanh(x @ p["a"]), lambda: x @ p["b"] * np.array(0.5, x.dtype), lambda: x])
    return p, apply


def experts(draw, width):
    return draw.name(capacity, sorted_tokens, expert_choice, soft, switched)(draw, width)
