"""Scientific programs: solvers, factorizations, differential equations, filters, clustering, transport."""
import jax
import jax.numpy as jnp
import numpy as np

from .draw import Program


def dtype_of(draw):
    kind = draw.name("f32", "f32", "f64")
    return np.dtype(np.float64 if kind == "f64" else np.float32), kind == "f64"


def positive(draw, n, dtype):
    a = draw.normal(n, n, dtype=np.float64)
    return (a @ a.T / n + np.eye(n)).astype(dtype)


def conjugate_gradient(draw):
    dtype, x64 = dtype_of(draw)
    n = draw.pick(4, 6)

    def function(a, b):
        def body(state):
            i, x, r, p, rs = state
            ap = a @ p
            alpha = rs / (p @ ap)
            x, r = x + alpha * p, r - alpha * ap
            new = r @ r
            return i + 1, x, r, r + new / rs * p, new
        start = (0, jnp.zeros_like(b), b, b, b @ b)
        return jax.lax.while_loop(lambda s: (s[0] < 3) & (s[4] > 1e-12), body, start)[1]
    return Program(function, [positive(draw, n, dtype), draw.normal(n, dtype=dtype)], x64=x64)


def newton(draw):
    dtype, x64 = dtype_of(draw)

    def function(x, a):
        def f(x):
            return jnp.tanh(a @ x) + 0.5 * x - 0.1
        for _ in range(2):
            x = x - jnp.linalg.solve(jax.jacfwd(f)(x), f(x))
        return x, f(x)
    return Program(function, [draw.normal(4, dtype=dtype), (0.3 * draw.normal(4, 4)).astype(dtype)], x64=x64)


def gaussian_process(draw):
    dtype, x64 = dtype_of(draw)
    n = draw.pick(5, 8)

    def function(x, y, scale, new):
        def kernel(a, b):
            return jnp.exp(-0.5 * jnp.sum((a[:, None] - b[None]) ** 2, -1) / scale ** 2)

        def cost(scale):
            k = jnp.exp(-0.5 * jnp.sum((x[:, None] - x[None]) ** 2, -1) / scale ** 2) + 0.1 * jnp.eye(n, dtype=x.dtype)
            factor = jnp.linalg.cholesky(k)
            z = jax.scipy.linalg.solve_triangular(factor, y, lower=True)
            return 0.5 * z @ z + jnp.sum(jnp.log(jnp.diagonal(factor)))
        factor = jax.scipy.linalg.cho_factor(kernel(x, x) + 0.1 * jnp.eye(n, dtype=x.dtype), lower=True)
        return jax.value_and_grad(cost)(scale), kernel(new, x) @ jax.scipy.linalg.cho_solve(factor, y)
    return Program(function, [draw.normal(n, 2, dtype=dtype), draw.normal(n, dtype=dtype), np.asarray(1.3, dtype),
                              draw.normal(3, 2, dtype=dtype)], x64=x64)


def factorizations(draw):
    dtype, x64 = dtype_of(draw)
    how = draw.name("qr", "eigh", "svd", "lu", "det", "inverse", "lstsq", "pinv", "expm", "matrix_power")
    n = draw.pick(3, 4, 5)
    a = positive(draw, n, dtype) if how in ("eigh", "lu", "det", "inverse", "expm") else draw.normal(n + 2, n, dtype=dtype)
    if how == "matrix_power":
        a = positive(draw, n, dtype) / 2

    def function(a):
        if how == "qr":
            q, r = jnp.linalg.qr(a)
            return q @ r, jnp.abs(jnp.diagonal(r))
        if how == "eigh":
            values, vectors = jnp.linalg.eigh(a)
            return values, jnp.abs(vectors)
        if how == "svd":
            return jnp.linalg.svd(a, compute_uv=False)
        if how == "lu":
            return jax.scipy.linalg.lu(a)
        if how == "det":
            return jax.value_and_grad(lambda a: jnp.linalg.slogdet(a)[1])(a)
        if how == "inverse":
            return jnp.linalg.inv(a)
        if how == "lstsq":
            return jnp.linalg.lstsq(a, a[:, :1] + 1)[0]
        if how == "pinv":
            return jnp.linalg.pinv(a)
        if how == "expm":
            return jax.scipy.linalg.expm(a / 4)
        return jnp.linalg.matrix_power(a, 5)
    return Program(function, [a], x64=x64)


def runge_kutta(draw):
    dtype, x64 = dtype_of(draw)
    field = draw.name("pendulum", "lorenz", "predators", "network")
    adaptive = draw.chance(0.4)
    w = draw.normal(3, 3, scale=0.5, dtype=dtype)

    def function(y, w, h):
        def f(y):
            if field == "pendulum":
                return jnp.stack([y[1], -jnp.sin(y[0]) - 0.1 * y[1], y[2] * 0])
            if field == "lorenz":
                return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]]) * 0.1
            if field == "predators":
                return jnp.stack([y[0] * (1 - y[1]), y[1] * (y[0] - 1), -y[2]])
            return jnp.tanh(w @ y)

        def step(y, h):
            a = f(y)
            b = f(y + h / 2 * a)
            c = f(y + h / 2 * b)
            d = f(y + h * c)
            return y + h / 6 * (a + 2 * b + 2 * c + d), jnp.max(jnp.abs(h * (a - d)))
        if not adaptive:
            return jax.lax.scan(lambda y, _: (step(y, h)[0],) * 2, y, None, length=6)

        def body(state):
            t, y, h, n = state
            new, error = step(y, h)
            good = error < 0.5
            return jnp.where(good, t + h, t), jnp.where(good, new, y), jnp.where(good, h * 1.25, h * 0.5), n + 1
        return jax.lax.while_loop(lambda s: (s[0] < 0.6) & (s[3] < 20), body, (jnp.zeros((), h.dtype), y, h, 0))
    return Program(function, [np.abs(draw.normal(3, dtype=dtype)), w, np.asarray(0.1, dtype)], x64=x64)


