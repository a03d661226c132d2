"""Fourier transforms and complex numbers."""
import jax
import jax.numpy as jnp
from jax import lax

from wide import program


def waves(draw, *shape):
    return draw.normal(*shape) + 1j * draw.normal(*shape)


@program("fft2 and back 512x512")
def fft2(draw):
    return lambda x, h: jnp.fft.ifft2(jnp.fft.fft2(x) * h), (waves(draw, 512, 512), waves(draw, 512, 512))


@program("spectrogram, 4x16000 in windows of 400")
def spectrogram(draw):
    def step(x, mel):
        index = jnp.arange(98)[:, None] * 160 + jnp.arange(400)
        window = 0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(400) / 400)
        power = jnp.abs(jnp.fft.rfft(x[:, index] * window, 512)) ** 2
        return jnp.log(power @ mel + 1e-6)
    return step, (draw.normal(4, 16000), draw.uniform(257, 80, high=0.1))


@program("quantum circuit, 12 qubits, 24 gates")
def circuit(draw):
    def step(state, angles):
        for layer in range(2):
            for qubit in range(12):
                c, s = jnp.cos(angles[layer, qubit]), jnp.sin(angles[layer, qubit])
                gate = jnp.array([[c, -s], [s, c]]) * jnp.exp(1j * angles[layer, qubit])
                state = jnp.moveaxis(jnp.tensordot(gate, state.reshape((2,) * 12), ((1,), (qubit,))), 0, qubit)
        return jnp.abs(state.reshape(-1)) ** 2
    return step, (waves(draw, 4096) / 90, draw.uniform(2, 12, high=3))


@program("escape times 256x256, 64 iterations")
def escape(draw):
    def step(corner):
        x = jnp.linspace(-2, 1, 256) + corner
        c = x[None] + 1j * x[:, None]

        def one(_, state):
            z, count = state
            z = jnp.where(jnp.abs(z) < 2, z * z + c, z)
            return z, count + (jnp.abs(z) < 2)
        return lax.fori_loop(0, 64, one, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]
    return step, (draw.uniform(high=0.1),)


@program("complex products 65536x16")
def products(draw):
    return lambda a, b, c: (a * b + c / (1 + jnp.abs(b)), jnp.exp(1j * a.real) * c.conj()), tuple(waves(draw, 65536, 16) for _ in range(3))


@program("complex dot 256x256x256")
def complex_dot(draw):
    return lambda a, b: a @ b, (waves(draw, 256, 256), waves(draw, 256, 256))


@program("poisson equation by fft 256x256")
def poisson(draw):
    def step(source):
        k = jnp.fft.fftfreq(256) * 256
        square = k[:, None] ** 2 + jnp.arange(129.0)[None] ** 2
        return jnp.fft.irfft2(jnp.where(square > 0, jnp.fft.rfft2(source) / -jnp.maximum(square, 1), 0), s=source.shape)
    return step, (draw.normal(256, 256),)


@program("split-step waves, 1024 points, 100 steps")
def split_step(draw):
    def step(psi, potential):
        k = 2 * jnp.pi * jnp.fft.fftfreq(1024)
        kick, drift = jnp.exp(-0.05j * potential), jnp.exp(-0.05j * k ** 2)
        return lax.fori_loop(0, 100, lambda _, p: kick * jnp.fft.ifft(drift * jnp.fft.fft(kick * p)), psi)
    return step, (waves(draw, 1024), draw.normal(1024))
