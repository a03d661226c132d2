"""Programs that some XLA computes wrongly on CPUs, each with what numpy computes. docs/wrong_results.md tells their stories. No
row by itself; runs in jaxlib's environment:

  python wrong_programs.py list
  python wrong_programs.py write FOLDER NUMBER...   folders with the module before optimizations, its inputs and numpy's result
  python wrong_programs.py check FOLDER NUMBER...   which results in these folders, NAME.npz of each engine NAME, are numpy's
  python wrong_programs.py run NUMBER               what XLA computes (in a separate process, because some programs crash XLA)
"""
import json
import os
import pathlib
import sys

DEVICES = 4
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES} " + os.environ.get("XLA_FLAGS", "")

import jax  # noqa: E402
import numpy as np  # noqa: E402
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P  # noqa: E402

jax.config.update("jax_enable_x64", True)


def numbers(*shape, dtype=np.float32):
    return np.random.default_rng(0).normal(size=shape).astype(dtype)


def mesh(*sizes):
    count = int(np.prod(sizes))
    return Mesh(np.array(jax.devices("cpu")[:count]).reshape(sizes), ("x", "y")[:len(sizes)])


class Program:
    """`function` of `arguments`; `right` is what numpy computes. `shardings` are those of the arguments, if there are several
    devices, and `result` that of the result."""

    def __init__(self, defect, name, function, arguments, right, shardings=None, result=None):
        self.defect, self.name, self.function, self.arguments, self.right = defect, name, function, arguments, right
        self.shardings, self.result = shardings, result

    def lowered(self):
        how = {"keep_unused": True}
        if self.shardings:
            how |= {"in_shardings": self.shardings, "out_shardings": self.result}
        return jax.jit(self.function, **how).lower(*self.arguments)


def shifted_rows(*shape, dtype):
    """Rows move down by one within one array, whose shape then gains a dimension."""
    def shift(x):
        base = x + np.asarray(1, dtype)
        return jax.lax.dynamic_update_slice(base, base[:-1], (1,) + (0,) * (len(shape) - 1)).reshape((1, *shape))

    x = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
    right = x + np.asarray(1, dtype)
    right[1:] = right[:-1].copy()
    return Program("openxla/xla#49176", f"shifted rows of {np.dtype(dtype)}{list(shape)}", shift, (x,), right.reshape(1, *shape))


def squared_lengths(n, dtype):
    """The squared length of many short vectors after a linear map."""
    def lengths(matrix, vectors):
        return jax.vmap(lambda v: jax.numpy.sum((matrix @ v) ** 2))(vectors)

    vectors = numbers(n, 3, dtype=dtype)
    return Program("jax-ml/jax#39103", f"squared lengths of {n} vectors of {np.dtype(dtype)}", lengths, (np.eye(3, dtype=dtype), vectors),
                   (vectors ** 2).sum(1))


def sum_of_products(*shape, axis):
    """A sum of products over one of seven or eight dimensions."""
    a, b = numbers(*shape), numbers(*shape)[..., ::-1].copy()
    return Program("jax-ml/jax#39257", f"sum of products of {list(shape)} over axis {axis}",
                   lambda a, b: jax.numpy.sum(a * b, axis=axis), (a, b), (a * b).sum(axis))


def clamped_update(columns, start, devices):
    """An update whose start index is out of range, which HLO clamps, partitioned along the updated dimension."""
    def place(board, column, start):
        return jax.lax.dynamic_update_slice(board, column, (np.int32(0), start))

    board = np.arange(2 * columns, dtype=np.int32).reshape(2, columns)
    right = board.copy()
    right[:, -1] = 99
    cut, whole = (NamedSharding(mesh(devices), P(*axes)) for axes in ((None, "x"), ()))
    return Program("openxla/xla#49118", f"update at {start} of {columns} columns on {devices} devices", place,
                   (board, np.full((2, 1), 99, np.int32), np.int32(start)), right, (cut, whole, whole), cut)