def kalman(draw):
    def function(a, c, ys):
        def step(carry, y):
            m, p = carry
            m, p = a @ m, a @ p @ a.T + 0.1 * jnp.eye(3)
            s = c @ p @ c.T + 0.5 * jnp.eye(2)
            gain = jnp.linalg.solve(s, c @ p).T
            m = m + gain @ (y - c @ m)
            return (m, p - gain @ c @ p), m
        return jax.lax.scan(step, (jnp.zeros(3), jnp.eye(3)), ys)
    return Program(function, [draw.normal(3, 3, scale=0.4), draw.normal(2, 3), draw.normal(draw.pick(4, 7), 2)])


def clusters(draw):
    k = draw.pick(2, 3)

    def function(x):
        def step(centers, _):
            near = jnp.argmin(jnp.sum((x[:, None] - centers[None]) ** 2, -1), -1)
            count = jax.ops.segment_sum(jnp.ones(x.shape[0]), near, k)
            return jax.ops.segment_sum(x, near, k) / jnp.maximum(count, 1)[:, None], near
        return jax.lax.scan(step, x[:k], None, length=3)
    return Program(function, [draw.normal(draw.pick(9, 14), 2)])


def transport(draw):
    def function(c):
        def step(i, fg):
            f, g = fg
            f = -0.5 * jax.nn.logsumexp((g[None] - c) / 0.5, axis=1)
            return f, -0.5 * jax.nn.logsumexp((f[:, None] - c) / 0.5, axis=0)
        f, g = jax.lax.fori_loop(0, 4, step, (jnp.zeros(c.shape[0]), jnp.zeros(c.shape[1])))
        return jnp.exp((f[:, None] + g[None] - c) / 0.5)
    return Program(function, [draw.uniform(draw.pick(4, 6), draw.pick(5, 7))])


def diffusion(draw):
    """Heat on a grid by shifts, or by a convolution, or as a tridiagonal system."""
    how = draw.name("shifts", "stencil", "implicit")
    n = draw.pick(6, 9)

    def function(u):
        if how == "shifts":
            def step(_, u):
                return u + 0.1 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u)
        elif how == "stencil":
            kernel = jnp.array([[0, 1, 0], [1, -4, 1], [0, 1, 0]], jnp.float32)

            def step(_, u):
                return u + 0.1 * jax.scipy.signal.convolve2d(u, kernel, mode="same")
        else:
            def step(_, u):
                d = jnp.full(n, 1.4)
                return jax.lax.linalg.tridiagonal_solve(jnp.full(n, -0.2).at[0].set(0), d, jnp.full(n, -0.2).at[-1].set(0), u)
        return jax.lax.fori_loop(0, 4, step, u)
    return Program(function, [draw.normal(n, n)])


def bodies(draw):
    def function(x, v):
        def force(x):
            d = x[:, None] - x[None]
            return -jnp.sum(d / (jnp.sum(d * d, -1, keepdims=True) + 0.1) ** 1.5, 1)

        def step(state, _):
            x, v = state
            v = v + 0.01 * force(x)
            x = x + 0.01 * v
            return (x, v), 0.5 * jnp.sum(v * v)
        return jax.lax.scan(step, (x, v), None, length=3)
    return Program(function, [draw.normal(5, 3), draw.normal(5, 3)], donate=(0, 1))


def chain(draw):
    """A Markov chain with random proposals."""
    def function(key, x):
        def step(x, key):
            a, b = jax.random.split(key)
            new = x + 0.5 * jax.random.normal(a, x.shape)
            accept = jnp.log(jax.random.uniform(b, (x.shape[0],))) < 0.5 * jnp.sum(x * x - new * new, -1)
            x = jnp.where(accept[:, None], new, x)
            return x, accept.mean()
        return jax.lax.scan(step, x, jax.random.split(jax.random.wrap_key_data(key), 4))
    return Program(function, [draw.key(), draw.normal(4, 2)])


def special(draw):
    names = ("erf", "erfinv", "lgamma", "digamma", "betaln", "i0e", "ndtr", "log_ndtr", "xlogy", "zeta", "gammainc",
             "logit", "entr", "betainc")
    chosen = [draw.name(*names) for _ in range(3)]
    dtype, x64 = dtype_of(draw)

    def function(x):
        s = jax.scipy.special
        calls = {"erf": s.erf, "erfinv": lambda x: s.erfinv(x * 0.9), "lgamma": lambda x: s.gammaln(x + 0.5),
                 "digamma": lambda x: s.digamma(x + 0.5), "betaln": lambda x: s.betaln(x + 0.5, x + 1.5), "i0e": s.i0e,
                 "ndtr": s.ndtr, "log_ndtr": s.log_ndtr, "xlogy": lambda x: s.xlogy(x, x),
                 "zeta": lambda x: s.zeta(x + 2, 1.0), "gammainc": lambda x: s.gammainc(x + 0.5, x + 0.7), "logit": s.logit,
                 "entr": s.entr, "betainc": lambda x: s.betainc(x + 0.5, 1.5, x)}
        return [calls[name](x) for name in chosen]
    return Program(function, [draw.uniform(draw.pick(7, 16), low=0.05, high=0.95, dtype=dtype)], x64=x64)


FAMILIES = (conjugate_gradient, newton, gaussian_process, factorizations, factorizations, runge_kutta, kalman, clusters,
            transport, diffusion, bodies, chain, special)
