"""The answers to a call that a thread waits for."""

from __future__ import annotations

from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from . import wire
from .host import Answer, Call
from .segments import Segments

if TYPE_CHECKING:
    from .engine import EngineHost


def read_part(payload: bytearray, segments: Segments) -> tuple[Answer | None, bool]:
    """Read an answer to a call, and whether it is the last."""
    reader = wire.Reader(payload, segments)
    final, has = reader.pair()
    return (reader.answer() if has else None), bool(final)


class Arrived:
    """The answers to a call that have arrived, and are not read yet."""

    def __init__(self, host: EngineHost) -> None:
        self.queue: SimpleQueue = SimpleQueue()
        self.number = 0
        self._host = host
        self._left = False

    def __call__(self, payload: bytearray) -> None:
        """Take an answer from the connection."""
        self.queue.put(payload)
        if self._left:
            self._drop()

    def leave(self) -> None:
        """Drop the answers from now on: nobody reads them any more.

        As in Triton the call goes on to its end. Python frees objects at any point of a program, also where this thread
        holds the lock of the segments: those of the answers are given back later.
        """
        self._left = True
        self._drop()

    def _drop(self) -> None:
        while True:
            try:
                payload = self.queue.get_nowait()
            except Empty:
                return
            if not isinstance(payload, bytearray):  # it only woke who waited
                continue
            self._host.unread.append(payload)
            self.took(bool(wire.Reader(payload).pair()[0]))

    def took(self, final: bool) -> None:
        """Say that an answer is taken, so that the next one may come."""
        if final:
            self._host.forget(self.number)
        self._host.took(self.number, final)


class AnswerStream:
    """The answers to a call."""

    def __init__(self, host: EngineHost, call: Call) -> None:
        self._host = host
        self._arrived = Arrived(host)
        self._ended = False
        self._number = self._arrived.number = host.wait(self._arrived)
        host.call(self._number, call)

    def __del__(self) -> None:
        self._arrived.leave()

    def next(self) -> Answer | None:
        """Wait for the next answer; None after the last."""
        if self._ended:
            return None
        connection = self._host.connection
        answer, final = read_part(connection.take(self._arrived.queue), connection.segments)
        self._ended = final
        self._arrived.took(final)
        return answer

    def rest(self) -> None:
        """Take what comes after the first answer."""
        while not self._ended:
            self.next()

    def cancel(self) -> None:
        """End the call."""
        self._host.quit(self._number)
