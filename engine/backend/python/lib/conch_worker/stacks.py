"""Where the threads of a worker are, written to stderr when the engine asks by SIGUSR2.

It is written twice. First faulthandler writes the stack of the thread that takes the signal, at once, also while that
runs code in C. Then Python runs `show`, as soon as the main thread can, and all threads stand still meanwhile.
faulthandler could write all of them too, but it reads the stacks of threads that run on, and that ends the process now
and then.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import Any

_MARK = "\x1d\x1d"  # begins each line of `show`, and is a line after the last one; inspect.go reads it
_DEEPEST = 100  # frames of a thread, as faulthandler writes them


def install() -> None:
    """Write stacks on SIGUSR2."""
    signal.signal(signal.SIGUSR2, show)
    faulthandler.register(signal.SIGUSR2, all_threads=False, chain=True)


def show(_signal: int, interrupted: FrameType | None) -> None:
    """Write where coroutines wait and the stacks of all threads, the main thread last, in the form of faulthandler."""
    threads: dict[int, Any] = sys._current_frames()
    coroutines = sys.modules.get(f"{__package__}.coroutines")  # the model may have none
    main = threading.get_ident()  # Python runs signal handlers in the main thread
    threads.pop(main, None)
    threads[main] = interrupted
    lines = []
    for name, places in coroutines.COROUTINES.places() if coroutines is not None else ():
        lines.append(f"Coroutine {name} (most recent call first):")
        lines += map(line, places)
    for thread, innermost in threads.items():
        if thread == main or coroutines is None or not coroutines.is_idle(innermost):
            lines.append(f"Thread 0x{thread:016x} (most recent call first):")
            lines += frames(innermost)
    rest = "".join(f"{_MARK}{line}\n" for line in [*lines, ""]).encode(errors="backslashreplace")
    with suppress(OSError):  # the model may have closed it
        while rest:
            rest = rest[os.write(2, rest) :]


def frames(innermost: FrameType | None) -> list[str]:
    """Return a line for each frame of a stack."""
    lines: list[str] = []
    while innermost is not None and len(lines) < _DEEPEST:
        lines.append(line(innermost))
        innermost = innermost.f_back
    if innermost is not None:
        lines.append("  ...")
    return lines


def line(frame: FrameType) -> str:
    """Return the line for a frame."""
    return f'  File "{frame.f_code.co_filename}", line {frame.f_lineno} in {frame.f_code.co_name}'
