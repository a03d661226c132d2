"""Networks composed of random blocks: forward passes, training steps, stacks of equal layers in a scan."""
import jax
import jax.numpy as jnp
import numpy as np

from . import attention, experts, layers, mixing, training
from .draw import BF16, Program


def block(draw, width):
    """A norm and an inner part with a residual connection."""
    inner = draw.pick(attention.attention, attention.attention, layers.feed_forward, mixing.mixing, experts.experts)
    norm_p, norm = layers.norm(draw, width)
    part_p, part = inner(draw, width)
    before = draw.chance(0.7)

    def apply(p, x):
        if before:
            return x + part(p["part"], norm(p["norm"], x)).astype(x.dtype)
        return norm(p["norm"], x + part(p["part"], x).astype(x.dtype))
    return {"norm": norm_p, "part": part_p}, apply


def body(draw, width):
    """Different blocks in sequence, or one group of blocks repeated in a scan with stacked parameters."""
    made = [block(draw, width) for _ in range(draw.pick(1, 1, 2))]
    functions = [training.remembered(draw, each[1]) for each in made]

    def once(p, x):
        for each, function in zip(p, functions):
            x = function(each, x)
        return x
    if draw.name("sequence", "sequence", "stack") == "sequence":
        return [each[0] for each in made], once
    depth = draw.pick(2, 3)
    stacked = jax.tree.map(lambda x: np.stack([x + draw.normal(*x.shape, scale=0.05, dtype=x.dtype)
                                               for _ in range(depth)]), [each[0] for each in made])
    return stacked, lambda p, x: jax.lax.scan(lambda x, p: (once(p, x), None), x, p)[0]


def network(draw):
    """Returns (parameters, function from tokens to logits, batch of tokens, width)."""
    width, words = draw.pick(8, 16), draw.pick(11, 16)
    batch, time = draw.pick(2, 4), draw.pick(4, 6, 8)
    inner_p, inner = body(draw, width)
    kind = draw.name("f32", "f32", "f32", "bf16", "f16")
    dtype = {"f32": jnp.float32, "bf16": jnp.bfloat16, "f16": jnp.float16}[kind]
    tied = draw.chance(0.4)
    p = {"embed": draw.normal(words, width, scale=0.5), "inner": inner_p}
    if not tied:
        p["head"] = draw.weight(width, words)

    def apply(p, tokens):
        if dtype != jnp.float32:
            p = jax.tree.map(lambda x: x.astype(dtype), p)
        x = inner(p["inner"], p["embed"][tokens])
        return (x @ (p["embed"].T if tied else p["head"])).astype(jnp.float32)
    return p, apply, draw.integers(0, words, batch, time), words


def forward(draw):
    p, apply, tokens, _ = network(draw)
    if draw.chance(0.3):
        p = jax.tree.map(lambda x: x.astype(BF16), p)
    what = draw.name("logits", "probabilities", "likelihood", "many")

    def function(p, tokens):
        logits = apply(p, tokens)
        if what == "probabilities":
            return jax.nn.softmax(logits, axis=-1)
        if what == "likelihood":
            return training.cross_entropy(logits[:, :-1], tokens[:, 1:])
        if what == "many":
            return jax.vmap(lambda s: apply(jax.tree.map(lambda x: x * s.astype(x.dtype), p), tokens))(jnp.arange(1, 3) / 2)
        return logits
    return Program(function, [p, tokens])


def train(draw):
    p, apply, tokens, words = network(draw)
    measure = training.loss(draw)
    labels = draw.integers(0, words, *tokens.shape)
    step, first = training.step_of(draw, lambda p, x, y: measure(apply(p, x), y), p)
    return Program(step, [*first, tokens, labels], donate=(0, 1) if draw.chance(0.6) else ())


def derivative(draw):
    """Forward-mode, second-order and per-example derivatives."""
    p, apply, tokens, words = network(draw)
    labels = draw.integers(0, words, *tokens.shape)
    how = draw.name("jvp", "per_example", "hessian_vector", "linearize")

    def function(p, x, y):
        def objective(p, x, y):
            return training.cross_entropy(apply(p, x), y)
        if how == "jvp":
            return jax.jvp(lambda p: objective(p, x, y), (p,), (p,))
        if how == "per_example":
            return jax.vmap(jax.grad(objective), (None, 0, 0))(p, x[:, None], y[:, None])
        if how == "hessian_vector":
            return jax.jvp(lambda p: jax.grad(objective)(p, x, y), (p,), (jax.tree.map(jnp.ones_like, p),))[1]["embed"]
        value, tangent = jax.linearize(lambda p: objective(p, x, y), p)
        return value, tangent(jax.tree.map(lambda x: x * 0.1, p))
    return Program(function, [p, tokens, labels])
