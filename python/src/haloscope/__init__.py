"""Haloscope for Python: explains XLA programs. `import haloscope as hs`, then `hs.memory(x)`, `hs.time(x)`, `hs.check(x)`,
`hs.diff(a, b)`, `hs.run(x, inputs)`, `hs.info(x)` and others, where x is a path, a dump directory, HLO or StableHLO text, bytes, or
jax's Lowered, Compiled or Exported. docs/python.md is the guide."""

from __future__ import annotations

import os
from typing import Any, Optional, Union

from haloscope import scan
from haloscope._arrays import Array, Inputs
from haloscope._call import set_progress
from haloscope._capture import Capture, capture
from haloscope._command import command
from haloscope._document import Document, bytes_of, folder_text
from haloscope._library import HaloError, library
from haloscope._results import Check, Diff, Info, Memory, Numbers, Ranks, Recompiles, Result, Run, Snapshot, Time
from haloscope._sweep import Sweep, sweep
from haloscope._table import Table

__all__ = ["Array", "Capture", "Check", "Diff", "Document", "HaloError", "Info", "Inputs", "Memory", "Numbers", "Ranks",
           "Recompiles", "Result", "Run", "Snapshot", "Sweep", "Table", "Time", "bytes_of", "capture", "check", "command", "diff",
           "info", "memory", "numbers", "open", "ranks", "recompiles", "run", "scan", "set_progress", "snapshot", "sweep", "time",
           "version"]


def version() -> str:
    """The version of the library."""
    return str(library().halo_version().decode())


def open(program: Any, *, module: Optional[str] = None, stage: Optional[str] = None,  # pylint: disable=redefined-builtin
         rank: Optional[str] = None) -> Document:
    """Opens a program once for several requests. `module`, `stage` and `rank` choose from a dump directory."""
    if isinstance(program, Document):
        return program
    return Document(program, module=module, stage=stage, rank=rank)


def info(program: Any, **options: Any) -> Info:
    """What a file is and what is in it: Document.info."""
    return open(program).info(**options)


def memory(program: Any, **options: Any) -> Memory:
    """Where the memory goes, whether it fits and what would help: Document.memory."""
    return open(program).memory(**options)


def time(program: Any, **options: Any) -> Time:
    """How long it takes on a device and what limits it: Document.time."""
    return open(program).time(**options)


def check(program: Any, **options: Any) -> Check:
    """What is wrong with it: Document.check. Of a dump directory, every file is checked."""
    if isinstance(program, (str, os.PathLike)) and "\n" not in str(program) and os.path.isdir(program):
        flags = [flag for name, flag in (("warnings", "--no-warnings"), ("rules", "--no-rules")) if not options.get(name, True)]
        return Check(command("check", program, *flags).to_json())
    return open(program).check(**options)


def diff(before: Any, after: Any, *, top: Optional[int] = None, device: Optional[str] = None) -> Diff:
    """What changed from one program to the other: Document.diff."""
    return open(before).diff(open(after), top=top, device=device)


def numbers(before: Any, after: Any, inputs: Optional[Inputs] = None, **options: Any) -> Numbers:
    """Whether two programs compute the same on the same inputs: Document.numbers."""
    return open(before).numbers(open(after), inputs, **options)


def snapshot(program: Any, *, device: Optional[str] = None) -> Snapshot:
    """The figures that are worth watching, small enough to commit: Document.snapshot."""
    return open(program).snapshot(device=device)


def ranks(path: Union[str, "os.PathLike[str]"], *, follow: bool = False) -> Ranks:
    """Which ranks of a job compiled the same; the folder holds a dump for each."""
    return Ranks(folder_text("ranks", path, follow))


def recompiles(path: Union[str, "os.PathLike[str]"], *, follow: bool = False) -> Recompiles:
    """Why functions of a dump directory were compiled more than once."""
    return Recompiles(folder_text("recompiles", path, follow))


def run(program: Any, inputs: Optional[Inputs] = None, **options: Any) -> Run:
    """Runs it on this machine: Document.run."""
    return open(program).run(inputs, **options)
