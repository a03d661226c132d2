"""Tables of a program through the Arrow C data interface: pandas, polars, duckdb and pyarrow take them without a copy. Reading
a column without any of them works too."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Callable

from haloscope._library import ArrowArray, ArrowSchema, ArrowStream, library

if TYPE_CHECKING:
    from haloscope._document import Document

_STREAM = b"arrow_array_stream"
_SCHEMA = b"arrow_schema"
_Destructor = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, _Destructor]
_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype = ctypes.c_void_p
_capsule_pointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

# Structures that capsules point to, by address, until the capsule is destroyed.
_held: dict[int, Any] = {}


def _release(structure: Any) -> None:
    """Releases it unless a consumer has taken its contents."""
    if structure.release:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(structure.release)(ctypes.addressof(structure))


def _destructor(name: bytes) -> Any:
    def destroy(capsule: int, get: Any = _capsule_pointer, held: dict[int, Any] = _held,
                releases: Callable[[Any], None] = _release) -> None:
        structure = held.pop(get(capsule, name), None)
        if structure is not None:
            releases(structure)

    made = _Destructor(destroy)
    # Capsules may outlive this module when the interpreter ends.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(made))
    return made


_destroy_stream = _destructor(_STREAM)
_destroy_schema = _destructor(_SCHEMA)


def _capsule(structure: Any, name: bytes, destroy: Any) -> Any:
    address = ctypes.addressof(structure)
    _held[address] = structure
    return _new_capsule(address, name, destroy)


def stream_capsule(stream: Any) -> Any:
    """The capsule that `__arrow_c_stream__` returns."""
    return _capsule(stream, _STREAM, _destroy_stream)


TABLES = ("instructions", "computations", "collectives", "custom_calls", "values")


class Table:
    """`instructions`, `computations`, `collectives`, `custom_calls` or `values` of a program."""

    def __init__(self, document: Document, name: str) -> None:
        self._document = document
        self.name = name

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """For every library that reads Arrow streams: `pyarrow.table(t)`, `polars.from_arrow(t)`, `pandas.DataFrame.from_arrow(t)`,
        `duckdb.sql("select ... from t")`."""
        del requested_schema  # A producer may ignore it.
        stream = ArrowStream()
        self._document._call("making a table",
                             lambda: library().halo_table_stream(self._document._handle, self.name.encode(), ctypes.byref(stream)))
        return stream_capsule(stream)

    def __arrow_c_schema__(self) -> Any:
        schema, array = self._filled()
        _release(array)
        return _capsule(schema, _SCHEMA, _destroy_schema)

    def _filled(self) -> tuple[Any, Any]:
        schema, array = ArrowSchema(), ArrowArray()
        self._document._call("making a table", lambda: library().halo_table(
            self._document._handle, self.name.encode(), ctypes.byref(schema), ctypes.byref(array)))
        return schema, array

    @property
    def column_names(self) -> list[str]:
        schema, array = self._filled()
        names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
        _release(schema)
        _release(array)
        return names

    def __len__(self) -> int:
        schema, array = self._filled()
        length = int(array.length)
        _release(schema)
        _release(array)
        return length

    def to_pydict(self) -> dict[str, list[Any]]:
        """The columns as lists, without any other library."""
        schema, array = self._filled()
        try:
            return {schema.children[i].contents.name.decode(): _column(schema.children[i].contents, array.children[i].contents)
                    for i in range(schema.n_children)}
        finally:
            _release(schema)
            _release(array)

    def __repr__(self) -> str:
        return f"Table({self.name}: {', '.join(self.column_names)})"


def _column(schema: Any, array: Any) -> list[Any]:
    length = int(array.length)
    if schema.format == b"l":
        return list((ctypes.c_int64 * length).from_address(array.buffers[1])) if length else []
    offsets = (ctypes.c_int32 * (length + 1)).from_address(array.buffers[1])
    text = ctypes.string_at(array.buffers[2], offsets[length]) if offsets[length] else b""
    return [text[offsets[i]:offsets[i + 1]].decode() for i in range(length)]
