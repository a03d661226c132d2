"""Programs on complex numbers and Fourier transforms: filters, spectra, circuits, iterations in the plane."""
import jax
import jax.numpy as jnp
import numpy as np

from .draw import Program


def transforms(draw):
    n = draw.pick(6, 8, 15, 16)
    how = draw.name("fft", "rfft", "ifft2", "irfft", "fftn", "hilbert", "shifted")

    def function(x):
        if how == "fft":
            y = jnp.fft.fft(x)
            return y.real, y.imag, jnp.abs(y)
        if how == "rfft":
            return jnp.fft.irfft(jnp.fft.rfft(x) * jnp.exp(-jnp.arange(n // 2 + 1) / 3), n)
        if how == "ifft2":
            return jnp.abs(jnp.fft.ifft2(x))
        if how == "irfft":
            return jnp.fft.irfft(x.astype(jnp.complex64))
        if how == "fftn":
            return jnp.fft.fftn(jnp.stack([x, x * 2])).real
        if how == "hilbert":
            mask = jnp.zeros(n).at[0].set(1).at[1:(n + 1) // 2].set(2)
            return jnp.abs(jnp.fft.ifft(jnp.fft.fft(x) * mask))
        return jnp.fft.fftshift(jnp.fft.ifft(jnp.fft.ifftshift(x, axes=-1)), axes=-1).imag
    return Program(function, [draw.normal(3, n)])


def spectrogram(draw):
    size, hop = 8, draw.pick(2, 4)

    def function(x, mel):
        starts = jnp.arange((x.shape[0] - size) // hop + 1) * hop
        frames = x[starts[:, None] + jnp.arange(size)] * (0.5 - 0.5 * jnp.cos(2 * jnp.pi * jnp.arange(size) / size))
        power = jnp.abs(jnp.fft.rfft(frames)) ** 2
        return jnp.log(power @ mel + 1e-3)
    return Program(function, [draw.normal(draw.pick(24, 33)), draw.uniform(size // 2 + 1, 3)])


def circuit(draw):
    """Quantum gates on three or four qubits, with a measured expectation and its gradient."""
    qubits = draw.pick(3, 4)
    depth = draw.pick(1, 2)

    def function(angles):
        def run(angles):
            state = jnp.zeros((2,) * qubits, jnp.complex64).at[(0,) * qubits].set(1)
            for layer in range(depth):
                for i in range(qubits):
                    c, s = jnp.cos(angles[layer, i] / 2), jnp.sin(angles[layer, i] / 2)
                    gate = jnp.stack([jnp.stack([c + 0j, -1j * s]), jnp.stack([-1j * s, c + 0j])])
                    state = jnp.moveaxis(jnp.tensordot(gate, state, axes=(1, i)), 0, i)
                for i in range(qubits - 1):
                    state = state.at[(slice(None),) * i + (1, 1)].multiply(-1)
            chance = jnp.abs(state) ** 2
            return jnp.sum(chance[0]) - jnp.sum(chance[1]), chance
        (value, chance), grad = jax.value_and_grad(run, has_aux=True)(angles)
        return value, chance, grad
    return Program(function, [draw.normal(depth, qubits)])


def escape(draw):
    def function(c):
        def body(i, state):
            z, count = state
            inside = jnp.abs(z) < 2
            return jnp.where(inside, z * z + c, z), count + inside
        return jax.lax.fori_loop(0, 8, body, (jnp.zeros_like(c), jnp.zeros(c.shape, jnp.int32)))[1]
    return Program(function, [(draw.normal(5, 6) + 1j * draw.normal(5, 6)).astype(np.complex64)])


def complex_functions(draw):
    chosen = [draw.name("exp", "log", "sqrt", "sin", "tanh", "power", "reciprocal", "angle", "square", "expm1", "cosh")
              for _ in range(3)]
    dtype = draw.pick(np.complex64, np.complex64, np.complex128)

    def function(z):
        calls = {"exp": jnp.exp, "log": jnp.log, "sqrt": jnp.sqrt, "sin": jnp.sin, "tanh": jnp.tanh,
                 "power": lambda z: z ** (0.5 + 1j), "reciprocal": lambda z: 1 / z, "angle": jnp.angle,
                 "square": lambda z: z * z.conj(), "expm1": jnp.expm1, "cosh": jnp.cosh}
        return [calls[name](z) for name in chosen]
    return Program(function, [(draw.normal(9) + 1j * draw.normal(9)).astype(dtype)], x64=dtype == np.complex128)


def complex_products(draw):
    """Batched products, norms and a solve of complex matrices."""
    how = draw.name("einsum", "norm", "gradient", "solve", "hermitian")
    a = (draw.normal(2, 4, 4) + 1j * draw.normal(2, 4, 4)).astype(np.complex64)

    def function(a, b):
        if how == "einsum":
            return jnp.einsum("bij,bkj->bik", a, b.conj())
        if how == "norm":
            return jnp.linalg.norm(a @ b, axis=(1, 2)), jnp.sum(a * b), jnp.mean(a, 0)
        if how == "gradient":
            return jax.grad(lambda a, b: jnp.sum(jnp.abs(a @ b) ** 2), (0, 1))(a, b)
        if how == "solve":
            return jnp.linalg.solve(a + 3 * jnp.eye(4), b)
        return jnp.linalg.eigvalsh(a @ jnp.conj(jnp.swapaxes(a, 1, 2)) + jnp.eye(4))
    return Program(function, [a, (draw.normal(2, 4, 4) + 1j * draw.normal(2, 4, 4)).astype(np.complex64)])


FAMILIES = (transforms, spectrogram, circuit, escape, complex_functions, complex_products)
