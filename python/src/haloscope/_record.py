"""JSON documents as objects with attributes. The classes in _documents.py declare what each kind of document holds."""

from __future__ import annotations

import keyword
from typing import Any, ClassVar, Iterator, Mapping, Optional


class Record:
    """An object of a JSON document: `record.peak.bytes` or `record["peak"]["bytes"]`. Names that are keywords of Python end with
    an underscore: `record.backend.is_`. A field that the document may leave out is None then."""

    _nested: ClassVar[Mapping[str, Any]] = {}
    _optional: ClassVar[frozenset[str]] = frozenset()
    _data: dict[str, Any]

    def __init__(self, data: dict[str, Any]) -> None:
        object.__setattr__(self, "_data", data)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        key = name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name
        if key in self._data:
            return wrap(self._data[key], self._nested.get(key))
        if key in self._optional:
            return None
        raise AttributeError(f"{type(self).__name__} has no field {key!r}; it has {', '.join(self._data)}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a result is not changed: {name}")

    def __getitem__(self, key: str) -> Any:
        return self._data[key]

    def __contains__(self, key: object) -> bool:
        return key in self._data

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __dir__(self) -> list[str]:
        names = [f"{key}_" if keyword.iskeyword(key) else key for key in self._data]
        return sorted([*super().__dir__(), *names])

    # Without __hash__: equal records would need equal ones, and the document behind a record may be changed.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._data == other._data

    def __repr__(self) -> str:
        parts = []
        for key, value in self._data.items():
            text = f"<{len(value)}>" if isinstance(value, (list, dict)) and len(value) > 3 else repr(value)
            parts.append(f"{key}={text[:80]}")
        return f"{type(self).__name__}({', '.join(parts)})"

    def to_dict(self) -> dict[str, Any]:
        """The plain document. Changing it changes the record."""
        return self._data


def wrap(value: Any, kind: Optional[Any]) -> Any:
    if isinstance(value, dict):
        return (kind or Record)(value)
    if isinstance(value, list):
        return [wrap(each, kind) for each in value]
    return value
