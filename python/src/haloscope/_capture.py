"""Collects every program that JAX compiles inside a `with` block, as a dump directory. XLA reads XLA_FLAGS only once, so each
compilation gets the options of a dump itself, whatever the flags are."""

from __future__ import annotations

import importlib
import os
import pathlib
import tempfile
from types import TracebackType
from typing import Any, Optional, Union

from haloscope._document import Document
from haloscope._library import HaloError

_OPTIONS = (("xla_dump_hlo_as_text", True), ("xla_dump_hlo_module_re", ".*"))


class Capture:
    """A dump directory that fills while the block runs. Give it to any function: `hs.memory(dump)` is about the largest
    program; `dump.open("train_step")` opens another."""

    def __init__(self, folder: Union[None, str, "os.PathLike[str]"] = None) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="haloscope-") if folder is None else None
        self.path = os.fspath(folder) if folder is not None else self._temporary.name  # type: ignore[union-attr]
        os.makedirs(self.path, exist_ok=True)
        self.compiles: list[str] = []  # names of what was compiled, in order
        self._original: Any = None

    def __fspath__(self) -> str:
        return self.path

    def open(self, module: Optional[str] = None, stage: Optional[str] = None) -> Document:
        return Document(self.path, module=module, stage=stage)

    def __repr__(self) -> str:
        return f"Capture({self.path!r}: {', '.join(self.compiles) or 'nothing compiled'})"

    def _compile(self, *arguments: Any, **named: Any) -> Any:
        options = named.get("compile_options")
        if options is None:
            options = next((each for each in arguments if hasattr(each, "env_option_overrides")), None)
        before = set(os.listdir(self.path))
        saved = None
        if options is not None:
            saved = list(options.env_option_overrides)
            options.env_option_overrides = [*saved, ("xla_dump_to", self.path), *_OPTIONS]
        try:
            executable = self._original(*arguments, **named)
        finally:
            if options is not None:
                options.env_option_overrides = saved
        modules = executable.hlo_modules()
        self.compiles += [each.name for each in modules]
        if not any("after_optimizations" in name for name in set(os.listdir(self.path)) - before):
            self._write(modules)
        return executable

    def _write(self, modules: Any) -> None:
        """Programs that came from JAX's cache on disk: XLA dumps nothing, but the compiled module is there."""
        for each in modules:
            name = f"module_{len(self.compiles):04d}.{each.name}.after_optimizations.hlo.pb"
            (pathlib.Path(self.path) / name).write_bytes(each.as_serialized_hlo_module_proto())

    def __enter__(self) -> Capture:
        try:
            compiler: Any = importlib.import_module("jax._src.compiler")
        except ImportError as error:
            raise HaloError("hs.capture() collects what JAX compiles; jax is not installed") from error
        if self._original is not None:
            raise HaloError("this capture is already active")
        self._original = compiler.compile_or_get_cached
        compiler.compile_or_get_cached = self._compile
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        compiler: Any = importlib.import_module("jax._src.compiler")
        compiler.compile_or_get_cached = self._original
        self._original = None


def capture(folder: Union[None, str, "os.PathLike[str]"] = None) -> Capture:
    """`with hs.capture() as dump:` collects every compilation inside into `dump`: XLA's own dump with its buffer assignment. The
    folder is temporary unless one is given. Functions that were compiled before are not compiled again."""
    return Capture(folder)
