"""Differential equations, filters, games and other loops of small operations."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


def rk4(f, x, h):
    a = f(x)
    b = f(x + 0.5 * h * a)
    c = f(x + 0.5 * h * b)
    return x + h / 6 * (a + 2 * b + 2 * c + f(x + h * c))


@program("lorenz rk4, 2000 steps of 3 numbers")
def lorenz(draw):
    def field(v):
        x, y, z = v
        return jnp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])
    return lambda v: lax.scan(lambda s, _: (rk4(field, s, 0.002),) * 2, v, None, 2000)[1], (draw.normal(3),)


@program("neural ode, 100 rk4 steps, 32x16")
def neural(draw):
    def step(a, b, x):
        return lax.fori_loop(0, 100, lambda _, x: rk4(lambda y: jnp.tanh(y @ a) @ b, x, 0.05), x)
    return step, (draw.weight(16, 64), draw.weight(64, 16), draw.normal(32, 16))


@program("adaptive steps until done, 256 oscillators")
def adaptive(draw):
    def step(x, v, stiffness):
        def move(x, v, h):
            middle = v - 0.5 * h * stiffness * x
            x = x + h * middle
            return x, middle - 0.5 * h * stiffness * x

        def one(state):
            t, h, x, v = state
            big = move(x, v, h)
            small = move(*move(x, v, h / 2), h / 2)
            error = jnp.max(jnp.abs(big[0] - small[0])) / 1e-4
            good = error < 1
            new = h * jnp.clip(0.9 * (error + 1e-9) ** -0.3333, 0.3, 2.0)
            return jnp.where(good, t + h, t), new, jnp.where(good, small[0], x), jnp.where(good, small[1], v)
        return lax.while_loop(lambda s: s[0] < 5, one, (0.0, 0.1, x, v))
    return step, (draw.normal(256), draw.normal(256), draw.uniform(256, low=0.5, high=4))


@program("bodies under gravity, 128, 50 steps")
def bodies(draw):
    def force(x, mass):
        d = x[:, None] - x
        return -(d * (mass[None] / ((d ** 2).sum(-1) + 0.05) ** 1.5)[..., None]).sum(1)

    def step(x, v, mass):
        def one(_, state):
            x, v = state
            v = v + 0.01 * force(x, mass)
            return x + 0.01 * v, v
        return lax.fori_loop(0, 50, one, (x, v))
    return step, (draw.normal(128, 3), draw.normal(128, 3, scale=0.1), draw.uniform(128))


@program("heat equation 256x256, 100 steps")
def heat(draw):
    def one(_, u):
        return u + 0.2 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u)
    return lambda u: lax.fori_loop(0, 100, one, u), (draw.normal(256, 256),)


@program("kalman filter, 300 steps, 6 states")
def kalman(draw):
    def step(a, c, q, r, ys):
        def one(state, y):
            mean, cov = state
            mean, cov = a @ mean, a @ cov @ a.T + q
            s = c @ cov @ c.T + r
            determinant = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
            inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / determinant
            gain = cov @ c.T @ inverse
            mean = mean + gain @ (y - c @ mean)
            return (mean, (jnp.eye(6) - gain @ c) @ cov), mean
        return lax.scan(one, (jnp.zeros(6), jnp.eye(6)), ys)[1]
    return step, (draw.normal(6, 6, scale=0.3), draw.normal(2, 6), draw.spd(6, 6), draw.spd(2, 2), draw.normal(300, 2))


@program("hamiltonian monte carlo, 64 chains, 20x10 leaps")
def hamiltonian(draw):
    def energy(x):
        return 0.5 * (x ** 2).sum() + jnp.sin(x).sum()
    slope = jax.vmap(jax.grad(energy))

    def step(x, noise, u):
        def one(x, at):
            p, u = at

            def leap(_, state):
                y, p = state
                p = p - 0.05 * slope(y)
                y = y + 0.1 * p
                return y, p - 0.05 * slope(y)
            y, end = lax.fori_loop(0, 10, leap, (x, p))
            change = jax.vmap(energy)(x) - jax.vmap(energy)(y) + 0.5 * ((p ** 2).sum(-1) - (end ** 2).sum(-1))
            return jnp.where((jnp.log(u) < change)[:, None], y, x), change
        return lax.scan(one, x, (noise, u))
    return step, (draw.normal(64, 8), draw.normal(20, 64, 8), draw.uniform(20, 64, low=1e-6))


@program("game of life 512x512, 50 steps")
def life(draw):
    def one(_, cells):
        padded = jnp.pad(cells, 1, mode="wrap")
        count = sum(padded[i:i + 512, j:j + 512] for i in range(3) for j in range(3)) - cells
        return ((count == 3) | ((cells == 1) & (count == 2))).astype(jnp.int32)
    return lambda cells: lax.fori_loop(0, 50, one, cells), (draw.integers(512, 512, high=2),)


@program("edit distances, 64 pairs of 128")
def edits(draw):
    def step(a, b):
        def row(before, at):
            i, c = at
            changed = before[:, :-1] + (b != c[:, None])
            best = jnp.minimum(before[:, 1:] + 1, changed)

            def cell(left, x):
                new = jnp.minimum(left + 1, x)
                return new, new
            first = jnp.full(64, i + 1)
            return jnp.concatenate([first[:, None], lax.scan(cell, first, best.T)[1].T], 1), None
        start = jnp.broadcast_to(jnp.arange(129), (64, 129))
        return lax.scan(row, start, (jnp.arange(128), a.T))[0][:, -1]
    return step, (draw.integers(64, 128, high=4), draw.integers(64, 128, high=4))


@program("advantages of 64 games, 256 steps, and a policy loss")
def advantages(draw):
    def step(rewards, values, done, w, x, actions):
        def one(state, at):
            reward, value, after, alive = at
            state = reward + 0.99 * after * alive - value + 0.99 * 0.95 * alive * state
            return state, state
        alive = 1.0 - done
        _, gains = lax.scan(one, jnp.zeros(64), (rewards, values[:-1], values[1:], alive), reverse=True)
        gains = (gains - gains.mean()) / (gains.std() + 1e-8)

        def loss(w):
            scores = jax.nn.log_softmax(jnp.tanh(x @ w[0]) @ w[1])
            return -jnp.mean(jnp.take_along_axis(scores, actions[..., None], -1)[..., 0] * gains)
        return jax.value_and_grad(loss)(w)
    return step, (draw.normal(256, 64), draw.normal(257, 64), draw.integers(256, 64, high=2).astype("float32"),
                  (draw.weight(16, 64), draw.weight(64, 4)), draw.normal(256, 64, 16), draw.integers(256, 64, high=4))
