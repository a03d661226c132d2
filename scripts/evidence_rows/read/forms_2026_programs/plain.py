"""Programs of JAX alone: calls of Python, prints, checks, random keys, linear algebra, meshes and donated arguments."""
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify, io_callback
from jax.sharding import PartitionSpec as P
from unseen_programs.draw import Program

from .arrays import grid, key, matrix, positive, vector

PAIR = ((2, 2), ("x", "y"), (0, 1, 2, 3))
ROW = ((4,), ("x",), (0, 1, 2, 3))


def pure_callback():
    def function(x):
        return jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x, vmap_method="sequential") + 1
    return Program(function, [vector(8)])


def callback_in_a_loop():
    def function(x):
        def step(carry, _):
            carry = jax.pure_callback(lambda v: np.float32(v * 0.5), jax.ShapeDtypeStruct((), np.float32), carry)
            return carry, carry
        return jax.lax.scan(step, x.sum(), None, length=3)
    return Program(function, [vector(8)])


def ordered_io():
    def function(x):
        first = io_callback(lambda v: np.float32(v.sum()), jax.ShapeDtypeStruct((), np.float32), x, ordered=True)
        second = io_callback(lambda v: np.float32(v.max()), jax.ShapeDtypeStruct((), np.float32), x * first, ordered=True)
        return first + second
    return Program(function, [vector(6)])


def prints():
    def function(x):
        jax.debug.print("the sum is {}", x.sum())
        jax.debug.print("largest {a}, smallest {b}", a=x.max(), b=x.min(), ordered=True)
        return jnp.tanh(x)
    return Program(function, [vector(6)])


def print_in_a_branch():
    def function(x):
        def loud(v):
            jax.debug.print("negative {}", v)
            return -v
        return jax.lax.cond(x.sum() < 0, loud, lambda v: v * 2, x)
    return Program(function, [vector(6)])


def checks():
    def checked(x, i):
        checkify.check(x.sum() > -100, "sum too small: {s}", s=x.sum())
        return jnp.log(jnp.abs(x) + 1) / x[i]
    everything = checkify.user_checks | checkify.float_checks | checkify.index_checks

    def function(x, i):
        error, out = checkify.checkify(checked, errors=everything)(x, i)
        return error.get is not None, out, jax.tree.leaves(error)
    return Program(function, [vector(8), np.int32(3)])


def random_keys():
    def function(bits):
        keys = jax.random.split(jax.random.wrap_key_data(bits), 4)
        draws = jax.vmap(lambda k: jax.random.normal(k, (3,)))(keys)
        return draws, jax.random.key_data(jax.random.fold_in(keys[0], 7)), jax.random.permutation(keys[1], 10)
    return Program(function, [key()])


def other_generators():
    def function(bits):
        fast = jax.random.wrap_key_data(jnp.tile(bits, 2), impl="rbg")
        return jax.random.bits(fast, (6,)), jax.random.uniform(fast, (2, 3)), jax.random.categorical(
            jax.random.wrap_key_data(bits), jnp.zeros((4, 5)))
    return Program(function, [key()])


def distributions():
    def function(bits):
        keys = jax.random.split(jax.random.wrap_key_data(bits), 4)
        return (jax.random.gamma(keys[0], 2.0, (3,)), jax.random.poisson(keys[1], 3.0, (4,)),
                jax.random.dirichlet(keys[2], jnp.ones(3)), jax.random.orthogonal(keys[3], 3))
    return Program(function, [key()])


def factorizations():
    def function(a, b):
        lu, pivots, order = jax.lax.linalg.lu(a)
        return (jnp.linalg.cholesky(a), jnp.linalg.qr(a)[1], jnp.linalg.eigh(a)[0], jnp.linalg.svd(a, compute_uv=False),
                jnp.linalg.solve(a, b), lu, pivots, order)
    return Program(function, [positive(5), vector(5)])


def general_eigenvalues():
    def function(a):
        return jnp.sort(jnp.abs(jnp.linalg.eigvals(a))), jax.scipy.linalg.expm(a * 0.1), jnp.linalg.slogdet(a)
    return Program(function, [matrix(4, 4)], x64=True)


