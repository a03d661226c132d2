"""The choices and the arrays of one generated program. The same seed and number give the same program and inputs in
every process, so that a program can be compiled for several platforms and in several ways."""
import dataclasses
import typing

import ml_dtypes
import numpy as np

BF16 = ml_dtypes.bfloat16


class Draw:
    """A source of choices. `taken` lists what was chosen by name, which describes the program."""

    def __init__(self, seed, number):
        self.generator = np.random.default_rng([seed, number])
        self.taken = []

    def pick(self, *options):
        return options[int(self.generator.integers(len(options)))]

    def name(self, *options):
        """Like pick(), for options that are part of the program's description."""
        chosen = self.pick(*options)
        self.taken.append(chosen if isinstance(chosen, str) else chosen.__name__.strip("_"))
        return chosen

    def chance(self, share):
        return bool(self.generator.random() < share)

    def size(self, low, high):
        return int(self.generator.integers(low, high + 1))

    def order(self, count):
        return [int(each) for each in self.generator.permutation(count)]

    def normal(self, *shape, scale=1.0, dtype=np.float32):
        return np.asarray(self.generator.standard_normal(shape) * scale).astype(dtype)

    def uniform(self, *shape, low=0.0, high=1.0, dtype=np.float32):
        return np.asarray(self.generator.uniform(low, high, shape)).astype(dtype)

    def integers(self, low, high, *shape, dtype=np.int32):
        return np.asarray(self.generator.integers(low, high, shape)).astype(dtype)

    def weight(self, *shape, dtype=np.float32):
        """A matrix that keeps the scale of what it multiplies."""
        return self.normal(*shape, scale=float(np.prod(shape[:-1])) ** -0.5 if len(shape) > 1 else 1.0, dtype=dtype)

    def key(self):
        return self.integers(0, 2**31, 2, dtype=np.uint32)


@dataclasses.dataclass
class Program:
    """A function, its arguments (trees of arrays), and how it is compiled."""
    function: typing.Callable
    arguments: list
    donate: tuple = ()
    x64: bool = False
    mesh: tuple | None = None  # (sizes, names, order of the devices)
    specs_in: typing.Any = None  # trees of partition specs like the arguments
    specs_out: typing.Callable | None = None  # the partition spec of a result of this shape
    manual: bool = False  # the function takes the mesh and returns what to compile
    collective: bool = False  # it contains collectives, and so means something else on one device
