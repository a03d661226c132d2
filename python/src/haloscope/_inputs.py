"""Finds out what a program was given as: a path, HLO text, bytes, StableHLO, or a stage of JAX. Returns bytes or a path; JAX is
imported only for what needs it."""

from __future__ import annotations

import importlib
import os
from typing import Any, NamedTuple, Optional, Union

from haloscope._library import HaloError

PathOrBytes = Union[str, "os.PathLike[str]", bytes]

_MLIR_BYTECODE = b"ML\xefR"


class Source(NamedTuple):
    """Either a path, or bytes with a name for messages."""

    path: Optional[str]
    data: bytes = b""
    name: str = ""
    backend: Optional[str] = None  # that it was compiled for, if known


def source_of(program: Any) -> Source:
    """Raises HaloError if it cannot be a program, TypeError if it is of another type."""
    if isinstance(program, os.PathLike):
        return Source(os.fspath(program))
    if isinstance(program, str):
        if _is_mlir(program):
            return Source(None, _converted(program), "stablehlo.mlir")
        if "\n" in program or program.startswith("HloModule"):
            return Source(None, program.encode(), "text.hlo")
        return Source(program)
    if isinstance(program, (bytes, bytearray, memoryview)):
        data = bytes(program)
        if data.startswith(_MLIR_BYTECODE):
            return Source(None, _converted(data), "stablehlo.mlir")
        if _is_mlir(data[:4096].decode("utf-8", "replace")):
            return Source(None, _converted(data.decode()), "stablehlo.mlir")
        return Source(None, data, "bytes.hlo")
    kind = _jax_kind(program)
    if kind == "Lowered":
        return Source(None, program.compiler_ir(dialect="hlo").as_serialized_hlo_module_proto(), "lowered.hlo.pb")
    if kind == "Compiled":
        executable = program.runtime_executable()
        modules = executable.hlo_modules()
        data = _largest_module(modules)
        return Source(None, _with_assignment(data, executable) if len(modules) == 1 else data, "compiled.hlo.pb",
                      _backend_of(executable))
    if kind == "Exported":
        return Source(None, _converted(program.mlir_module()), "exported.mlir")
    folder = getattr(program, "__fspath__", None)
    if folder is not None:
        return Source(str(folder()))
    raise TypeError("a program is a path, HLO or StableHLO text, bytes, or jax's Lowered, Compiled or Exported; not "
                    f"{type(program).__module__}.{type(program).__qualname__}")


def is_program(value: Any) -> bool:
    """True for everything that source_of accepts; false for functions, for example."""
    return isinstance(value, (str, bytes, bytearray, memoryview, os.PathLike)) or _jax_kind(value) != ""


def _jax_kind(program: Any) -> str:
    for kind in type(program).__mro__:
        if kind.__module__.split(".")[0] == "jax" and kind.__name__ in ("Lowered", "Compiled", "Exported"):
            return kind.__name__
    return ""


def _is_mlir(text: str) -> bool:
    start = text.lstrip()
    if start.startswith("HloModule"):
        return False
    return start.startswith(("module @", "module {", "module attributes", "#loc", "#map")) and "func.func" in text \
        or start.startswith(("module", "func.func")) and ("stablehlo." in text or "mhlo." in text)


def _backend_of(executable: Any) -> Optional[str]:
    platform = getattr(getattr(executable, "client", None), "platform", None)
    return {"cpu": "cpu", "gpu": "gpu", "cuda": "gpu", "rocm": "gpu", "tpu": "tpu"}.get(platform or "")


def _largest_module(modules: Any) -> bytes:
    serialized = [bytes(each.as_serialized_hlo_module_proto()) for each in modules]
    if not serialized:
        raise HaloError("the compiled program holds no HLO module")
    return max(serialized, key=len)


def _with_assignment(module: bytes, executable: Any) -> bytes:
    """An HloProto of the module and XLA's own buffer assignment, where jaxlib has it; else the module."""
    try:
        assignment = executable.get_compiled_memory_stats().serialized_buffer_assignment_proto
    except Exception:  # older than the function or the field, or a backend without figures
        return module
    return _field(1, module) + _field(3, assignment) if assignment else module


def _field(number: int, value: bytes) -> bytes:
    """A length-delimited field of a protobuf."""
    size = len(value)
    encoded = bytearray([number << 3 | 2])
    while size >= 0x80:
        encoded.append(size & 0x7F | 0x80)
        size >>= 7
    encoded.append(size)
    return bytes(encoded) + value


def _converted(module: Union[str, bytes]) -> bytes:
    """StableHLO as an HloModuleProto, by jaxlib's converter."""
    try:
        # Found there in every jaxlib since 0.4.30.
        xla_client = importlib.import_module("jax._src.lib").xla_client
    except ImportError as error:
        raise HaloError("StableHLO is converted by jaxlib, which is not installed; pass HLO instead") from error
    mlir = xla_client._xla.mlir
    try:
        computation = _xla_computation(mlir, module)
    except Exception as error:
        raise HaloError(f"jaxlib cannot convert this module to HLO: {error}") from error
    return bytes(computation.as_serialized_hlo_module_proto())


def _xla_computation(mlir: Any, module: Union[str, bytes]) -> Any:
    try:
        return mlir.mlir_module_to_xla_computation(module, use_tuple_args=False, return_tuple=False)
    except Exception:
        if not isinstance(module, bytes):
            raise
        # Older versions do not read the versioned bytecode that jax.export writes.
        text = mlir.deserialize_portable_artifact(module)
        return mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
