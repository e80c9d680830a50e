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

_MARK = "\x1d\x1d"  # begins each line of `show`, and is a line after the last one; inspect.go reads it
_DEEPEST = 100  # frames of a thread, as faulthandler writes them


def install() -> None:
    """Write stacks on SIGUSR2."""
    signal.signal(signal.SIGUSR2, show)
    faulthandler.register(signal.SIGUSR2, all_threads=False, chain=True)


def show(_signal: int, interrupted: FrameType | None) -> None:
    """Write the stacks of all threads and where coroutines wait, the main thread first, in the form of faulthandler."""
    lines: list[str] = []
    with suppress(Exception):  # what goes wrong here is none of the model's, whose code the signal has interrupted
        lines += stack(threading.get_ident(), interrupted)  # Python runs signal handlers in the main thread
        lines += others()
    rest = "".join(f"{_MARK}{line}\n" for line in [*lines, ""]).encode(errors="backslashreplace")
    with suppress(OSError):  # the model may have closed it
        while rest:
            rest = rest[os.write(2, rest) :]


def others() -> list[str]:
    """Return where coroutines wait, and the stacks of the threads but the main one and a loop that only waits."""
    lines: list[str] = []
    module = sys.modules.get(f"{__package__}.coroutines")  # the model may have none
    coroutines = module.COROUTINES if module is not None else None
    for name, places in coroutines.places() if coroutines is not None else ():
        lines.append(f"Coroutine {name} (most recent call first):")
        lines += map(line, places)
    for thread, innermost in sys._current_frames().items():
        if thread != threading.get_ident() and (coroutines is None or not coroutines.is_idle(thread, innermost)):
            lines += stack(thread, innermost)
    return lines


def stack(thread: int, innermost: FrameType | None) -> list[str]:
    """Return the head and the lines of a thread."""
    return [f"Thread 0x{thread:016x} (most recent call first):", *frames(innermost)]


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
