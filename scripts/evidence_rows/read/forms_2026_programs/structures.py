"""Programs of libraries of graphs, symmetries, and games: jraph, e3nn, mctx, pgx."""
import jax
import jax.numpy as jnp
import numpy as np
from unseen_programs.draw import Program

from .arrays import key, matrix


def graph_network():
    import jraph

    def function(nodes, edges, weights):
        graph = jraph.GraphsTuple(nodes=nodes, edges=edges, senders=jnp.array([0, 1, 2, 3, 3]), receivers=jnp.array([1, 2, 0, 1, 2]),
                                  globals=None, n_node=jnp.array([4]), n_edge=jnp.array([5]))
        net = jraph.GraphNetwork(update_edge_fn=lambda e, s, r, _: jnp.tanh((s + r + e) @ weights),
                                 update_node_fn=lambda n, s, r, _: n + r)
        return net(graph).nodes
    return Program(function, [matrix(4, 3), matrix(5, 3, seed=4), matrix(3, 3, seed=5)])


def graph_attention():
    import jraph

    def function(nodes, weights):
        graph = jraph.GraphsTuple(nodes=nodes, edges=jnp.ones((5, 1)), senders=jnp.array([0, 1, 2, 3, 3]),
                                  receivers=jnp.array([1, 2, 0, 1, 2]), globals=None, n_node=jnp.array([4]), n_edge=jnp.array([5]))
        net = jraph.GAT(attention_query_fn=lambda n: n @ weights, attention_logit_fn=lambda q, k, e: jnp.sum(q * k + e, axis=-1, keepdims=True))
        return net(graph).nodes
    return Program(function, [matrix(4, 3), matrix(3, 3, seed=5)])


def equivariant_product():
    import e3nn_jax as e3nn

    def function(x, y):
        a, b = e3nn.IrrepsArray("2x0e + 1x1o", x), e3nn.IrrepsArray("1x0e + 1x1o", y)
        return e3nn.tensor_product(a, b).array, e3nn.spherical_harmonics([0, 1, 2], a.filter("1o"), True).array
    return Program(function, [matrix(4, 5), matrix(4, 4, seed=4)])


def tree_search():
    import mctx

    def recurrent(_, bits, action, state):
        del bits
        new = state * 0.9 + action[:, None] * 0.1
        return mctx.RecurrentFnOutput(reward=new[:, 0], discount=jnp.full(2, 0.9), prior_logits=new[:, :3], value=new[:, 1]), new

    def function(bits, state):
        root = mctx.RootFnOutput(prior_logits=state[:, :3], value=state[:, 1], embedding=state)
        out = mctx.gumbel_muzero_policy((), jax.random.wrap_key_data(bits), root, recurrent, num_simulations=4)
        return out.action, out.action_weights
    return Program(function, [key(), matrix(2, 4)])


def board_game():
    import pgx
    game = pgx.make("tic_tac_toe")

    def function(bits, actions):
        states = jax.vmap(game.init)(jax.random.split(jax.random.wrap_key_data(bits), 3))
        for each in jnp.unstack(actions, axis=1):
            states = jax.vmap(game.step)(states, each)
        return states.observation, states.rewards, states.terminated
    return Program(function, [key(), np.array([[0, 4], [1, 1], [8, 0]], np.int32)])


LIBRARIES = {"jraph": (graph_network, graph_attention), "e3nn": (equivariant_product,),
             "mctx": (tree_search,), "pgx": (board_game,)}
