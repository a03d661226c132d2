"""Sparse and segmented data: graph networks, embeddings, sparse matrices, histograms."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


@program("graph convolution train, 4096 nodes, 32768 edges")
def graph(draw):
    def step(weights, x, source, target, y):
        def loss(weights):
            h = x
            for w in weights:
                h = jax.nn.relu(jax.ops.segment_sum((h @ w)[source], target, 4096) * 0.125)
            return jnp.mean((h - y) ** 2)
        value, gradient = jax.value_and_grad(loss)(weights)
        return value, [w - 0.1 * g for w, g in zip(weights, gradient)]
    return step, ([draw.weight(64, 64), draw.weight(64, 64)], draw.normal(4096, 64), draw.integers(32768, high=4096),
                  draw.integers(32768, high=4096), draw.normal(4096, 64))


@program("graph attention, 2048 nodes, 16384 edges")
def graph_attention(draw):
    def step(w, a, x, source, target):
        h = x @ w
        scores = jax.nn.leaky_relu((h[source] * a[0]).sum(-1) + (h[target] * a[1]).sum(-1))
        weight = jnp.exp(scores - jax.ops.segment_max(scores, target, 2048)[target])
        weight = weight / jax.ops.segment_sum(weight, target, 2048)[target]
        return jax.ops.segment_sum(weight[:, None] * h[source], target, 2048)
    return step, (draw.weight(64, 64), draw.normal(2, 64), draw.normal(2048, 64), draw.integers(16384, high=2048),
                  draw.integers(16384, high=2048))


@program("sparse matrix times vector, 262144 entries")
def spmv(draw):
    return lambda values, rows, columns, x: jnp.zeros(16384).at[rows].add(values * x[columns]), (
        draw.normal(262144), draw.integers(262144, high=16384), draw.integers(262144, high=16384), draw.normal(16384))


@program("sparse matrix times 32 columns, sorted rows")
def spmm(draw):
    rows = draw.integers(65536, high=8192)
    rows.sort()
    return lambda values, rows, columns, x: jax.ops.segment_sum(values[:, None] * x[columns], rows, 8192, indices_are_sorted=True), (
        draw.normal(65536), rows, draw.integers(65536, high=8192), draw.normal(8192, 32))


@program("embedding bags train, 100000x32")
def bags(draw):
    def step(table, w, ids, y):
        def loss(table, w):
            return jnp.mean((table[ids].sum(1) @ w - y) ** 2)
        value, (table_gradient, gradient) = jax.value_and_grad(loss, (0, 1))(table, w)
        return value, table - 0.1 * table_gradient, w - 0.1 * gradient
    return step, (draw.normal(100000, 32), draw.weight(32, 8), draw.integers(512, 20, high=100000), draw.normal(512, 8))


@program("rows updated in place, 50000x64")
def rows_updated(draw):
    def step(table, sums, ids, gradients):
        sums = sums.at[ids].add(jnp.mean(gradients ** 2, -1))
        return table.at[ids].add(-0.1 * gradients / jnp.sqrt(sums[ids] + 1e-6)[:, None]), sums
    return step, (draw.normal(50000, 64), draw.uniform(50000), draw.integers(4096, high=50000), draw.normal(4096, 64))


@program("histogram of 1 M values")
def histogram(draw):
    return lambda x: jnp.zeros(256, jnp.int32).at[jnp.clip((x * 32 + 128).astype(jnp.int32), 0, 255)].add(1), (draw.normal(1000000),)


@program("conjugate gradients, 5-point stencil 128x128, 50 steps")
def gradients(draw):
    def apply(x):
        p = jnp.pad(x, 1)
        return 4.1 * x - p[2:, 1:-1] - p[:-2, 1:-1] - p[1:-1, 2:] - p[1:-1, :-2]

    def step(b):
        def one(_, state):
            x, r, p, rr = state
            q = apply(p)
            alpha = rr / jnp.vdot(p, q)
            x, r = x + alpha * p, r - alpha * q
            new = jnp.vdot(r, r)
            return x, r, r + new / rr * p, new
        return lax.fori_loop(0, 50, one, (jnp.zeros_like(b), b, b, jnp.vdot(b, b)))[0]
    return step, (draw.normal(128, 128),)
