"""Reading from and writing to sockets in a process in which a model does what it wants.

A signal handler of the model may raise an exception at any time, and a model may make a socket that waits one that does
not: the flag belongs to the socket, not to the descriptor.
"""

from __future__ import annotations

import select
import socket


def of_socket(error: OSError) -> bool:
    """Whether the system says it of a socket; a signal handler may raise the same class, such as TimeoutError."""
    return error.errno is not None


def receive(sock: socket.socket, view: memoryview) -> int:
    """Wait for bytes, and return how many there are; 0 when the other side has ended.

    What a signal handler raises is raised; then nothing was read.
    """
    while True:
        try:
            return sock.recv_into(view)
        except BlockingIOError:
            select.select([sock], [], [])
        except ConnectionError as error:
            if not of_socket(error):
                raise
            return 0


def receive_now(sock: socket.socket, view: memoryview) -> int:
    """Return how many bytes have arrived, without waiting; 0 also when the other side has ended."""
    try:
        return sock.recv_into(view, 0, socket.MSG_DONTWAIT)
    except OSError as error:
        if not of_socket(error):
            raise
        return 0


def fill(sock: socket.socket, view: memoryview) -> bool:
    """Read until the view is full, and return whether that was possible.

    What a signal handler raises is raised after that, so that what follows is read from its beginning.
    """
    raised, at = None, 0
    while at < len(view):
        try:
            count = receive(sock, view[at:])
        except BaseException as error:
            if isinstance(error, OSError) and of_socket(error):
                raise
            raised = error
            continue
        if count == 0:
            return False
        at += count
    if raised is not None:
        raise raised
    return True


def send(sock: socket.socket, frame: bytes) -> None:
    """Write all. What a signal handler raises is raised after that: half a frame would spoil the next ones."""
    raised, rest = None, memoryview(frame)
    while rest:
        try:
            rest = rest[sock.send(rest) :]
        except BlockingIOError:
            select.select([], [sock], [], 1)
        except BaseException as error:
            if isinstance(error, OSError) and of_socket(error):
                raise
            raised = error
    if raised is not None:
        raise raised
