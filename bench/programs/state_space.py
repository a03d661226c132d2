"""State-space models: selective scans, associative scans, long convolutions and chunked forms."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


@program("selective scan 256 steps, 2x128x16")
def selective(draw):
    def step(a, b, c, delta, x):
        def one(h, at):
            d, b, c, x = at
            h = jnp.exp(d[..., None] * a) * h + (d * x)[..., None] * b[:, None]
            return h, jnp.einsum("bds,bs->bd", h, c)
        inputs = (jax.nn.softplus(delta), b, c, x)
        return lax.scan(one, jnp.zeros((2, 128, 16)), inputs)[1] * jax.nn.silu(x)
    return step, (-draw.uniform(128, 16), draw.normal(256, 2, 16), draw.normal(256, 2, 16), draw.normal(256, 2, 128), draw.normal(256, 2, 128))


@program("associative scan 2048x256")
def associative(draw):
    def step(a, b):
        return lax.associative_scan(lambda x, y: (x[0] * y[0], y[0] * x[1] + y[1]), (a, b))[1]
    return step, (draw.uniform(2048, 256, low=0.8), draw.normal(2048, 256))


@program("long convolution by fft 64x2048")
def long_convolution(draw):
    def step(kernel, u, skip):
        n = u.shape[-1]
        return jnp.fft.irfft(jnp.fft.rfft(u, 2 * n) * jnp.fft.rfft(kernel, 2 * n), 2 * n)[..., :n] + skip[:, None] * u
    return step, (draw.normal(64, 2048, scale=0.05), draw.normal(64, 2048), draw.normal(64))


@program("chunked state space 2x1024x4x32, train")
def chunked(draw):
    def layer(log_decay, b, c, x):
        split = lambda each: each.reshape(2, 16, 64, *each.shape[2:])
        decay, b, c, x = map(split, (-jax.nn.softplus(log_decay), b, c, x))
        total = jnp.cumsum(decay, 2)
        inside = jnp.exp(total[:, :, :, None] - total[:, :, None]) * jnp.tril(jnp.ones((64, 64)))[..., None]
        local = jnp.einsum("zcin,zcjn,zcijh,zcjhp->zcihp", c, b, inside, x)
        states = jnp.einsum("zcjn,zcjh,zcjhp->czhnp", b, jnp.exp(total[:, :, -1:] - total), x)
        carry = jnp.moveaxis(jnp.exp(total[:, :, -1]), 1, 0)

        def one(state, at):
            return at[1][..., None, None] * state + at[0], state
        before = lax.scan(one, jnp.zeros_like(states[0]), (states, carry))[1]
        across = jnp.einsum("zcin,czhnp,zcih->zcihp", c, before, jnp.exp(total))
        return (local + across).reshape(2, 1024, 4, 32)

    def step(log_decay, b, c, x):
        return jax.value_and_grad(lambda *at: jnp.mean(layer(*at) ** 2), (0, 1, 2, 3))(log_decay, b, c, x)
    return step, (draw.normal(2, 1024, 4), draw.normal(2, 1024, 16), draw.normal(2, 1024, 16), draw.normal(2, 1024, 4, 32))


@program("diagonal complex recurrence 512x8x64")
def complex_diagonal(draw):
    def step(decay, phase, u, c):
        a = jnp.exp(lax.complex(-decay, phase))

        def one(h, x):
            h = a * h + x
            return h, (h * c).real.sum(-1)
        return lax.scan(one, jnp.zeros((8, 64), jnp.complex64), u[..., None] * jnp.ones(64))[1]
    return step, (draw.uniform(64), draw.uniform(64, high=3.0), draw.normal(512, 8), draw.normal(64) + 1j * draw.normal(64))
