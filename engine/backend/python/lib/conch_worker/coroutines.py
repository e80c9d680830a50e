"""Where coroutines of the model run, as in Triton: in one event loop, in a thread of its own, until the process ends.

What a coroutine has started runs on between requests, and what belongs to a loop, such as a lock or a session of a
client, can be kept for the next request.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from pathlib import Path
from queue import SimpleQueue
from types import FrameType, TracebackType
from typing import Any

from .profile import Profiler
from .signals import Process

_ASYNCIO = str(Path(asyncio.__file__).parent)


class Broken(BaseException):
    """Ends a coroutine that does not give the loop back."""


class Coroutines:
    """The event loop of this process, made when it is needed first. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine, profiler: Profiler | None = None) -> Any:
        """Run a coroutine and wait for its result. An exception in the thread that waits ends the coroutine first."""
        ended: SimpleQueue = SimpleQueue()
        future = self._begin(around(coroutine, ended, profiler))
        try:
            self.wait(ended)
        except BaseException as error:
            future.cancel()
            self._break()
            raise error.with_traceback(without_asyncio(ended.get())) from None
        return future.result()

    @staticmethod
    def wait(ended: SimpleQueue) -> None:
        """Wait for the end of a coroutine. The signal that interrupts an execution raises KeyboardInterrupt here."""
        ended.get()

    def start(self, coroutine: Coroutine, failed: Callable[[BaseException], None]) -> None:
        """Run a coroutine for which nobody waits."""

        async def told() -> None:
            try:
                await around(coroutine)
            except BaseException as error:
                failed(error)
                if not isinstance(error, Exception):
                    raise

        self._begin(told())

    def _begin(self, coroutine: Coroutine) -> Any:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                target, arguments = serve, (self._loop,)
                self._thread = threading.Thread(target=target, args=arguments, name="conch-coroutines", daemon=True)
                self._thread.start()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)

    def _break(self) -> None:
        """Raise an exception in the loop's thread, unless it waits for something: then a coroutine can be cancelled."""
        number = self._thread.ident if self._thread is not None else None
        frame = sys._current_frames().get(number) if number is not None else None
        if frame is not None and not is_idle(frame):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(number), ctypes.py_object(Broken))

    def places(self) -> list[tuple[str, list[FrameType]]]:
        """Return where each coroutine waits: the name of its task, and its frames, the innermost first."""
        if self._loop is None:
            return []
        running = asyncio.current_task(self._loop)
        tasks = sorted((t for t in asyncio.all_tasks(self._loop) if t is not running), key=asyncio.Task.get_name)
        return [(task.get_name(), frames_of(task)) for task in tasks]

    def forget(self) -> None:
        """Give the loop up in a process that the model has forked: its thread is in the other process."""
        self._starting, self._loop, self._thread = threading.Lock(), None, None


COROUTINES = Coroutines()  # of this process


def is_idle(frame: FrameType) -> bool:
    """Whether the thread with this innermost frame is a loop's that waits."""
    return frame.f_code.co_name == "select" and frame.f_code.co_filename.endswith("selectors.py")


def without_asyncio(where: TracebackType | None) -> TracebackType | None:
    """Leave out of a traceback the innermost functions that are asyncio's: what a coroutine waited in."""
    last, place = None, where
    while place is not None:
        if not place.tb_frame.f_code.co_filename.startswith(_ASYNCIO):
            last = place
        place = place.tb_next
    if last is not None:
        last.tb_next = None
    return where


def frames_of(task: asyncio.Task) -> list[FrameType]:
    """Return the frames of a coroutine that waits, the innermost first."""
    found: list[FrameType] = []
    awaited: Any = task.get_coro()
    while awaited is not None:
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None:
            found.append(frame)
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
    return found[::-1]


async def around(coroutine: Coroutine, ended: SimpleQueue | None = None, profiler: Profiler | None = None) -> Any:
    """Await a coroutine of the model. What waits for it gets the traceback of its exception, or None."""
    where = None
    try:
        if profiler is not None:
            profiler.begin("run_forever")
            await asyncio.sleep(0)  # the next steps have the same callers in the loop
        return await coroutine
    except BaseException as error:
        where = error.__traceback__
        raise
    finally:
        if Process.is_fork:
            os._exit(0)  # the model's own process answers
        if profiler is not None:
            profiler.end()
        if ended is not None:
            ended.put(where)


def serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop. SystemExit and KeyboardInterrupt of a coroutine leave it."""
    while True:
        try:
            loop.run_forever()
        except BaseException:  # the coroutine's future has it
            continue
