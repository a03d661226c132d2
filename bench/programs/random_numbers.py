"""Random numbers: distributions, shuffles and Monte Carlo methods."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


def key_of(bits):
    return jax.random.wrap_key_data(bits)


@program("uniform and normal, 1 M")
def plain(draw):
    return lambda k: (jax.random.uniform(key_of(k), (1 << 20,)), jax.random.normal(key_of(k), (1 << 20,))), (draw.key(),)


@program("dropout of 1024x1024, bf16")
def dropout(draw):
    def step(k, x):
        return jnp.where(jax.random.bernoulli(key_of(k), 0.9, x.shape), x / 0.9, 0).astype(jnp.bfloat16)
    return step, (draw.key(), draw.normal(1024, 1024))


@program("categorical of 256x4096")
def categorical(draw):
    return lambda k, x: jax.random.categorical(key_of(k), x), (draw.key(), draw.normal(256, 4096))


@program("gamma and beta, 4096")
def gamma(draw):
    def step(k, a):
        first, second = jax.random.split(key_of(k))
        return jax.random.gamma(first, a), jax.random.beta(second, a, 2.0)
    return step, (draw.key(), draw.uniform(4096, low=0.5, high=4.0))


@program("permutation of 100000 rows of 8")
def permutation(draw):
    return lambda k, x: jax.random.permutation(key_of(k), x), (draw.key(), draw.normal(100000, 8))


@program("option prices, 20000 paths of 64 steps")
def options(draw):
    def step(k, start, strike):
        def one(price, k):
            noise = jax.random.normal(k, price.shape)
            return price * jnp.exp(0.0002 + 0.02 * noise), None
        prices, _ = lax.scan(one, jnp.full(20000, start), jax.random.split(key_of(k), 64))
        payoff = jnp.maximum(prices - strike, 0)
        return payoff.mean(), payoff.std()
    return step, (draw.key(), draw.uniform(low=90, high=110), draw.uniform(low=90, high=110))


@program("metropolis, 512 chains, 200 steps")
def metropolis(draw):
    def energy(x):
        return 0.5 * (x ** 2).sum(-1) + 0.1 * (x ** 4).sum(-1)

    def step(k, x):
        def one(x, k):
            a, b = jax.random.split(k)
            new = x + 0.3 * jax.random.normal(a, x.shape)
            accept = jnp.log(jax.random.uniform(b, x.shape[:1], minval=1e-7)) < energy(x) - energy(new)
            x = jnp.where(accept[:, None], new, x)
            return x, accept.mean()
        return lax.scan(one, x, jax.random.split(key_of(k), 200))
    return step, (draw.key(), draw.normal(512, 4))
