"""Double precision: simulation, statistics, special functions and linear algebra."""
import jax
import jax.numpy as jnp
import jax.scipy.linalg as sl
from jax import lax
import numpy as np

from wide import program


@program("products 384^3 and a softmax, f64")
def products(draw):
    return lambda a, b: jax.nn.softmax(a @ b), (draw.normal(384, 384, dtype=np.float64), draw.weight(384, 384, dtype=np.float64))


@program("perceptron train 64x128, f64")
def perceptron(draw):
    def step(weights, x, y):
        def loss(weights):
            return jnp.mean((jnp.tanh(jnp.tanh(x @ weights[0]) @ weights[1]) @ weights[2] - y) ** 2)
        value, gradient = jax.value_and_grad(loss)(weights)
        return value, [w - 0.1 * g for w, g in zip(weights, gradient)]
    return step, ([draw.weight(128, 128, dtype=np.float64) for _ in range(3)], draw.normal(64, 128, dtype=np.float64),
                  draw.normal(64, 128, dtype=np.float64))


@program("special functions of 200000, f64")
def special(draw):
    def step(x):
        s = jax.scipy.special
        return s.erf(x) + s.gammaln(x + 1) + s.log_ndtr(-x), jnp.exp(-x) * jnp.sin(3 * x) + jnp.log1p(x) ** 1.5, s.digamma(x + 1)
    return step, (draw.uniform(200000, low=0.1, high=5, dtype=np.float64),)


@program("molecules, 216 atoms, 20 steps, f64")
def molecules(draw):
    def energy(x):
        d = x[:, None] - x
        d = d - 8.0 * jnp.round(d / 8.0)
        square = (d ** 2).sum(-1) + 100.0 * jnp.eye(x.shape[0])
        sixth = 1.0 / jnp.maximum(square, 0.5) ** 3
        return 2.0 * jnp.sum(sixth * sixth - sixth)

    def step(x, v):
        def one(_, state):
            x, v, f = state
            v = v + 0.0005 * f
            x = x + 0.001 * v
            f = -jax.grad(energy)(x)
            return x, v + 0.0005 * f, f
        return lax.fori_loop(0, 20, one, (x, v, -jax.grad(energy)(x)))
    grid = np.stack(np.meshgrid(*[np.arange(6) * 8 / 6] * 3), -1).reshape(-1, 3)
    return step, (grid + draw.normal(216, 3, dtype=np.float64, scale=0.02), draw.normal(216, 3, dtype=np.float64, scale=0.1))


@program("cholesky solve 256, f64")
def cholesky(draw):
    return lambda a, b: sl.cho_solve(sl.cho_factor(a), b), (draw.spd(256, 256, dtype=np.float64), draw.normal(256, 8, dtype=np.float64))


@program("eigh 96, f64")
def eigh(draw):
    return lambda a: jnp.linalg.eigh(a)[0], (draw.spd(96, 96, dtype=np.float64),)


@program("shallow water 128x128, 40 steps, f64")
def water(draw):
    def slope(u, axis):
        return (jnp.roll(u, -1, axis) - jnp.roll(u, 1, axis)) * 0.5

    def one(_, state):
        h, u, v = state
        return (h - 0.02 * (slope(h * u, 0) + slope(h * v, 1)), u - 0.02 * (u * slope(u, 0) + v * slope(u, 1) + slope(h, 0)),
                v - 0.02 * (u * slope(v, 0) + v * slope(v, 1) + slope(h, 1)))
    return lambda h, u, v: lax.fori_loop(0, 40, one, (h, u, v)), (
        1 + 0.1 * draw.uniform(128, 128, dtype=np.float64), *(0.1 * draw.normal(128, 128, dtype=np.float64) for _ in range(2)))


@program("moments and correlations 20000x32, f64")
def moments(draw):
    def step(x):
        z = (x - x.mean(0)) / x.std(0)
        return z.T @ z / x.shape[0], (z ** 3).mean(0), (z ** 4).mean(0), jnp.cumsum(x, 0)[-1], jnp.percentile(x[:, 0], 90)
    return step, (draw.normal(20000, 32, dtype=np.float64),)


@program("fft of 16384 and autocorrelation, f64")
def autocorrelation(draw):
    return lambda x: jnp.fft.irfft(jnp.abs(jnp.fft.rfft(x, 32768)) ** 2)[:16384], (draw.normal(16384, dtype=np.float64),)


@program("newton's method, 4096 roots, f64")
def newton(draw):
    def step(a):
        def one(state):
            x, _, count = state
            new = x - (x ** 3 - x - a) / (3 * x * x - 1)
            return new, jnp.max(jnp.abs(new - x)), count + 1
        return lax.while_loop(lambda s: (s[1] > 1e-12) & (s[2] < 50), one, (jnp.full_like(a, 2.0), jnp.inf, 0))[0]
    return step, (draw.uniform(4096, low=2, high=5, dtype=np.float64),)
