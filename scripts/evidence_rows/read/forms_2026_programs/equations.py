"""Programs of libraries for equations: differential equations (diffrax), linear systems (lineax), roots and least squares
(optimistix, jaxopt), interpolation (interpax), quadrature (quadax), traces (traceax)."""
import jax
import jax.numpy as jnp
import numpy as np
from unseen_programs.draw import Program

from .arrays import matrix, positive, vector


def lorenz(_time, y, _arguments):
    return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


def adaptive_steps():
    import diffrax

    def function(y):
        solution = diffrax.diffeqsolve(diffrax.ODETerm(lorenz), diffrax.Tsit5(), 0.0, 0.2, 0.01, y,
                                       stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-4),
                                       saveat=diffrax.SaveAt(ts=jnp.linspace(0.0, 0.2, 5)), max_steps=64)
        return solution.ys, solution.stats["num_steps"]
    return Program(function, [vector(3)])


def implicit_steps():
    import diffrax

    def function(y):
        return diffrax.diffeqsolve(diffrax.ODETerm(lambda t, y, _: -5 * y + jnp.sin(t)), diffrax.Kvaerno3(), 0.0, 0.3, 0.05, y,
                                   stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-3), max_steps=32,
                                   throw=True).ys
    return Program(function, [vector(3)])


def gradient_by_adjoint():
    import diffrax

    def loss(y):
        return diffrax.diffeqsolve(diffrax.ODETerm(lorenz), diffrax.Heun(), 0.0, 0.05, 0.01, y, max_steps=16).ys.sum()
    return Program(jax.grad(loss), [vector(3)])


def brownian_path():
    import diffrax

    def function(y, bits):
        path = diffrax.VirtualBrownianTree(0.0, 0.1, tol=1e-2, shape=(), key=jax.random.wrap_key_data(bits))
        terms = diffrax.MultiTerm(diffrax.ODETerm(lambda t, y, _: -y), diffrax.ControlTerm(lambda t, y, _: 0.1 * y, path))
        return diffrax.diffeqsolve(terms, diffrax.Euler(), 0.0, 0.1, 0.02, y, max_steps=8).ys
    return Program(function, [np.float32(1.5), np.array([0, 4], np.uint32)])


def checked_solve():
    import lineax

    def function(a, b):
        return lineax.linear_solve(lineax.MatrixLinearOperator(a), b, lineax.LU()).value
    return Program(function, [positive(5), vector(5)])


def conjugate_gradients():
    import lineax

    def function(a, b):
        operator = lineax.MatrixLinearOperator(a, lineax.positive_semidefinite_tag)
        return lineax.linear_solve(operator, b, lineax.CG(rtol=1e-4, atol=1e-4, max_steps=20)).value
    return Program(function, [positive(6), vector(6)])


def least_squares_of_a_tall_matrix():
    import lineax

    def function(a, b):
        return lineax.linear_solve(lineax.MatrixLinearOperator(a), b, lineax.QR()).value
    return Program(function, [matrix(7, 3), vector(7)])


def root_by_newton():
    import optimistix

    def function(y):
        solver = optimistix.Newton(rtol=1e-4, atol=1e-4)
        return optimistix.root_find(lambda y, _: jnp.tanh(y) - 0.3 * y - 0.1, solver, y, max_steps=12, throw=True).value
    return Program(function, [vector(3, 0.1)])


def levenberg_marquardt():
    import optimistix

    def residual(p, data):
        x, y = data
        return p[0] * jnp.exp(-p[1] * x) - y

    def function(p, x, y):
        solver = optimistix.LevenbergMarquardt(rtol=1e-3, atol=1e-3)
        return optimistix.least_squares(residual, solver, p, args=(x, y), max_steps=16, throw=False).value
    x = np.linspace(0, 2, 8, dtype=np.float32)
    return Program(function, [np.array([1.0, 1.0], np.float32), x, (2 * np.exp(-0.7 * x)).astype(np.float32)])


def limited_memory_bfgs():
    import jaxopt

    def function(x, a):
        solver = jaxopt.LBFGS(fun=lambda x, a: jnp.sum(jnp.square(a @ x - 1)) + 0.1 * jnp.sum(x**4), maxiter=3)
        return solver.run(x, a).params
    return Program(function, [vector(4), matrix(6, 4)])


def projected_gradient():
    import jaxopt

    def function(x, a):
        solver = jaxopt.ProjectedGradient(fun=lambda x, a: jnp.sum(jnp.square(a @ x - 1)), maxiter=5,
                                          projection=jaxopt.projection.projection_simplex, jit=True)
        return solver.run(x, None, a).params
    return Program(function, [vector(4), matrix(6, 4)])


def cubic_splines():
    import interpax

    def function(at, f):
        x = jnp.linspace(0, 1, 9)
        return interpax.interp1d(at, x, f, method="cubic2"), interpax.interp1d(at, x, f, method="monotonic", derivative=1)
    return Program(function, [np.linspace(0.05, 0.9, 7, dtype=np.float32), vector(9)])


def surface():
    import interpax

    def function(a, b, f):
        x, y = jnp.linspace(0, 1, 6), jnp.linspace(-1, 1, 5)
        return interpax.interp2d(a, b, x, y, f, method="cubic")
    return Program(function, [np.linspace(0.1, 0.8, 4, dtype=np.float32), np.linspace(-0.6, 0.7, 4, dtype=np.float32), matrix(6, 5)])


def adaptive_quadrature():
    import quadax

    def function(scale):
        value, info = quadax.quadgk(lambda t: jnp.exp(-scale * t) * jnp.cos(t), [0.0, 2.0], epsabs=1e-3, epsrel=1e-3, max_ninter=8)
        return value, info.err
    return Program(function, [np.float64(1.5)], x64=True)


def romberg():
    import quadax

    def function(scale):
        return quadax.romberg(lambda t: jnp.sin(scale * t), [0.0, 1.0], divmax=5)[0]
    return Program(function, [np.float64(1.5)], x64=True)


def stochastic_trace():
    import lineax
    import traceax

    def function(a, bits):
        return traceax.HutchinsonEstimator().estimate(jax.random.wrap_key_data(bits), lineax.MatrixLinearOperator(a), 4)[0]
    return Program(function, [positive(5), np.array([0, 4], np.uint32)])


LIBRARIES = {"diffrax": (adaptive_steps, implicit_steps, gradient_by_adjoint, brownian_path),
             "lineax": (checked_solve, conjugate_gradients, least_squares_of_a_tall_matrix),
             "optimistix": (root_by_newton, levenberg_marquardt),
             "jaxopt": (limited_memory_bfgs, projected_gradient),
             "interpax": (cubic_splines, surface),
             "quadax": (adaptive_quadrature, romberg),
             "traceax": (stochastic_trace,)}
