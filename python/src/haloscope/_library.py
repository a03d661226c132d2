"""Finds libhaloscope and declares the functions of haloscope/c.h. What they mean is decided by the modules that call them."""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import os
import pathlib
import shutil
import stat
import sys
from typing import Any, Optional

_PACKAGE = pathlib.Path(__file__).resolve().parent
# Of a checkout: the release build, if the package is used from its source folder.
_BUILD = _PACKAGE.parents[2] / "build" / "release"

OK = 0


class HaloError(Exception):
    """What libhaloscope or the command reports about a file or a request."""


class Array(ctypes.Structure):
    """halo_array."""

    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_char_p),
        ("rank", ctypes.c_size_t),
        ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
    ]


class ArrowSchema(ctypes.Structure):
    """The schema of the Arrow C data interface."""


ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowSchema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class ArrowArray(ctypes.Structure):
    """The array of the Arrow C data interface."""


ArrowArray._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


class ArrowStream(ctypes.Structure):
    """The stream of the Arrow C stream interface."""

    _fields_ = [
        ("get_schema", ctypes.c_void_p),
        ("get_next", ctypes.c_void_p),
        ("get_last_error", ctypes.c_void_p),
        ("release", ctypes.c_void_p),
        ("private_data", ctypes.c_void_p),
    ]


_TEXT, _HANDLE, _SIZE = ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t
_OUT = ctypes.POINTER(ctypes.c_void_p)
# Name: (result, arguments).
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "halo_version": (_TEXT, []),
    "halo_status_text": (_TEXT, [ctypes.c_int]),
    "halo_open_path": (ctypes.c_int, [_TEXT, _OUT]),
    "halo_open_bytes": (ctypes.c_int, [_TEXT, ctypes.c_char_p, _SIZE, _OUT]),
    "halo_open_dump": (ctypes.c_int, [_TEXT, _TEXT, _OUT]),
    "halo_add_path": (ctypes.c_int, [_HANDLE, _TEXT]),
    "halo_add_related": (ctypes.c_int, [_HANDLE]),
    "halo_path": (_TEXT, [_HANDLE]),
    "halo_close": (None, [_HANDLE]),
    "halo_error": (_TEXT, [_HANDLE]),
    "halo_ask": (ctypes.c_int, [_HANDLE, _TEXT, _OUT]),
    "halo_time": (ctypes.c_int, [_HANDLE, _TEXT, _OUT]),
    "halo_diff": (ctypes.c_int, [_HANDLE, _HANDLE, _TEXT, _OUT]),
    "halo_numbers": (ctypes.c_int, [_HANDLE, _HANDLE, _TEXT, ctypes.POINTER(Array), _SIZE, _OUT]),
    "halo_snapshot": (ctypes.c_int, [_HANDLE, _TEXT, _OUT]),
    "halo_ranks": (ctypes.c_int, [_TEXT, _TEXT, _OUT]),
    "halo_recompiles": (ctypes.c_int, [_TEXT, _TEXT, _OUT]),
    "halo_page": (ctypes.c_int, [_HANDLE, ctypes.c_char_p, _SIZE, _TEXT, _OUT]),
    "halo_run": (ctypes.c_int, [_HANDLE, _TEXT, ctypes.POINTER(Array), _SIZE, _OUT]),
    "halo_stop": (None, [_HANDLE]),
    "halo_steps": (ctypes.c_int64, [_HANDLE]),
    "halo_result_json": (ctypes.c_void_p, [_HANDLE, ctypes.POINTER(_SIZE)]),
    "halo_result_array_count": (_SIZE, [_HANDLE]),
    "halo_result_array": (ctypes.c_int, [_HANDLE, _SIZE, ctypes.POINTER(Array)]),
    "halo_result_free": (None, [_HANDLE]),
    "halo_table": (ctypes.c_int, [_HANDLE, _TEXT, ctypes.POINTER(ArrowSchema), ctypes.POINTER(ArrowArray)]),
    "halo_table_stream": (ctypes.c_int, [_HANDLE, _TEXT, ctypes.POINTER(ArrowStream)]),
    "halo_scan": (ctypes.c_int, [_TEXT, _OUT]),
    "halo_scan_rows": (ctypes.c_int, [_TEXT, _TEXT, _OUT]),
    "halo_rows_refused": (_TEXT, [_HANDLE]),
    "halo_rows_stream": (ctypes.c_int, [_HANDLE, _TEXT, ctypes.POINTER(ArrowStream)]),
    "halo_rows_free": (None, [_HANDLE]),
}


