"""Assertions about compiled programs for pytest. Installing haloscope makes `--halo-update` known to pytest; the assertions are
plain functions and work elsewhere too.

    from haloscope.pytest_plugin import assert_fits, assert_peak, assert_collectives, assert_same_program

Each takes a function with its arguments, which JAX lowers and compiles, or a program as haloscope.open() takes it. A failure
explains itself: what is in memory at the peak with its source line, which collectives differ, what changed in the program.
"""

from __future__ import annotations

import gzip
import importlib
import os
import pathlib
from typing import Any, Mapping, Optional, Sequence, Union

import haloscope as hs
from haloscope._inputs import is_program

__all__ = ["assert_collectives", "assert_fits", "assert_peak", "assert_same_program"]

_UPDATE = "HALOSCOPE_UPDATE_SNAPSHOTS"
_SHOWN = 6  # rows that a failure lists


def pytest_addoption(parser: Any) -> None:
    group = parser.getgroup("haloscope")
    group.addoption("--halo-update", action="store_true", default=False,
                    help="write the snapshots of assert_same_program instead of comparing with them")


def pytest_configure(config: Any) -> None:
    if config.getoption("--halo-update", default=False):
        os.environ[_UPDATE] = "1"


def pytest_unconfigure(config: Any) -> None:
    if config.getoption("--halo-update", default=False):
        os.environ.pop(_UPDATE, None)


def _lowered(function: Any, arguments: Optional[Sequence[Any]]) -> Any:
    """The function lowered by JAX; it may be jitted already."""
    if not callable(function):
        raise TypeError(f"neither a function nor a program: {type(function).__name__}")
    if not hasattr(function, "lower"):
        function = importlib.import_module("jax").jit(function)
    return function.lower(*(arguments or ()))


def _compiled(program: Any, arguments: Optional[Sequence[Any]]) -> hs.Document:
    if isinstance(program, hs.Document):
        return program
    if is_program(program) or isinstance(program, hs.Capture):
        return hs.open(program)
    return hs.open(_lowered(program, arguments).compile())


def _size(count: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024:
            return f"{count:.0f}{unit}" if unit == "B" else f"{count:.1f}{unit}"
        count /= 1024
    return f"{count:.1f}TiB"


def _why(memory: hs.Memory) -> str:
    """What is in memory at the peak, and what would help."""
    document = memory.to_dict()
    lines = [document["verdict"]["text"], "at the peak:"]
    items = document["largest"]
    for item in items[:_SHOWN]:
        source = f"  {item['source']}" if item.get("source") else ""
        lines.append(f"  {_size(item['bytes']):>10}  {item.get('role') or item.get('kind', '')}  {item['name']}  "
                     f"{item.get('shape', '')}{source}")
    if len(items) > _SHOWN:
        lines.append(f"  and {len(items) - _SHOWN} more")
    for advice in (document.get("advice") or [])[:3]:
        how = f" ({advice['how']})" if advice.get("how") else ""
        lines.append(f"would save {_size(advice['bytes_saved'])}: {advice.get('what', advice.get('brief', ''))}{how}")
    return "\n".join(lines)


def assert_fits(program: Any, args: Optional[Sequence[Any]] = None, *, device: str) -> hs.Memory:
    """Fails if the program needs more memory than the device has: assert_fits(step, (params, batch), device="h100")."""
    __tracebackhide__ = True
    memory = _compiled(program, args).memory(device=device)
    capacity = memory["capacity"]
    if memory["device_bytes"] > capacity:
        raise AssertionError(f"does not fit: needs {_size(memory['device_bytes'])}, {device} has {_size(capacity)}\n{_why(memory)}")
    return memory


def assert_peak(program: Any, args: Optional[Sequence[Any]] = None, *, at_most: Union[int, str],
                device: Optional[str] = None) -> hs.Memory:
    """Fails if the program needs more device memory than this: assert_peak(step, args, at_most="40GiB")."""
    __tracebackhide__ = True
    memory = _compiled(program, args).memory(device=device)
    limit = hs.bytes_of(at_most)
    if memory["device_bytes"] > limit:
        over = memory["device_bytes"] - limit
        raise AssertionError(f"needs {_size(memory['device_bytes'])}, {_size(over)} more than {_size(limit)}\n{_why(memory)}")
    return memory


def assert_collectives(program: Any, args: Optional[Sequence[Any]] = None, *, expected: Mapping[str, int]) -> None:
    """Fails unless the compiled program has exactly these collectives: assert_collectives(step, args, expected={"all-gather": 2}).
    Async pairs count once."""
    __tracebackhide__ = True
    document = _compiled(program, args)
    found = {each["opcode"]: each["count"] for module in document.info()["modules"] for each in module["collectives"]}
    if found == dict(expected):
        return
    lines = []
    for opcode in sorted({*found, *expected}):
        if found.get(opcode, 0) != expected.get(opcode, 0):
            lines.append(f"{opcode}: {found.get(opcode, 0)} instead of {expected.get(opcode, 0)}")
            lines += _where(document, opcode)
    raise AssertionError("other collectives than expected\n" + "\n".join(lines))


def _where(document: hs.Document, opcode: str) -> list[str]:
    table = document.table("collectives").to_pydict()
    sources = table.get("source") or [""] * len(table["name"])
    names = table.get("op_name") or [""] * len(table["name"])
    rows = [f"  {name}  {op_name}  {source}".rstrip()
            for name, kind, op_name, source in zip(table["name"], table["opcode"], names, sources)
            if kind in (opcode, f"{opcode}-start")]
    return rows[:_SHOWN] + ([f"  and {len(rows) - _SHOWN} more"] if len(rows) > _SHOWN else [])


def assert_same_program(program: Any, args: Optional[Sequence[Any]] = None, *, snapshot: Union[str, "os.PathLike[str]"],
                        stage: str = "lowered") -> None:
    """Fails if the program is not the one in the snapshot, a gzipped HLO module that belongs into version control. By default
    the lowered program is compared, which does not depend on the machine; stage="compiled" compares what XLA made of it. Names,
    metadata and order do not count. `pytest --halo-update` writes the snapshot."""
    __tracebackhide__ = True
    if is_program(program) or isinstance(program, (hs.Document, hs.Capture)):
        raise TypeError("assert_same_program takes a function and its arguments")
    if stage not in ("lowered", "compiled"):
        raise ValueError(f"a stage is lowered or compiled, not {stage!r}")
    lowered = _lowered(program, args)
    from haloscope._inputs import source_of
    data = source_of(lowered if stage == "lowered" else lowered.compile()).data
    path = pathlib.Path(snapshot)
    if os.environ.get(_UPDATE) == "1":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(data, mtime=0))
        return
    if not path.exists():
        raise AssertionError(f"there is no snapshot {path}; write it with pytest --halo-update")
    after = hs.open(data)
    diff = hs.open(path).diff(after)
    if diff["same"]:
        return
    table = after.table("instructions").to_pydict()
    source_of_name = dict(zip(table["name"], table["source"]))
    lines = [f"another program than in {path}: {diff['verdict']}"]
    for cause in diff["causes"][:_SHOWN]:
        sources = [source_of_name.get(each.get("after", ""), "") for each in cause.get("places") or []]
        where = next((each for each in sources if each), cause.get("op_name", ""))
        lines.append(f"  {cause['kind']}: {cause['count']} × {cause['what']}" + (f"  at {where}" if where else ""))
    lines.append("pytest --halo-update accepts the change")
    raise AssertionError("\n".join(lines))
