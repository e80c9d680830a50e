"""Signal handlers of the model, which Python runs in the main thread whatever that does at the moment.

An exception of such a handler, as of an alarm that comes late, belongs to the code of the model. While none runs, it is
written to the model's log, and the worker goes on. In code of this package that the model has called it comes where
that code waits; elsewhere it comes when the model goes on.
"""

from __future__ import annotations

import signal
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any

_set, _get = signal.signal, signal.getsignal
_OWN = str(Path(__file__).parents[1])
_RUNNER = str(Path(__file__).with_name("runner.py"))
_WAITS = ("receive", "take")  # functions that an exception may leave anywhere


class Process:
    """What is known of this process."""

    is_fork = False  # the model has forked it: all of its code is the model's
    tells = False  # an exception is being written


def of_model(frame: FrameType | None) -> FrameType | None:
    """Return the innermost frame outside of this package, while the runner has called code of the model; else None."""
    found = None
    while frame is not None:
        own = frame.f_code.co_filename.startswith(_OWN)
        if found is None and not own:
            found = frame
        if not own and frame.f_back is not None and frame.f_back.f_code.co_filename == _RUNNER:
            return found
        frame = frame.f_back
    return None


def guarded(handler: Any) -> Any:
    """Return a handler whose exceptions spoil nothing of this package."""
    if not callable(handler) or hasattr(handler, "of_model"):
        return handler

    @wraps(handler)
    def guard(number: int, frame: FrameType | None) -> None:
        try:
            handler(number, frame)
        except BaseException as error:
            model = of_model(frame)
            if Process.is_fork or model is frame or (model is not None and frame.f_code.co_name in _WAITS):
                raise
            if model is not None and sys.gettrace() is None:
                raise_later(model, error)
                return
            tell()

    guard.of_model = handler
    return guard


def tell() -> None:
    """Write the current exception to the model's log, unless that is being done: signals may come faster."""
    if Process.tells:
        return
    Process.tells = True
    try:
        print("a signal handler of the model raised this outside of its methods:", file=sys.stderr)
        traceback.print_exc()
    finally:
        Process.tells = False


def raise_later(frame: FrameType, error: BaseException) -> None:
    """Raise an exception at the next line of a frame."""

    def at_line(*_event: Any) -> None:
        sys.settrace(None)
        raise error

    frame.f_trace = at_line
    sys.settrace(no_trace)


def no_trace(*_event: Any) -> None:
    """Trace no further function. Without a function for the thread, Python ignores those of frames."""


def install() -> None:
    """Guard the handlers that are set from now on. The model sees its own functions."""

    @wraps(_set)
    def set_guarded(number: int, handler: Any, /) -> Any:
        return bare(_set(number, guarded(handler)))

    @wraps(_get)
    def get_bare(number: int, /) -> Any:
        return bare(_get(number))

    signal.signal, signal.getsignal = set_guarded, get_bare


def bare(handler: Any) -> Callable | int | None:
    """Return the model's function of a guarded one."""
    return getattr(handler, "of_model", handler)
