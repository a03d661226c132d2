"""Programs of libraries of neural networks: equinox, flax, haiku, penzai."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P
from unseen_programs.draw import Program

from .arrays import key, matrix, vector


def error_check():
    import equinox

    def function(x):
        x = equinox.error_if(x, jnp.any(x > 100), "an input is too large")
        return jnp.sqrt(jnp.abs(x)) * 2
    return Program(function, [vector(6)])


def branched_error():
    import equinox

    def function(x, i):
        x = equinox.branched_error_if(x, jnp.any(jnp.isnan(x)), i, ["first reason", "second reason"])
        return jnp.cumsum(x)
    return Program(function, [vector(6), np.int32(1)])


def perceptron_gradient():
    import equinox
    model = equinox.nn.MLP(6, 3, 8, 2, key=jax.random.key(0))
    arrays, rest = equinox.partition(model, equinox.is_array)

    def function(weights, x):
        return jax.grad(lambda w: jnp.square(jax.vmap(equinox.combine(w, rest))(x)).mean())(weights)
    return Program(function, [arrays, matrix(5, 6)])


def recurrent_cell():
    import equinox
    cell = equinox.nn.GRUCell(4, 6, key=jax.random.key(1))
    arrays, rest = equinox.partition(cell, equinox.is_array)

    def function(weights, xs):
        made = equinox.combine(weights, rest)
        return jax.lax.scan(lambda h, x: (made(x, h),) * 2, jnp.zeros(6), xs)[1]
    return Program(function, [arrays, matrix(5, 4)])


def checked_while_loop():
    import equinox

    def function(x):
        def body(state):
            i, v = state
            return i + 1, v.at[i].set(jnp.sin(v[i]) + v[i - 1])
        return jax.grad(lambda v: equinox.internal.while_loop(lambda s: s[0] < 5, body, (1, v), max_steps=8, kind="checkpointed",
                                                              checkpoints=3)[1].sum())(x)
    return Program(function, [vector(6)])


def convolutional():
    import flax.linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.relu(nn.Conv(4, (3, 3))(x))
            x = nn.avg_pool(x, (2, 2), (2, 2))
            return nn.Dense(3)(nn.LayerNorm()(x.reshape(x.shape[0], -1)))
    image = np.random.default_rng(5).standard_normal((2, 6, 6, 2)).astype(np.float32)
    weights = Network().init(jax.random.key(0), image)
    return Program(Network().apply, [weights, image])


def attention_with_dropout():
    import flax.linen as nn
    x = np.random.default_rng(6).standard_normal((2, 5, 8)).astype(np.float32)
    layer = nn.MultiHeadDotProductAttention(num_heads=2, dropout_rate=0.2, deterministic=False)
    weights = layer.init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, x)

    def function(weights, x, bits):
        return layer.apply(weights, x, rngs={"dropout": jax.random.wrap_key_data(bits)})
    return Program(function, [weights, x, key()])


def nnx_batch_norm():
    from flax import nnx

    class Network(nnx.Module):
        def __init__(self, rngs):
            self.linear = nnx.Linear(4, 6, rngs=rngs)
            self.norm = nnx.BatchNorm(6, rngs=rngs)

        def __call__(self, x):
            return self.norm(jax.nn.silu(self.linear(x)))
    graph, state = nnx.split(Network(nnx.Rngs(0)))

    def function(state, x):
        network = nnx.merge(graph, state)
        out = network(x)
        return out, nnx.state(network)
    return Program(function, [state, matrix(5, 4)])


def sharded_network():
    import flax.linen as nn

    class Network(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(4)(nn.gelu(nn.Dense(16)(x)))
    x = matrix(8, 8)
    weights = Network().init(jax.random.key(0), x)

    def function(weights, x):
        return jax.grad(lambda w: jnp.square(Network().apply(w, x)).mean())(weights)
    parts = {"params": {"Dense_0": {"bias": P("y"), "kernel": P(None, "y")}, "Dense_1": {"bias": P(), "kernel": P("y", None)}}}
    return Program(function, [weights, x], mesh=((2, 2), ("x", "y"), (0, 1, 2, 3)), specs_in=[parts, P("x", None)],
                   specs_out=lambda shape: P())


def long_short_term_memory():
    import haiku

    def forward(xs):
        core = haiku.LSTM(6)
        return haiku.dynamic_unroll(core, xs, core.initial_state(None))[0]
    made = haiku.without_apply_rng(haiku.transform(forward))
    xs = matrix(5, 4)
    return Program(made.apply, [made.init(jax.random.key(0), xs), xs])


def residual_block():
    import haiku

    def forward(x):
        y = haiku.Conv2D(4, 3)(jax.nn.relu(haiku.BatchNorm(True, True, 0.9)(x, True)))
        return x + y
    made = haiku.without_apply_rng(haiku.transform_with_state(forward))
    image = np.random.default_rng(5).standard_normal((2, 5, 5, 4)).astype(np.float32)
    weights, state = made.init(jax.random.key(0), image)
    return Program(made.apply, [weights, state, image])


def named_axes():
    from penzai import pz

    def function(x, w):
        a, b = pz.nx.wrap(x, "batch", "feature"), pz.nx.wrap(w, "feature", "out")
        product = pz.nx.nmap(jnp.dot)(a.untag("feature"), b.untag("feature"))
        return pz.nx.nmap(jax.nn.softmax)(product.untag("out")).tag("out").unwrap("batch", "out")
    return Program(function, [matrix(4, 5), matrix(5, 3)])


LIBRARIES = {"equinox": (error_check, branched_error, perceptron_gradient, recurrent_cell, checked_while_loop),
             "flax": (convolutional, attention_with_dropout, nnx_batch_norm, sharded_network),
             "haiku": (long_short_term_memory, residual_block),
             "penzai": (named_axes,)}
