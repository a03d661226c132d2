"""The results of requests: the commands' JSON documents as objects, and how a notebook shows them."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any, Optional

from haloscope import _documents
from haloscope._arrays import Array
from haloscope._record import Record

if TYPE_CHECKING:
    from haloscope._document import Document


class Result(Record):
    """A document of a command. `to_json()` is what the command prints with --json."""

    _text: str
    _about: Optional[Document]

    def __init__(self, text: str, about: Optional[Document] = None) -> None:
        super().__init__(json.loads(text))
        object.__setattr__(self, "_text", text)
        object.__setattr__(self, "_about", about)

    def to_json(self) -> str:
        return self._text

    def _rows(self) -> list[tuple[str, str]]:
        """What a short table shows: names and texts."""
        return [(key, str(value)) for key, value in self._data.items() if isinstance(value, (str, int, float)) and key != "schema"]

    def _repr_html_(self) -> str:
        return _table_html(self._rows())


def _table_html(rows: list[tuple[str, str]], heading: str = "") -> str:
    cells = "".join(f"<tr><td style='text-align:left'><b>{html.escape(name)}</b></td>"
                    f"<td style='text-align:left'>{html.escape(text)}</td></tr>" for name, text in rows)
    title = f"<p>{html.escape(heading)}</p>" if heading else ""
    return f"{title}<table>{cells}</table>"


def frame_html(page: str, height: int = 640) -> str:
    """The viewer's page inside a cell. Needs no server and no network."""
    return (f'<iframe srcdoc="{html.escape(page, quote=True)}" style="width:100%;height:{height}px;border:1px solid #8884" '
            'loading="lazy"></iframe>')


class _Viewed(Result):
    """A result about one program: the sentence, and the viewer's page open at the view that shows it."""

    _view = "overview"

    def _repr_html_(self) -> str:
        verdict = self._data.get("verdict", "")
        text = verdict if isinstance(verdict, str) else verdict.get("text", "")
        if self._about is None:
            return _table_html(self._rows(), text)
        return f"<p>{html.escape(text)}</p>{frame_html(self._about.to_html(self._view))}"


class Info(Result, _documents.InfoResult):
    """What a file is and what is in it, as `halo info`."""


class Check(Result, _documents.CheckResult):
    """What is wrong with a file, as `halo check`."""

    @property
    def ok(self) -> bool:
        return not self.errors


class Memory(_Viewed, _documents.MemoryResult):
    """Where the memory goes, whether it fits and what would help, as `halo memory`."""

    _view = "memory"


class Time(_Viewed, _documents.TimeResult):
    """How long a program takes on a device and what limits it, as `halo time`."""


class Diff(Result, _documents.DiffResult):
    """What changed between two programs, as `halo diff`."""

    def _rows(self) -> list[tuple[str, str]]:
        return [(str(each.get("kind", "")), f"{each.get('count', '')} × {each.get('what', '')}")
                for each in self._data.get("causes", [])]

    def _repr_html_(self) -> str:
        return _table_html(self._rows(), str(self._data.get("verdict", "")))


class Numbers(Result, _documents.NumbersResult):
    """Whether two programs compute the same on the same inputs, as `halo diff --run`."""


class Snapshot(Result, _documents.SnapshotResult):
    """The figures of a program that are worth watching, as the file that `halo snapshot` writes."""


class Ranks(Result, _documents.RanksResult):
    """Which ranks of a job compiled the same, as `halo diff --ranks`."""


class Recompiles(Result, _documents.RecompilesResult):
    """Why functions were compiled more than once, as `halo diff --recompiles`."""


class Run(Result, _documents.RunResult):
    """The results of a run, as `halo run`. `arrays` are the module's results, in their order."""

    _arrays: list[Array]

    def __init__(self, text: str, about: Optional[Document], arrays: list[Array]) -> None:
        super().__init__(text, about)
        object.__setattr__(self, "_arrays", arrays)

    @property
    def arrays(self) -> list[Array]:
        return self._arrays

    def _repr_html_(self) -> str:
        return _table_html([(each.name, repr(each)) for each in self.arrays])


class Page:
    """The viewer's page about a program, shown in a notebook."""

    def __init__(self, text: str, height: int) -> None:
        self.text = text
        self._height = height

    def _repr_html_(self) -> str:
        return frame_html(self.text, self._height)


def plain(options: dict[str, Any]) -> dict[str, Any]:
    """Options that were given; those that are None keep the command's default."""
    return {key: value for key, value in options.items() if value is not None}
