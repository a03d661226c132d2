"""An open program, and the requests about it. Every method of Document is one request of haloscope/c.h."""

from __future__ import annotations

import ctypes
import json
import os
import threading
from types import TracebackType
from typing import Any, Callable, Optional, Sequence, Union

from haloscope._arrays import Inputs, c_inputs, outputs_of
from haloscope._call import call
from haloscope._inputs import source_of
from haloscope._library import OK, Array, HaloError, library, viewer_page
from haloscope._results import Check, Diff, Info, Memory, Numbers, Page, Result, Run, Snapshot, Time, plain
from haloscope._table import TABLES, Table

Bytes = Union[int, str]

_UNITS = {"": 1, "b": 1, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40,
          "kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}


def bytes_of(size: Bytes) -> int:
    """4096, "40GiB" or "16 GB" in bytes."""
    if isinstance(size, int):
        return size
    text = size.strip().lower()
    digits = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(digits):].strip()
    try:
        return int(float(digits) * _UNITS[unit])
    except (ValueError, KeyError):
        raise ValueError(f"not a size: {size!r}; write 40GiB, for example") from None


class Document:
    """A program that haloscope.open() opened. May be used from several threads; calls on one document wait for each other."""

    def __init__(self, program: Any, *, module: Optional[str] = None, stage: Optional[str] = None,
                 rank: Optional[str] = None) -> None:
        self._handle: Optional[int] = None
        self._lock = threading.Lock()
        self._calls = 0  # under way, also those that Ctrl-C abandoned
        self._closed = False
        source = source_of(program)
        self._backend = source.backend
        choice = plain({"module": module, "stage": stage, "rank": rank})
        handle = ctypes.c_void_p()
        if source.path is None:
            if choice:
                raise ValueError("module, stage and rank choose from a dump directory")
            status = call(lambda: library().halo_open_bytes(source.name.encode(), source.data, len(source.data),
                                                            ctypes.byref(handle)), f"reading {source.name}")
        else:
            path = os.fsencode(source.path)
            is_dump = bool(choice) or os.path.isdir(source.path) or source.path.endswith(_ARCHIVES)
            status = call(lambda: library().halo_open_dump(path, json.dumps(choice).encode(), ctypes.byref(handle)) if is_dump
                          else library().halo_open_path(path, ctypes.byref(handle)), f"reading {source.path}")
        self._handle = handle.value
        if status != OK:
            message = self._message(status)
            self.close()
            raise HaloError(message)

    def _message(self, status: int) -> str:
        said = library().halo_error(self._handle).decode("utf-8", "replace") if self._handle else ""
        return said or library().halo_status_text(status).decode()

    def _begin(self) -> None:
        with self._lock:
            if self._closed or self._handle is None:
                raise ValueError("the document is closed")
            self._calls += 1

    def _end(self) -> None:
        """The last call frees a document that was closed meanwhile."""
        with self._lock:
            self._calls -= 1
            if self._closed and self._calls == 0:
                self._free()

    def _free(self) -> None:
        library().halo_close(self._handle)
        self._handle = None

    def _call(self, what: str, function: Callable[[], int], other: Optional[Document] = None) -> None:
        used = [self] if other is None or other is self else [self, other]
        for each in used:
            each._begin()
        said: list[str] = []

        def work() -> int:
            try:
                status = function()
                if status != OK:
                    said.append(self._message(status))
                return status
            finally:
                for each in used:
                    each._end()

        if call(work, f"{what} of {self.path}", lambda: library().halo_stop(self._handle),
                lambda: int(library().halo_steps(self._handle))) != OK:
            raise HaloError(said[0])

    def _result(self, what: str, function: Callable[[Any], int], other: Optional[Document] = None) -> tuple[int, str]:
        """Calls a function that makes a result. Returns its handle, which the caller frees, and its text."""
        out = ctypes.c_void_p()
        self._call(what, lambda: function(ctypes.byref(out)), other)
        size = ctypes.c_size_t()
        text = library().halo_result_json(out, ctypes.byref(size))
        assert out.value is not None
        return out.value, ctypes.string_at(text, size.value).decode()

    def _text(self, what: str, function: Callable[[Any], int], other: Optional[Document] = None) -> str:
        handle, text = self._result(what, function, other)
        library().halo_result_free(handle)
        return text

    def _asked(self, name: str, options: dict[str, Any]) -> str:
        """The command's document inside the answer to a request."""
        request = json.dumps({"ask": name, **plain(options)}).encode()
        text = self._text(name, lambda out: library().halo_ask(self._handle, request, out))
        begin = text.index('"answer":') + len('"answer":')
        # One level less of indentation gives the command's text: strings of JSON contain no line ends.
        return text[begin:text.rindex("}")].strip().replace("\n  ", "\n") + "\n"

    @property
    def path(self) -> str:
        """The file that was opened; of a dump, the one that was chosen."""
        return os.fsdecode(library().halo_path(self._handle))

    def add(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Adds another file about the same program, such as its buffer assignment."""
        self._call("reading", lambda: library().halo_add_path(self._handle, os.fsencode(path)))

    def _add_related(self) -> None:
        self._call("reading the buffer assignment", lambda: library().halo_add_related(self._handle))

    def ask(self, request: str, **parameters: Any) -> dict[str, Any]:
        """Any request of viewer/protocol.md; the answer is a plain document."""
        asked = json.dumps({"ask": request, **parameters}).encode()
        answer: dict[str, Any] = json.loads(self._text(request, lambda out: library().halo_ask(self._handle, asked, out)))
        return answer

    def info(self, *, largest: Optional[int] = None) -> Info:
        return Info(self._asked("info", {"largest": largest}), self)

    def check(self, *, warnings: bool = True, rules: bool = True) -> Check:
        return Check(self._asked("check", {"warnings": warnings, "rules": rules}), self)

    def memory(self, *, device: Optional[str] = None, capacity: Optional[Bytes] = None, plan: Optional[bool] = None,
               advice: Optional[str] = None, at: Optional[int] = None, around: Optional[str] = None, by: Optional[str] = None,
               top: Optional[int] = None, check: Optional[bool] = None, donate: Optional[Sequence[int]] = None,
               backend: Optional[str] = None, alignment: Optional[int] = None, **more: Any) -> Memory:
        """The options of `halo memory`; `more` takes the others of viewer/protocol.md, such as recompute="dot.1"."""
        self._add_related()
        backend = backend or (None if device else self._backend)
        given = {"device": device, "capacity": None if capacity is None else bytes_of(capacity), "plan": plan, "advice": advice,
                 "at": at, "around": around, "by": by, "top": top, "check": check,
                 "donate": None if donate is None else list(donate), "backend": backend, "alignment": alignment, **more}
        return Memory(self._asked("memory", given), self)

    def time(self, *, device: Optional[str] = None, device_json: Optional[str] = None, backend: Optional[str] = None,
             top: Optional[int] = None, advice: Optional[bool] = None, profiles: Optional[Sequence[str]] = None,
             profile_step: Optional[int] = None, calibration: Optional[str] = None, links: Optional[float] = None,
             network: Optional[float] = None, nodes: Optional[int] = None, data_parallel: Optional[int] = None) -> Time:
        """The options of `halo time`. `device_json` and `calibration` are the contents of such files; `links` and `network`
        are in GB/s."""
        backend = backend or (None if device or device_json else self._backend)
        given = {"device": device, "device_json": device_json, "backend": backend, "top": top, "advice": advice,
                 "profiles": None if profiles is None else [os.fspath(each) for each in profiles], "profile_step": profile_step,
                 "calibration": calibration, "links": links, "network": network, "nodes": nodes, "data_parallel": data_parallel}
        request = json.dumps(plain(given)).encode()
        return Time(self._text("time", lambda out: library().halo_time(self._handle, request, out)), self)

    def diff(self, other: Document, *, top: Optional[int] = None, device: Optional[str] = None) -> Diff:
        """What changed from this program to the other, in values, memory and time. `device` is the one to predict times for."""
        request = json.dumps(plain({"top": top, "device": device})).encode()
        return Diff(self._text("difference", lambda out: library().halo_diff(self._handle, other._handle, request, out),
                               other))

    def numbers(self, other: Document, inputs: Optional[Inputs] = None, *, random: Optional[int] = None,
                devices: Optional[int] = None, max_steps: Optional[int] = None, max_memory: Optional[Bytes] = None,
                fill_elided: Optional[str] = None, input_files: Optional[Sequence[str]] = None) -> Numbers:
        """Runs both programs on the same inputs, generated ones if none are given, and finds the first value that differs."""
        request = _run_request(random, devices, max_steps, max_memory, fill_elided, input_files)
        arrays, count, alive = c_inputs(inputs)
        return Numbers(self._text("numbers", lambda out: (alive, library().halo_numbers(
            self._handle, other._handle, json.dumps(request).encode(), arrays, count, out))[1], other))

    def snapshot(self, *, device: Optional[str] = None) -> Snapshot:
        """The figures that are worth watching. `to_json()` is the file to commit; `device` is the one to predict times for."""
        request = json.dumps(plain({"device": device})).encode()
        return Snapshot(self._text("snapshot", lambda out: library().halo_snapshot(self._handle, request, out)))

    def run(self, inputs: Optional[Inputs] = None, *, engine: str = "reference", random: Optional[int] = None,
            devices: Optional[int] = None, max_steps: Optional[int] = None, max_memory: Optional[Bytes] = None,
            fill_elided: Optional[str] = None, input_files: Optional[Sequence[str]] = None) -> Run:
        """Runs the module on this machine. Inputs are arrays in parameter order, or by name (`in_0`); `random` is the seed of
        generated ones."""
        given = _run_request(random, devices, max_steps, max_memory, fill_elided, input_files)
        request = json.dumps({"engine": engine, **given}).encode()
        arrays, count, alive = c_inputs(inputs)
        handle, text = self._result("run", lambda out: (alive, library().halo_run(self._handle, request, arrays, count, out))[1])
        owner = _Owned(handle)

        def fill(index: int, array: Array) -> int:
            return int(library().halo_result_array(handle, index, ctypes.byref(array)))

        return Run(text, self, outputs_of(library().halo_result_array_count(handle), fill, owner))

    def table(self, name: str) -> Table:
        """`instructions`, `computations`, `collectives`, `custom_calls` or `values` of the buffer assignment."""
        if name not in TABLES:
            raise ValueError(f"no table is called {name!r}; there are {', '.join(TABLES)}")
        if name == "values":
            self._add_related()
        return Table(self, name)

    def to_html(self, view: str = "overview") -> str:
        """The viewer's page with this program inside: one HTML text that needs no network."""
        self._add_related()
        page = viewer_page()
        return self._text("page", lambda out: library().halo_page(self._handle, page, len(page), view.encode(), out))

    def show(self, view: str = "overview", height: int = 640) -> Page:
        """The viewer in a notebook's cell: `document.show("graph")`."""
        return Page(self.to_html(view), height)

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()

    def __repr__(self) -> str:
        return "Document(closed)" if self._closed else f"Document({self.path!r})"

    def close(self) -> None:
        """Frees the program's memory, once no call uses it any more. Results stay valid."""
        with self._lock:
            self._closed = True
            if self._handle is not None and self._calls == 0:
                self._free()

    def __enter__(self) -> Document:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()


def _run_request(random: Optional[int], devices: Optional[int], max_steps: Optional[int], max_memory: Optional[Bytes],
                 fill_elided: Optional[str], input_files: Optional[Sequence[str]]) -> dict[str, Any]:
    return plain({"random": random, "devices": devices, "max_steps": max_steps,
                  "max_memory": None if max_memory is None else bytes_of(max_memory), "fill_elided": fill_elided,
                  "inputs": None if input_files is None else [os.fspath(each) for each in input_files]})


def folder_text(what: str, path: Union[str, "os.PathLike[str]"], follow: bool) -> str:
    """The text of a request about a whole folder, halo_ranks or halo_recompiles."""
    out = ctypes.c_void_p()
    request = json.dumps({"follow": follow}).encode()
    status = call(lambda: getattr(library(), f"halo_{what}")(os.fsencode(path), request, ctypes.byref(out)),
                  f"{what} of {os.fspath(path)}")
    text = library().halo_result_json(out, None) if out.value else None
    try:
        said = ctypes.string_at(text).decode() if text else ""
    finally:
        library().halo_result_free(out)
    if status == OK:
        return said
    messages = [each["message"] for each in json.loads(said)["diagnostics"]] if said else []
    raise HaloError("; ".join(messages) or library().halo_status_text(status).decode())


class _Owned:
    """A result that is freed when the last array over its memory is gone."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._free = library().halo_result_free

    def __del__(self) -> None:
        self._free(self._handle)


_ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.zst", ".xplane.pb")

__all__ = ["Document", "Result", "bytes_of"]