def _is_trusted(path: str, own: str) -> bool:
    """Whether every user who can replace a file can also replace our own: the rule of halo/plugins/trusted_file.h."""
    ours = [os.stat(own), os.stat(os.path.dirname(own))]

    def writable(entry: os.stat_result, by: int) -> bool:
        return bool(entry.st_mode & by) and not (stat.S_ISDIR(entry.st_mode) and entry.st_mode & stat.S_ISVTX)

    for entry in (os.stat(path), os.stat(os.path.dirname(path))):
        if entry.st_uid not in (0, ours[0].st_uid):
            return False
        if writable(entry, stat.S_IWGRP) and not any(writable(e, stat.S_IWGRP) and e.st_gid == entry.st_gid for e in ours):
            return False
        if writable(entry, stat.S_IWOTH) and not any(writable(e, stat.S_IWOTH) for e in ours):
            return False
    return True


def _engine_library(name: str) -> Optional[str]:
    """The library of the package haloscope-engine, which has the compiled engine, if the same version of it is installed: it is in
    lib/haloscope next to the command's bin."""
    command = installed_file("bin/halo")
    if command is None:
        return None
    folder = f"engine-{importlib.metadata.version('haloscope')}"
    path = os.path.join(os.path.dirname(os.path.dirname(command)), "lib", "haloscope", folder, name)
    return path if os.path.isfile(path) and _is_trusted(path, str(_PACKAGE / name)) else None


def _library_path() -> str:
    name = "libhaloscope.dylib" if sys.platform == "darwin" else "libhaloscope.so"
    given = os.environ.get("HALOSCOPE_LIBRARY")
    for path in [given] if given else [_engine_library(name), str(_PACKAGE / name), str(_BUILD / name)]:
        if path and os.path.exists(path):
            return path
    raise HaloError(f"{name} is neither in the package nor in a release build; HALOSCOPE_LIBRARY can name it")


@functools.lru_cache(maxsize=None)
def library() -> ctypes.CDLL:
    """The library, loaded on first use. Calls release the interpreter's lock."""
    loaded = ctypes.CDLL(_library_path())
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return loaded


@functools.lru_cache(maxsize=None)
def installed_file(ending: str) -> Optional[str]:
    """A file that the wheel installed outside of the package, by the end of its path."""
    try:
        files = importlib.metadata.files("haloscope") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    for each in files:
        if str(each).replace(os.sep, "/").endswith(ending):
            path = str(each.locate())
            if os.path.exists(path):
                return os.path.realpath(path)
    return None


def command_path() -> str:
    """The command `halo` that belongs to this package."""
    candidates = [os.environ.get("HALOSCOPE_COMMAND"), installed_file("bin/halo"), str(_BUILD / "halo"), shutil.which("halo")]
    for path in candidates:
        if path and os.path.exists(path):
            return path
    raise HaloError("the command `halo` is not installed; HALOSCOPE_COMMAND can name it")


@functools.lru_cache(maxsize=None)
def viewer_page() -> bytes:
    """The viewer's page without data."""
    candidates = [os.environ.get("HALOSCOPE_PAGE"), installed_file("share/haloscope/viewer.html"),
                  str(_BUILD / "share" / "haloscope" / "viewer.html")]
    for path in candidates:
        if path and os.path.exists(path):
            return pathlib.Path(path).read_bytes()
    raise HaloError("the viewer's page is not installed; HALOSCOPE_PAGE can name it")
