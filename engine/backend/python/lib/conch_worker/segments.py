"""Shared memory for large tensors, in both directions; engine/backend/python/wire (doc.go) says what a segment is.

An array of a request is a view of a segment. The engine gets the segment back when Python holds no view of it any
more, so that a model may keep an array as long as it wants.
"""

from __future__ import annotations

import fcntl
import mmap
import os
import socket
import struct
import threading
import weakref
from collections import deque

import numpy as np

INLINE = 64 << 10  # tensors of a message that have fewer bytes are a part of it
_SMALL = 4 << 10  # a tensor that stays in the message beside large ones
_KEPT = 64 << 20  # unused memory that is kept for the next message
_ALIGNMENT = 64
_ANNOUNCEMENT = struct.Struct("<IIQ")


class Place:
    """Where the tensors of one message go.

    It takes a segment for the first of them: one that the message does not name never comes back.
    """

    __slots__ = ("_at", "_number", "_segments", "_space", "_total")

    def __init__(self, segments: Segments, total: int) -> None:
        self._segments, self._total, self._at = segments, total, 0
        self._space: np.ndarray | None = None

    def put(self, array: np.ndarray, data: bytes | None, size: int) -> tuple[int, int]:
        """Copy a tensor. Segment 0 leaves it in the message."""
        if size < _SMALL:
            return 0, 0
        if self._space is None:
            self._number, self._space = self._segments.take(self._total)
        at = self._at
        if at + size > len(self._space):
            return 0, 0
        to = self._space[at : at + size]
        if data is None:
            np.copyto(to.view(array.dtype).reshape(array.shape), array)
        else:
            to[:] = np.frombuffer(data, np.uint8)
        self._at = at + (size + _ALIGNMENT - 1 & -_ALIGNMENT)
        return self._number, at


class Segments:
    """The shared memory of this process and of the engine."""

    def __init__(self, descriptors: socket.socket) -> None:
        self._socket = descriptors
        self._lock = threading.Lock()
        self._theirs: dict[int, mmap.mmap] = {}
        self._messages: dict[int, weakref.ref] = {}  # keeps what tells that a message is held no more
        self._ours: dict[int, np.ndarray] = {}
        self._unused: list[int] = []
        self._last = 0
        self.freed: deque[int] = deque()  # theirs that nothing views any more; filled whenever Python frees an array
        self.dropped: deque[int] = deque()  # ours that are no more
        self._able = hasattr(os, "memfd_create")

    def close(self) -> None:
        """Get and make no more segments, in a process that the model has forked."""
        self._socket.close()
        self._lock, self._able = threading.Lock(), False

    def message(self, number: int) -> np.ndarray:
        """Return a segment of the engine as bytes, for a message that has arrived."""
        with self._lock:
            while number not in self._theirs:
                self._receive()
            base = np.frombuffer(self._theirs[number], np.uint8)
            freed = self.freed
            self._messages[number] = weakref.ref(base, lambda _: freed.append(number))
            return base

    def _receive(self) -> None:
        self._socket.setblocking(True)  # the model may have changed it
        text, descriptors, _, _ = socket.recv_fds(self._socket, _ANNOUNCEMENT.size, 1)
        number, _, size = _ANNOUNCEMENT.unpack(text)
        self._theirs[number] = mmap.mmap(descriptors[0], size)
        os.close(descriptors[0])

    def place(self, total: int) -> Place | None:
        """Return where the tensors of a message go, which have so many bytes in all; None leaves them in it."""
        return Place(self, total) if total >= INLINE and self._able else None

    def take(self, total: int) -> tuple[int, np.ndarray]:
        """Take a segment for the tensors of a message."""
        total += _ALIGNMENT * 64  # what does not fit stays in the message
        with self._lock:
            fitting = [number for number in self._unused if len(self._ours[number]) >= total]
            if fitting:
                number = min(fitting, key=lambda n: len(self._ours[n]))
                self._unused.remove(number)
            else:
                number = self._make(1 << (total - 1).bit_length())
            return number, self._ours[number]

    def _make(self, size: int) -> int:
        """Make a segment and send its descriptor. It cannot shrink, so that reading it is safe for the engine."""
        descriptor = os.memfd_create("conch-python", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            os.ftruncate(descriptor, size)
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
            self._last += 1
            self._ours[self._last] = np.frombuffer(mmap.mmap(descriptor, size), np.uint8)
            self._socket.setblocking(True)
            socket.send_fds(self._socket, [_ANNOUNCEMENT.pack(self._last, 0, size)], [descriptor])
        finally:
            os.close(descriptor)
        return self._last

    def back(self, numbers: tuple) -> None:
        """Take segments back that the engine has read."""
        with self._lock:
            self._unused.extend(number for number in numbers if number in self._ours)
            while sum(len(self._ours[number]) for number in self._unused) > _KEPT:
                self._drop(self._unused.pop(0))

    def forget(self, numbers: tuple) -> None:
        """Drop segments of the engine, and the unused ones of this process."""
        with self._lock:
            for number in numbers:
                self._theirs.pop(number, None)
                self._messages.pop(number, None)
            while self._unused:
                self._drop(self._unused.pop())

    def _drop(self, number: int) -> None:
        del self._ours[number]
        self.dropped.append(number)
