"""The programs of the wide benchmark: what one is, inputs from a seed, and loading all of them. Each other file of this
folder is a kind and says what its programs compute."""
import importlib
import pathlib
import zlib

import ml_dtypes
import numpy as np

BF16 = ml_dtypes.bfloat16
F8 = ml_dtypes.float8_e4m3fn


class Draw:
    """Arrays from a seed. Equal seeds give equal arrays in every process."""

    def __init__(self, seed):
        self.source = np.random.Generator(np.random.PCG64(seed))

    def normal(self, *shape, dtype=np.float32, scale=1.0):
        return (self.source.standard_normal(shape) * scale).astype(dtype)

    def weight(self, *shape, dtype=np.float32):
        """Scaled so that a product keeps the size of its input."""
        return self.normal(*shape, dtype=dtype, scale=shape[-2] ** -0.5)

    def uniform(self, *shape, low=0.0, high=1.0, dtype=np.float32):
        return self.source.uniform(low, high, shape).astype(dtype)

    def integers(self, *shape, low=0, high, dtype=np.int32):
        return self.source.integers(low, high, shape).astype(dtype)

    def key(self):
        return self.integers(2, high=2**32, dtype=np.uint32)

    def spd(self, *shape, dtype=np.float32):
        """Symmetric positive definite matrices."""
        matrix = self.normal(*shape, dtype=np.float64, scale=shape[-1] ** -0.5)
        return (matrix @ np.swapaxes(matrix, -1, -2) + 0.5 * np.eye(shape[-1])).astype(dtype)


PROGRAMS = {}


def program(name):
    """Registers `make`, which is given a Draw and returns (function, arguments)."""
    def register(make):
        kind = make.__module__
        assert (kind, name) not in PROGRAMS
        PROGRAMS[kind, name] = make
        return make
    return register


def kinds():
    here = pathlib.Path(__file__)
    return sorted(path.stem for path in here.parent.glob("*.py") if path != here)


def load():
    """All programs by (kind, name), in a fixed order."""
    for kind in kinds():
        importlib.import_module(kind)
    return PROGRAMS


def make(kind, name, draw=0):
    """(function, arguments); each `draw` gives other arguments."""
    return PROGRAMS[kind, name](Draw(zlib.crc32(f"{kind}/{name}".encode()) + draw))


def needs_x64(kind):
    return kind == "double"
