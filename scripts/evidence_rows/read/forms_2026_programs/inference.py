"""Programs of libraries for inference: Monte Carlo (numpyro, blackjax), flows (flowjax), Gaussian processes (tinygp, gpjax) and
filters (pyhgf)."""
import jax
import jax.numpy as jnp
import numpy as np
from unseen_programs.draw import Program

from .arrays import key, matrix, vector

EFFECTS = np.array([28, 8, -3, 7, -1, 1, 18, 12], np.float32)
ERRORS = np.array([15, 10, 16, 11, 9, 11, 10, 18], np.float32)


def schools(effects, errors):
    import numpyro
    from numpyro import distributions as dist
    center = numpyro.sample("center", dist.Normal(0, 5))
    spread = numpyro.sample("spread", dist.HalfCauchy(5))
    with numpyro.plate("schools", 8):
        own = numpyro.sample("own", dist.Normal(center, spread))
        numpyro.sample("seen", dist.Normal(own, errors), obs=effects)


def no_u_turn():
    from numpyro.infer import MCMC, NUTS

    def function(bits, effects, errors):
        run = MCMC(NUTS(schools, max_tree_depth=3), num_warmup=4, num_samples=4, progress_bar=False, jit_model_args=False)
        run.run(jax.random.wrap_key_data(bits), effects, errors)
        return run.get_samples()
    return Program(function, [key(), EFFECTS, ERRORS])


def variational_bound():
    import numpyro
    from numpyro.infer import SVI, Trace_ELBO
    from numpyro.infer.autoguide import AutoNormal

    def function(bits, effects, errors):
        svi = SVI(schools, AutoNormal(schools), numpyro.optim.Adam(0.05), Trace_ELBO())
        state = svi.init(jax.random.wrap_key_data(bits), effects, errors)
        for _ in range(2):
            state, loss = svi.update(state, effects, errors)
        return svi.get_params(state), loss
    return Program(function, [key(), EFFECTS, ERRORS])


def log_density(x):
    return -0.5 * jnp.sum(jnp.square(x - 1)) - jnp.sum(jnp.log1p(x**2))


def hamiltonian():
    import blackjax

    def function(bits, x):
        sampler = blackjax.hmc(log_density, 0.1, jnp.ones(3), 4)
        state = sampler.init(x)
        keys = jax.random.split(jax.random.wrap_key_data(bits), 4)
        return jax.lax.scan(lambda s, k: (sampler.step(k, s)[0], s.position), state, keys)[1]
    return Program(function, [key(), vector(3)])


def elliptical_slice():
    import blackjax

    def function(bits, x):
        sampler = blackjax.elliptical_slice(log_density, mean=jnp.zeros(3), cov=jnp.eye(3))
        state = sampler.init(x)
        for each in jax.random.split(jax.random.wrap_key_data(bits), 2):
            state, _ = sampler.step(each, state)
        return state.position
    return Program(function, [key(), vector(3)])


def coupling_flow():
    import equinox
    from flowjax import flows
    from flowjax.distributions import Normal
    flow = flows.coupling_flow(jax.random.key(0), base_dist=Normal(jnp.zeros(3)), flow_layers=2, nn_width=6)
    arrays, rest = equinox.partition(flow, equinox.is_inexact_array)

    def function(weights, x):
        return jax.value_and_grad(lambda w: -equinox.combine(w, rest).log_prob(x).mean())(weights)
    return Program(function, [arrays, matrix(5, 3)])


def autoregressive_flow():
    import equinox
    from flowjax import flows
    from flowjax.bijections import RationalQuadraticSpline
    from flowjax.distributions import Normal
    flow = flows.masked_autoregressive_flow(jax.random.key(0), base_dist=Normal(jnp.zeros(3)), flow_layers=2, nn_width=6,
                                            transformer=RationalQuadraticSpline(knots=4, interval=3))
    arrays, rest = equinox.partition(flow, equinox.is_inexact_array)

    def function(weights, bits):
        return equinox.combine(weights, rest).sample(jax.random.wrap_key_data(bits), (4,))
    return Program(function, [arrays, key()])


def quasiseparable_process():
    from tinygp import GaussianProcess
    from tinygp.kernels import quasisep

    def function(scale, x, y):
        kernel = quasisep.Matern32(scale=scale) + quasisep.SHO(omega=2.0, quality=3.0)
        return jax.value_and_grad(lambda s: GaussianProcess(kernel, x, diag=s).log_probability(y))(0.1)
    return Program(function, [np.float32(0.7), np.linspace(0, 3, 12, dtype=np.float32), vector(12)])


def conditioned_process():
    from tinygp import GaussianProcess, kernels

    def function(scale, x, y):
        process = GaussianProcess(kernels.ExpSquared(scale) * 1.5, x, diag=0.1)
        return process.condition(y, x + 0.1).gp.loc
    return Program(function, [np.float32(0.7), np.linspace(0, 3, 9, dtype=np.float32), vector(9)])


def kernel_matrix():
    import gpjax

    kernel = gpjax.kernels.Matern52(lengthscale=0.7) + gpjax.kernels.Periodic(period=0.5)

    def function(x, y):
        gram = kernel.gram(x).to_dense() + 0.1 * jnp.eye(7)
        return jax.scipy.linalg.cho_solve((jnp.linalg.cholesky(gram), True), y), kernel.cross_covariance(x, x[:2])
    return Program(function, [matrix(7, 2), vector(7)])


def hierarchical_filter():
    from pyhgf.model import HGF

    def function(data):
        model = HGF(n_levels=2, model_type="continuous", initial_mean={"1": 0.0, "2": 0.0}, initial_precision={"1": 1.0, "2": 1.0},
                    tonic_volatility={"1": -3.0, "2": -3.0}, volatility_coupling={"1": 1.0})
        attributes = model.input_data(data).last_attributes
        return [value for value in jax.tree.leaves(attributes) if hasattr(value, "shape")]
    return Program(function, [vector(6)])


LIBRARIES = {"numpyro": (no_u_turn, variational_bound), "blackjax": (hamiltonian, elliptical_slice),
             "flowjax": (coupling_flow, autoregressive_flow), "tinygp": (quasiseparable_process, conditioned_process),
             "gpjax": (kernel_matrix,), "pyhgf": (hierarchical_filter,)}
