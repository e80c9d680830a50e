"""Asks the model whether it is ready, in a thread of its own, so that an execution does not delay the answer."""

from __future__ import annotations

import json
import socket
import threading
import traceback
from collections.abc import Callable
from typing import Any

from . import wire
from .host import Failed
from .sockets import fill, send


def told(act: Callable, *arguments: Any) -> dict[str, Any]:
    """Do something, and say what it returned or how it failed."""
    try:
        return {"value": act(*arguments)}
    except Failed as error:
        return {"error": str(error)}
    except BaseException:
        return {"error": traceback.format_exc()}


def answer_probes(sock: socket.socket, is_ready: Callable[[], bool]) -> bool:
    """Begin to answer the engine's questions."""
    threading.Thread(target=serve, args=(sock, is_ready), name="conch-ready", daemon=True).start()
    return True


def serve(sock: socket.socket, is_ready: Callable[[], bool]) -> None:
    """Answer one question after the other until the engine has ended."""
    header = bytearray(wire.HEADER.size)
    while fill(sock, memoryview(header)):
        _, _, number = wire.HEADER.unpack(header)
        frame = wire.Writer(wire.DONE, number)
        frame.frame += json.dumps(told(is_ready)).encode()
        send(sock, frame.done())
