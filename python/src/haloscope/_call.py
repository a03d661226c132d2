"""Calls libhaloscope so that Ctrl-C works and long calls show progress: in the main thread the call runs in another thread,
and this one waits for it."""

from __future__ import annotations

import sys
import threading
import time
from typing import Callable, Optional, TypeVar

Progress = Callable[[str, float, int], None]
_Value = TypeVar("_Value")

_FIRST_SECONDS = 1.0  # Nothing is shown about a shorter call.
_STOP_SECONDS = 2.0  # How long a call may take to stop.


def _to_terminal(what: str, seconds: float, steps: int) -> None:
    if sys.stderr is None or not sys.stderr.isatty():
        return
    done = f", {steps:,} instructions" if steps else ""
    line = f"haloscope: {what}, {seconds:.0f} s{done}" if what else ""
    sys.stderr.write(f"\r\x1b[K{line}")
    sys.stderr.flush()


_show: Optional[Progress] = _to_terminal


def set_progress(show: Optional[Progress]) -> None:
    """Replaces what shows the progress of calls that take longer than a second: a function of what is done, the seconds so far
    and the instructions executed by a run. At the end it is called with an empty text. None shows nothing. By default a line
    appears on a terminal."""
    global _show
    _show = show


def call(function: Callable[[], _Value], what: str, stop: Optional[Callable[[], None]] = None,
         steps: Optional[Callable[[], int]] = None) -> _Value:
    """Returns function(). On Ctrl-C, calls `stop` and raises KeyboardInterrupt; what cannot be stopped ends by itself later, in
    its own thread, and its result is dropped."""
    if threading.current_thread() is not threading.main_thread():
        return function()
    result: list[_Value] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def work() -> None:
        try:
            result.append(function())
        except BaseException as error:  # pylint: disable=broad-except
            failure.append(error)
        finally:
            done.set()

    threading.Thread(target=work, daemon=True, name="haloscope").start()
    begin, shown = time.monotonic(), False
    try:
        while not done.wait(_FIRST_SECONDS):
            if _show is not None:
                shown = True
                _show(what, time.monotonic() - begin, steps() if steps else 0)
    except KeyboardInterrupt:
        if stop is not None:
            stop()
            done.wait(_STOP_SECONDS)
        raise
    finally:
        if shown and _show is not None:
            _show("", 0.0, 0)
    if failure:
        raise failure[0]
    return result[0]
