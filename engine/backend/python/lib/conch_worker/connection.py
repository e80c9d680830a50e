"""The connection to the engine: who reads from it, who waits, who writes.

No thread only reads. A thread that waits for a frame reads the connection itself and gives frames to those for whom
they are, so that a plain model runs in one thread. While another thread reads, a thread waits at a queue; when the
reader has what it wanted, it wakes the others, and one of them reads on.
"""

from __future__ import annotations

import os
import select
import socket
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from . import wire
from .segments import Segments
from .sockets import fill, receive, receive_now, send

Frame = tuple  # kind, id, payload
_NUDGE = object()
_ROOM = 1 << 16


class Nobody:
    """What a process that the model has forked has instead of the engine."""

    def send(self, frame: bytes) -> int:
        """Send nothing."""
        return len(frame)

    def recv_into(self, view: memoryview, *_options: int) -> int:
        """End the process: it waits for what only the model's own process gets."""
        os._exit(0)


class Connection:
    """Frames to and from the engine. Every method may be called from any thread."""

    def __init__(
        self, sock: socket.socket, segments: Segments, dispatch: Callable[[int, int, bytearray], None]
    ) -> None:
        self._socket = sock
        self.segments = segments
        self._dispatch = dispatch
        self._writing = threading.Lock()
        self._writer = 0  # the thread that holds _writing
        self._late: deque[bytes] = deque()
        self._reading = threading.Lock()
        self._waiting: set[SimpleQueue] = set()
        self._buffer = bytearray(_ROOM)
        self._view = memoryview(self._buffer)
        self._begin = self._end = 0
        self.fresh = False  # something was read since the main thread looked for its next batch

    def forked(self) -> None:
        """Give the connection up, in a process that the model has forked: frames of two processes would mix."""
        self._socket.close()
        self.segments.close()
        self._socket = Nobody()
        self._writing, self._reading = threading.Lock(), threading.Lock()  # other threads held them, and are gone
        self._writer = 0
        self._waiting.clear()

    def write(self, frame: bytearray) -> None:
        """Send a whole frame, and before it which segments are free."""
        me = threading.get_ident()
        if self._writer == me:  # Python has freed an object, whose __del__ writes, while this thread was in here
            self._late.append(bytes(frame))
            return
        with self._writing:
            self._writer = me
            try:
                if self.segments.freed or self.segments.dropped:
                    news = self._news(wire.FREE, self.segments.freed)
                    frame = news + self._news(wire.DROPPED, self.segments.dropped) + frame
                send(self._socket, frame)
                while self._late:
                    send(self._socket, self._late.popleft())
            finally:
                self._writer = 0

    def _news(self, kind: int, numbers: deque) -> bytes:
        parts = []
        while numbers:
            parts.append(numbers.popleft().to_bytes(4, "little"))
        return wire.HEADER.pack(4 * len(parts), kind, 0) + b"".join(parts) if parts else b""

    def take(self, queue: SimpleQueue) -> Any:
        """Wait until there is something in a queue, which frames that arrive fill."""
        self._waiting.add(queue)
        try:
            while True:
                if queue.empty() and self._reading.acquire(blocking=False):
                    self._lead(queue)
                item = queue.get()
                if item is not _NUDGE:
                    return item
        finally:
            self._waiting.discard(queue)

    def _lead(self, queue: SimpleQueue) -> None:
        try:
            while queue.empty():
                self._read_one()
        finally:
            self._stop_reading(queue)

    def catch_up(self) -> None:
        """Take the whole frames that have arrived, without waiting. It is called once for each batch."""
        if not self._reading.acquire(blocking=False):
            return  # another thread reads
        try:
            if not self.fresh:  # the batch came before
                self._move()
                self._end += receive_now(self._socket, self._view[self._end :])
            size = wire.HEADER.size
            while self._end - self._begin >= size:
                length, _, _ = wire.HEADER.unpack_from(self._buffer, self._begin)
                if self._end - self._begin < size + length:
                    return
                self._read_one()
        finally:
            self._stop_reading()

    def poll(self) -> None:
        """Read what has arrived, without waiting."""
        if not self._reading.acquire(blocking=False):
            return  # another thread reads
        try:
            while self._end - self._begin >= wire.HEADER.size or select.select([self._socket], [], [], 0)[0]:
                self._read_one()
        finally:
            self._stop_reading()

    def _stop_reading(self, mine: SimpleQueue | None = None) -> None:
        """Let another thread read on that waits."""
        self._reading.release()
        for other in list(self._waiting):
            if other is not mine:
                other.put(_NUDGE)

    def _read_one(self) -> None:
        size = wire.HEADER.size
        if self._end - self._begin < size:
            self._fill(size)
        length, kind, number = wire.HEADER.unpack_from(self._buffer, self._begin)
        self._begin += size
        have = min(self._end - self._begin, length)
        payload = self._buffer[self._begin : self._begin + have]
        self._begin += have
        if have < length:
            payload += bytes(length - have)
            try:
                if not fill(self._socket, memoryview(payload)[have:]):
                    os._exit(0)
            finally:
                self._dispatch(kind, number, payload)
            return
        self._dispatch(kind, number, payload)

    def _move(self) -> None:
        """Move what is in the buffer to its beginning."""
        left = self._end - self._begin
        if left:
            self._view[:left] = bytes(self._view[self._begin : self._end])
        self._begin, self._end = 0, left

    def _fill(self, wanted: int) -> None:
        """Read until the buffer has so many bytes. It has fewer now."""
        self._move()
        self.fresh = True
        while self._end < wanted:
            count = receive(self._socket, self._view[self._end :])
            if count == 0:
                os._exit(0)  # the engine has ended: nobody wants what this process does
            self._end += count


class Pump:
    """A thread that reads the connection while calls are open whose answers nobody waits for in a thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._open = threading.Semaphore(0)
        self._ended: SimpleQueue = SimpleQueue()
        threading.Thread(target=self._run, name="conch-calls", daemon=True).start()

    def begin(self) -> None:
        """Note that a call has begun."""
        self._open.release()

    def end(self) -> None:
        """Note that a call has ended."""
        self._ended.put(None)

    def _run(self) -> None:
        while True:
            self._open.acquire()
            self._connection.take(self._ended)