def schur_and_tridiagonal():
    def function(a, d):
        return (jnp.abs(jax.scipy.linalg.schur(a)[0]), jax.scipy.linalg.hessenberg(a),
                jax.lax.linalg.tridiagonal_solve(d * 0.1, d + 4, d * 0.2, a[:, :1]))
    return Program(function, [positive(4), vector(4)])


def sharded_layer():
    def function(x, w):
        return jax.nn.gelu(x @ w).sum(axis=0)
    return Program(function, [matrix(8, 16), matrix(16, 8)], mesh=PAIR, specs_in=[P("x", None), P(None, "y")],
                   specs_out=lambda shape: P())


def sharded_gradient():
    def loss(w, x):
        return jnp.mean(jnp.square(jnp.tanh(x @ w["a"]) @ w["b"]))

    def function(w, x):
        return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x))
    return Program(function, [{"a": matrix(8, 16), "b": matrix(16, 4)}, matrix(8, 8)], mesh=PAIR, donate=(0,),
                   specs_in=[{"a": P(None, "y"), "b": P("y", None)}, P("x", None)],
                   specs_out=lambda shape: P(None, "y") if shape == (8, 16) else P("y", None))


def ring(mesh):
    def inner(x):
        total = x
        for _ in range(3):
            x = jax.lax.ppermute(x, "x", [(i, (i + 1) % 4) for i in range(4)])
            total = total + x
        return total, jax.lax.all_gather(x, "x", tiled=True), jax.lax.psum_scatter(jnp.tile(x, (4, 1)), "x", tiled=True)
    return jax.shard_map(inner, mesh=mesh, in_specs=P("x"), out_specs=(P("x"), P("x"), P("x")), check_vma=False)


def manual_collectives():
    return Program(ring, [matrix(8, 4)], mesh=ROW, specs_in=[P("x", None)], specs_out=lambda shape: P("x"), manual=True,
                   collective=True)


def sharded_print():
    def function(x):
        jax.debug.print("mean {}", x.mean())
        return jnp.cumsum(x, axis=1)
    return Program(function, [matrix(8, 4)], mesh=ROW, specs_in=[P("x", None)], specs_out=lambda shape: P("x", None))


def donated_update():
    def function(state, g):
        return jax.tree.map(lambda s: s * 0.9 + g.mean(), state)
    return Program(function, [{"m": vector(32), "v": matrix(4, 8)}, vector(16)], donate=(0,))


def ragged_and_sparse():
    from jax.experimental import sparse

    def function(data, at, x, sizes):
        product = sparse.BCOO((data, at), shape=(6, 5)) @ x
        return product, jax.lax.ragged_dot(jnp.tile(x.T, (1, 1)), jnp.ones((2, 5, 3)), sizes)
    at = np.array([[0, 1], [2, 3], [5, 4], [3, 0]], np.int32)
    return Program(function, [vector(4), at, matrix(5, 4), np.array([1, 3], np.int32)])


def narrow_types():
    def function(x):
        small = x.astype(jnp.float8_e4m3fn).astype(jnp.float32)
        four = x.astype(jnp.int4).astype(jnp.int32)
        return small, four, x.astype(jnp.float8_e5m2).astype(jnp.bfloat16)
    return Program(function, [grid(4, 6)])


def custom_rules():
    @functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
    def scaled(x, factor):
        return x * factor
    scaled.defvjp(lambda x, factor: (scaled(x, factor), x), lambda factor, x, g: (g * factor + x * 0,))

    def function(x):
        return jax.grad(lambda v: jax.checkpoint(lambda u: jnp.sin(scaled(u, 3.0)))(v).sum())(x)
    return Program(function, [vector(6)])


LIBRARIES = {"jax": (pure_callback, callback_in_a_loop, ordered_io, prints, print_in_a_branch, checks, random_keys, other_generators,
                     distributions, factorizations, general_eigenvalues, schur_and_tridiagonal, sharded_layer,
                     sharded_gradient, manual_collectives, sharded_print, donated_update, ragged_and_sparse, narrow_types,
                     custom_rules)}
