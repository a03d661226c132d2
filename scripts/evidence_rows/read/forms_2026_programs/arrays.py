"""The arrays that programs get: the same in every process."""
import numpy as np


def vector(n, scale=1.0, seed=1):
    return (np.random.default_rng(seed).standard_normal(n) * scale).astype(np.float32)


def matrix(m, n, scale=1.0, seed=2):
    return (np.random.default_rng(seed).standard_normal((m, n)) * scale).astype(np.float32)


def positive(n):
    a = matrix(n, n).astype(np.float64)
    return (a @ a.T / n + np.eye(n)).astype(np.float32)


def grid(m, n):
    """Numbers from -1 to 1 in steps."""
    return np.linspace(-1, 1, m * n, dtype=np.float32).reshape(m, n)


def key(seed=3):
    return np.array([0, seed], np.uint32)
