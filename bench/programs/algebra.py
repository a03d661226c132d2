"""Linear algebra: factorizations, solvers and functions of matrices, one and in batches."""
import jax
import jax.numpy as jnp
import jax.scipy.linalg as sl

from wide import program


@program("gaussian process 384 points")
def process(draw):
    def step(x, y, at):
        kernel = lambda a, b: jnp.exp(-0.5 * ((a[:, None] - b) ** 2).sum(-1))
        factor = sl.cho_factor(kernel(x, x) + 0.1 * jnp.eye(x.shape[0]), lower=True)
        cross = kernel(at, x)
        mean = cross @ sl.cho_solve(factor, y)
        variance = 1 - jnp.einsum("ij,ji->i", cross, sl.cho_solve(factor, cross.T))
        return mean, variance, jnp.log(jnp.diag(factor[0])).sum()
    return step, (draw.normal(384, 3), draw.normal(384), draw.normal(128, 3))


@program("lu solve 256, 16 right sides")
def solve(draw):
    return jnp.linalg.solve, (draw.normal(256, 256), draw.normal(256, 16))


@program("batched solve 256x16x16")
def batched_solve(draw):
    return jnp.linalg.solve, (draw.spd(256, 16, 16), draw.normal(256, 16, 1))


@program("least squares by qr 512x64")
def least_squares(draw):
    def step(a, b):
        q, r = jnp.linalg.qr(a)
        return sl.solve_triangular(r, q.T @ b)
    return step, (draw.normal(512, 64), draw.normal(512, 4))


@program("eigh 128")
def eigh(draw):
    def step(a):
        values, vectors = jnp.linalg.eigh(a)
        return values, (vectors * jnp.sqrt(jnp.abs(values))) @ vectors.T
    return step, (draw.spd(128, 128),)


@program("batched eigh 64x8x8")
def batched_eigh(draw):
    return lambda a: jnp.linalg.eigh(a)[0], (draw.spd(64, 8, 8),)


@program("svd 128x64, low rank")
def svd(draw):
    def step(a):
        u, s, v = jnp.linalg.svd(a, full_matrices=False)
        return s, (u[:, :16] * s[:16]) @ v[:16]
    return step, (draw.normal(128, 64),)


@program("singular values 256x256")
def singular(draw):
    return lambda a: jnp.linalg.svd(a, compute_uv=False), (draw.normal(256, 256),)


@program("pseudoinverse 96x48")
def pseudoinverse(draw):
    return jnp.linalg.pinv, (draw.normal(96, 48),)


@program("matrix exponential 64")
def exponential(draw):
    return sl.expm, (draw.normal(64, 64, scale=0.2),)


@program("inverse and determinant 200")
def inverse(draw):
    return lambda a: (jnp.linalg.inv(a), jnp.linalg.slogdet(a)[1]), (draw.normal(200, 200),)


@program("eigenvalues of a general matrix 64")
def general(draw):
    def step(a):
        values = jnp.linalg.eigvals(a)
        return jnp.sort(jnp.abs(values)), jnp.sum(values).real
    return step, (draw.normal(64, 64),)


@program("complex hermitian eigenvalues 64")
def hermitian(draw):
    a = draw.normal(64, 64) + 1j * draw.normal(64, 64)
    return lambda a: jnp.linalg.eigh(a)[0], (a + a.conj().T,)


@program("cholesky train 128, log determinant")
def log_determinant(draw):
    def step(a, y):
        def loss(a):
            factor = jnp.linalg.cholesky(a)
            z = sl.solve_triangular(factor, y, lower=True)
            return 0.5 * (z * z).sum() + jnp.log(jnp.diag(factor)).sum()
        return jax.value_and_grad(loss)(a)
    return step, (draw.spd(128, 128), draw.normal(128))


@program("power iteration with deflation 256, 4x20 steps")
def power(draw):
    def step(a, start):
        values = []
        for index in range(4):
            v = jax.lax.fori_loop(0, 20, lambda _, v, a=a: a @ v / jnp.linalg.norm(a @ v), start[index])
            values.append(v @ a @ v)
            a = a - values[-1] * jnp.outer(v, v)
        return jnp.stack(values)
    return step, (draw.spd(256, 256), draw.normal(4, 256))
