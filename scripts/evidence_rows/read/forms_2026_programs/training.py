"""Programs of libraries that train and optimize: optax, evosax, ott."""
import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec as P
from unseen_programs.draw import Program

from .arrays import key, matrix, vector


def loss_of(w, x):
    return jnp.mean(jnp.square(jnp.tanh(x @ w["a"]) @ w["b"] - 1))


def step_of(optimizer):
    import optax

    def function(w, state, x):
        updates, new = optimizer.update(jax.grad(loss_of)(w, x), state, w)
        return optax.apply_updates(w, updates), new
    return function


def weights():
    return {"a": matrix(6, 8, 0.3), "b": matrix(8, 2, 0.3)}


def adam_with_schedule():
    import optax
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 0.1, 5, 20)))
    return Program(step_of(optimizer), [weights(), optimizer.init(weights()), matrix(5, 6)], donate=(0, 1))


def factored_second_moments():
    import optax
    optimizer = optax.adafactor(0.1, min_dim_size_to_factor=2)
    return Program(step_of(optimizer), [weights(), optimizer.init(weights()), matrix(5, 6)])


def accumulated_gradients():
    import optax
    optimizer = optax.MultiSteps(optax.sgd(0.1, momentum=0.9), every_k_schedule=2)
    state = optimizer.init(weights())
    return Program(step_of(optimizer.gradient_transformation()), [weights(), state, matrix(5, 6)])


def sharded_step():
    import optax
    optimizer = optax.sgd(0.1)
    function = step_of(optimizer)

    def inner(w, x):
        return function(w, optimizer.init(w), x)[0]
    return Program(inner, [{"a": matrix(6, 8, 0.3), "b": matrix(8, 2, 0.3)}, matrix(8, 6)],
                   mesh=((4,), ("x",), (0, 1, 2, 3)), donate=(0,), specs_in=[{"a": P(), "b": P()}, P("x", None)],
                   specs_out=lambda shape: P())


def sequence_loss():
    import optax

    def function(logits, labels):
        padding = jnp.zeros(logits.shape[:2])
        return optax.ctc_loss(logits, padding, labels, jnp.zeros(labels.shape))
    logits = np.random.default_rng(5).standard_normal((2, 6, 4)).astype(np.float32)
    return Program(function, [logits, np.array([[1, 2], [3, 1]], np.int32)])


def evolution_strategy():
    from evosax.algorithms import Open_ES

    strategy = Open_ES(population_size=6, solution=jnp.zeros(3))

    def function(bits):
        parameters = strategy.default_params
        keys = jax.random.split(jax.random.wrap_key_data(bits), 3)
        state = strategy.init(keys[0], jnp.ones(3), parameters)
        for each in keys[1:]:
            population, state = strategy.ask(each, state, parameters)
            state, _ = strategy.tell(each, population, jnp.sum(population**2, axis=1), state, parameters)
        return state.mean
    return Program(function, [key()])


def sinkhorn():
    from ott.geometry import pointcloud
    from ott.problems.linear import linear_problem
    from ott.solvers.linear import sinkhorn as solver

    def function(x, y):
        problem = linear_problem.LinearProblem(pointcloud.PointCloud(x, y, epsilon=0.5))
        out = solver.Sinkhorn(max_iterations=20)(problem)
        return out.f, out.g, out.reg_ot_cost
    return Program(function, [matrix(6, 2), matrix(5, 2, seed=9)])


def soft_sort():
    from ott.tools import soft_sort as tools
    return Program(lambda x: tools.sort(x, axis=0, epsilon=0.1, max_iterations=10), [vector(6)])


LIBRARIES = {"optax": (adam_with_schedule, factored_second_moments, accumulated_gradients, sharded_step, sequence_loss),
             "evosax": (evolution_strategy,), "ott": (sinkhorn, soft_sort)}
