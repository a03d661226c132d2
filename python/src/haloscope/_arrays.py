"""Arrays that go into a run and come out of it. Needs no numpy; uses it where it is installed."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from haloscope._library import Array as CArray
from haloscope._library import HaloError

# Type of HLO: (numpy's name, format of memoryview).
_TYPES = {
    "pred": ("bool", "?"), "s8": ("int8", "b"), "s16": ("int16", "h"), "s32": ("int32", "i"), "s64": ("int64", "q"),
    "u8": ("uint8", "B"), "u16": ("uint16", "H"), "u32": ("uint32", "I"), "u64": ("uint64", "Q"),
    "f16": ("float16", "e"), "f32": ("float32", "f"), "f64": ("float64", "d"), "bf16": ("bfloat16", ""),
    "c64": ("complex64", ""), "c128": ("complex128", ""), "f8e4m3fn": ("float8_e4m3fn", ""), "f8e5m2": ("float8_e5m2", ""),
    "s4": ("int4", ""), "u4": ("uint4", ""),
}
_OF_NUMPY = {name: kind for kind, (name, _) in _TYPES.items()}
_OF_FORMAT = {form: kind for kind, (_, form) in _TYPES.items() if form}
_OF_FORMAT.update({"l": "s64", "L": "u64"})

Inputs = Union[Mapping[str, Any], Sequence[Any]]


class Array:
    """A result of a run: `array.numpy()`, `memoryview(array.data)`, or `array.tolist()`. Reads the run's own memory."""

    def __init__(self, name: str, kind: str, shape: tuple[int, ...], data: memoryview) -> None:
        self.name = name
        self.type = kind
        self.shape = shape
        self.data = data

    def __repr__(self) -> str:
        return f"Array({self.name}: {self.type}[{','.join(map(str, self.shape))}])"

    def numpy(self) -> Any:
        """A numpy array over the same memory. bf16 and 8-bit floats need ml_dtypes, which comes with jax."""
        numpy = importlib.import_module("numpy")
        name = _TYPES.get(self.type, (self.type, ""))[0]
        try:
            dtype = numpy.dtype(name)
        except TypeError:
            dtype = numpy.dtype(getattr(importlib.import_module("ml_dtypes"), name))
        return numpy.frombuffer(self.data, dtype=dtype).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        made = self.numpy() if dtype is None else self.numpy().astype(dtype)
        return made.copy() if copy else made

    def tolist(self) -> Any:
        """Nested lists of numbers, or one number. Without numpy, only types that Python knows."""
        form = _TYPES.get(self.type, ("", ""))[1]
        if not form:
            return self.numpy().tolist()
        flat = iter(self.data.cast(form).tolist())  # type: ignore[call-overload]
        return _nested(flat, self.shape)


def _nested(flat: Iterator[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return next(flat)
    return [_nested(flat, shape[1:]) for _ in range(shape[0])]


def _contiguous(value: Any) -> tuple[str, tuple[int, ...], Any, int, int]:
    """(type, shape, what keeps the memory alive, address, bytes)."""
    try:
        numpy = importlib.import_module("numpy")
    except ImportError:
        numpy = None
    if numpy is not None and not isinstance(value, memoryview):
        made = numpy.ascontiguousarray(value)
        shape = tuple(numpy.shape(value))
        kind = _OF_NUMPY.get(made.dtype.name)
        if kind is None:
            raise HaloError(f"an input has the type {made.dtype.name}, which HLO does not have")
        return kind, shape, made, made.ctypes.data, made.nbytes
    view = memoryview(value)
    if view.format not in _OF_FORMAT:
        raise HaloError(f"an input has the format {view.format!r}; give an array.array, a memoryview or a numpy array")
    data = ctypes.create_string_buffer(view.tobytes(), view.nbytes)
    return _OF_FORMAT[view.format], tuple(view.shape or ()), data, ctypes.addressof(data), view.nbytes


def c_inputs(inputs: Optional[Inputs]) -> tuple[Any, int, list[Any]]:
    """(halo_array*, count, what must stay alive). A sequence is matched to parameters by position."""
    if inputs is None:
        named: Mapping[str, Any] = {}
    elif isinstance(inputs, Mapping):
        named = inputs
    else:
        named = {f"in_{i}": value for i, value in enumerate(inputs)}
    arrays = (CArray * max(1, len(named)))()
    alive: list[Any] = []
    for to, (name, value) in zip(arrays, named.items()):
        kind, shape, owner, address, size = _contiguous(value)
        dims = (ctypes.c_int64 * max(1, len(shape)))(*shape)
        encoded = (name.encode(), kind.encode())
        alive += [owner, dims, encoded]
        to.name, to.type = encoded
        to.rank = len(shape)
        to.dims = ctypes.cast(dims, ctypes.POINTER(ctypes.c_int64))
        to.data, to.bytes = address, size
    return arrays, len(named), alive


def outputs_of(count: int, fill: Callable[[int, CArray], int], owner: Any) -> list[Array]:
    """`owner` is kept alive by the memory of each array."""
    made = []
    for index in range(count):
        array = CArray()
        fill(index, array)
        kind = ctypes.c_char * array.bytes
        buffer: Any = kind.from_address(array.data) if array.bytes else kind()
        buffer._owner = owner
        shape = tuple(array.dims[i] for i in range(array.rank))
        made.append(Array(array.name.decode(), array.type.decode(), shape, memoryview(buffer).cast("B")))
    return made