def grouped_convolution(height, channels, dtype):
    """A convolution with as many groups as channels. Its input is partitioned along a window's dimension, its kernel along the
    features, both over the same axis of a mesh of 2x2."""
    devices = mesh(2, 2)

    def sharded(value, *axes):
        return jax.lax.with_sharding_constraint(value, NamedSharding(devices, P(*axes)))

    def convolve(image, kernel):
        return jax.lax.conv_general_dilated(sharded(image, None, "x"), sharded(kernel, None, None, None, "x"), (1, 1), "SAME",
                                            feature_group_count=channels, dimension_numbers=("NHWC", "HWIO", "NHWC"))

    image, kernel = numbers(1, height, 4, channels, dtype=dtype), numbers(3, 3, 1, channels, dtype=dtype)
    padded = np.pad(image, ((0, 0), (1, 1), (1, 1), (0, 0)))
    right = sum(padded[:, i:i + height, j:j + 4] * kernel[i, j, 0] for i in range(3) for j in range(3))
    whole = NamedSharding(devices, P())
    return Program("unseen 264575131", f"convolution of {channels} groups, {height} rows of {np.dtype(dtype)}", convolve, (image, kernel),
                   right, (whole, whole), whole)


def programs():
    return [shifted_rows(4, 1, 1, dtype=np.int32), shifted_rows(8, 16, dtype=np.float32), shifted_rows(8, 16, dtype=np.int32),
            shifted_rows(64, 4, dtype=np.float64),
            squared_lengths(32769, np.float32), squared_lengths(32769, np.float64), squared_lengths(16385, np.float64),
            squared_lengths(50000, np.float64),
            sum_of_products(3, 1, 2, 2, 8, 8, 8, axis=3), sum_of_products(3, 1, 4, 2, 8, 8, 16, axis=3),
            sum_of_products(3, 1, 2, 2, 8, 8, 4, 2, axis=3),
            clamped_update(2, 2, 2), clamped_update(8, 9, 2), clamped_update(8, 100, 4),
            grouped_convolution(4, 4, np.float32), grouped_convolution(8, 16, np.float32), grouped_convolution(8, 4, np.float64)]


def write(program, folder):
    folder.mkdir()
    lowered = program.lowered()
    (folder / "before.txt").write_text(lowered.compiler_ir("hlo").as_hlo_text(), encoding="utf-8")
    np.savez(folder / "inputs.npz", **{f"in_{i}": each for i, each in enumerate(program.arguments)})
    np.savez(folder / "right.npz", out_0=program.right)


def engines_that_are_right(program, folder):
    """The names of the engines whose results are numpy's: equal, and floats to a few roundings of the largest element."""
    right = []
    for path in sorted(folder.glob("*.npz")):
        if path.stem in ("inputs", "right"):
            continue
        results = np.load(path)
        result = results["out_0"] if results.files == ["out_0"] else None
        if result is None or (result.shape, result.dtype) != (program.right.shape, program.right.dtype):
            continue
        allowed = np.zeros_like(program.right)
        if program.right.dtype.kind == "f":
            exact = {4: 1e-5, 8: 1e-13}[program.right.dtype.itemsize]
            largest = np.abs(program.right).max()
            allowed = np.maximum(exact * np.abs(program.right), 4 * np.finfo(program.right.dtype).eps * largest)
        if (np.abs(result - program.right) <= allowed).all():
            right.append(path.stem)
    return right


def verdict(program):
    """What XLA computes, compared with numpy by the error relative to the largest element."""
    placed = program.arguments
    if program.shardings:
        placed = [jax.device_put(each, where) for each, where in zip(placed, program.shardings)]
    result = np.asarray(program.lowered().compile()(*placed))
    error = np.abs(result.astype(np.float64) - program.right.astype(np.float64))
    wrong = int((error > 1e-3 * np.abs(program.right).max()).sum())
    return f"wrong in {wrong} of {result.size}" if wrong else "right"


def main(verb, *arguments):
    if verb == "list":
        print(json.dumps([{"defect": each.defect, "name": each.name} for each in programs()]))
    elif verb == "write":
        for number in arguments[1:]:
            write(programs()[int(number)], pathlib.Path(arguments[0]) / number)
    elif verb == "check":
        folder = pathlib.Path(arguments[0])
        print(json.dumps({number: engines_that_are_right(programs()[int(number)], folder / number) for number in arguments[1:]}))
    else:
        print(json.dumps({"verdict": verdict(programs()[int(arguments[0])])}))


if __name__ == "__main__":
    main(*sys.argv[1:])
