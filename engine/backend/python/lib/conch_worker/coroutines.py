"""Where coroutines of the model run, as in Triton: in one event loop, in a thread of its own, until the process ends.

What a coroutine has started runs on between requests, and what belongs to a loop, such as a lock or a session of a
client, can be kept for the next request.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
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


class End:
    """A coroutine that runs, for the thread that waits for its end. An exception may break the wait off."""

    def __init__(self) -> None:
        self.task: asyncio.Task | None = None
        self.where: TracebackType | None = None  # of the exception that the coroutine raised
        self.is_there = False
        self._told: SimpleQueue = SimpleQueue()

    def begin(self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine) -> None:
        """Begin the coroutine. This, and cancel, run in the loop's thread."""
        self.task = loop.create_task(coroutine)
        self.task.add_done_callback(self._tell)  # also for one that is cancelled before its first step

    def cancel(self) -> None:
        """Cancel the coroutine."""
        self.task.cancel()

    def _tell(self, _task: asyncio.Task) -> None:
        self.is_there = True  # before what is waited for, which an exception may lose
        self._told.put(None)

    def wait(self) -> None:
        """Wait for the end. The signal that interrupts an execution raises KeyboardInterrupt here."""
        if not self.is_there:
            self._told.get()


class Coroutines:
    """The event loop of this process, made when it is needed first. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine, profiler: Profiler | None = None) -> Any:
        """Run a coroutine and wait for its result. An exception in the thread that waits ends the coroutine first."""
        end, loop = End(), self._started()
        loop.call_soon_threadsafe(end.begin, loop, around(coroutine, end, profiler))
        try:
            end.wait()
        except BaseException as error:
            loop.call_soon_threadsafe(end.cancel)
            self._break(end)
            end.wait()
            coroutine.close()  # it may not have begun
            raise error.with_traceback(without_asyncio(end.where)) from None
        return end.task.result()

    def start(self, coroutine: Coroutine, failed: Callable[[BaseException], None]) -> None:
        """Run a coroutine for which nobody waits."""

        async def told() -> None:
            try:
                await around(coroutine)
            except BaseException as error:
                failed(error)
                if not isinstance(error, Exception):
                    raise

        asyncio.run_coroutine_threadsafe(told(), self._started())

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                target, arguments = serve, (self._loop,)
                self._thread = threading.Thread(target=target, args=arguments, name="conch-coroutines", daemon=True)
                self._thread.start()
            return self._loop

    def _break(self, end: End) -> None:
        """Raise an exception in a coroutine that runs at the moment. One that waits for something can be cancelled."""
        if not end.is_there and end.task is not None and asyncio.current_task(self._loop) is end.task:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self._thread.ident), ctypes.py_object(Broken))

    def is_idle(self, thread: int, innermost: FrameType) -> bool:
        """Whether a thread with this innermost frame is the loop's, which waits for something."""
        code = innermost.f_code
        own = self._thread is not None and thread == self._thread.ident
        return own and code.co_name == "select" and code.co_filename.endswith("selectors.py")

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


async def around(coroutine: Coroutine, end: End | None = None, profiler: Profiler | None = None) -> Any:
    """Await a coroutine of the model. Its end gets the traceback of its exception."""
    try:
        if profiler is not None:
            profiler.begin("run_forever")
            await asyncio.sleep(0)  # the next steps have the same callers in the loop
        return await coroutine
    except BaseException as error:
        if end is not None:
            end.where = error.__traceback__
        raise
    finally:
        if Process.is_fork:
            os._exit(0)  # the model's own process answers
        if profiler is not None:
            profiler.end()


def serve(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop. SystemExit and KeyboardInterrupt of a coroutine leave it."""
    while True:
        try:
            loop.run_forever()
        except BaseException:  # the coroutine's future has it
            continue
