"""Tracebacks without what is Conch's own: in Triton that is written in C++, and no mistake of the model is there."""

from __future__ import annotations

import threading
import traceback
from contextlib import suppress
from pathlib import Path
from types import TracebackType

import triton_python_backend_utils as pb

_OWN = str(Path(__file__).parents[1])
_UTILS = str(Path(pb.__file__).parent)
_CONFIG = str(Path(_UTILS) / "_config.py")
_BEGIN = ("_bootstrap", "_bootstrap_inner", "run")  # of a thread


def shown(file: str, name: str) -> bool:
    """Whether a place is the model's, or one that Triton's package has as well: a method of ModelConfig."""
    if file == _CONFIG:
        return not name.startswith("_")
    if file == threading.__file__ and name in _BEGIN:
        return False
    return not file.startswith((_OWN, _UTILS, "<frozen"))


def write(error: BaseException) -> None:
    """Write an exception to the model's log."""
    with suppress(Exception):  # the model may have closed stderr
        traceback.print_exception(type(error), error, shortened(error))


def shortened(error: BaseException) -> TracebackType | None:
    """Leave Conch out of an exception's traceback, and of those of its causes, where something else is in it."""
    seen: set[int] = set()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        cause.__traceback__ = _of_model(cause.__traceback__) or cause.__traceback__
        cause = cause.__cause__ or cause.__context__
    return error.__traceback__


def _of_model(tb: TracebackType | None) -> TracebackType | None:
    places = []
    while tb is not None:
        code = tb.tb_frame.f_code
        if shown(code.co_filename, code.co_name):
            places.append(tb)
        tb = tb.tb_next
    kept = None
    for place in reversed(places):
        kept = TracebackType(kept, place.tb_frame, place.tb_lasti, place.tb_lineno)
    return kept
