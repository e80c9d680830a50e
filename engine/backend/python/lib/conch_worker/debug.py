"""The debugger of a worker: debugpy, which the user's interpreter brings."""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import suppress
from pathlib import Path

from .host import Failed

_HOST = "127.0.0.1"
_OWN = str(Path(__file__).parents[1])
_addresses: list[str] = []


def _is_free(port: int) -> bool:
    with socket.socket() as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # connections that have ended do not matter
        try:
            tried.bind((_HOST, port))
        except OSError:
            return False
        return True


def listen(port: int) -> str:
    """Listen for a debugger on this machine, at the port if it is free, and return where."""
    if _addresses:
        return _addresses[0]
    # Else it warns that it may miss breakpoints in the modules that are built into Python; a model is none of them.
    os.environ.setdefault("PYDEVD_DISABLE_FILE_VALIDATION", "1")
    try:
        import debugpy
    except ImportError:
        raise Failed(
            f"the model's interpreter has no debugpy. Install it: {sys.executable} -m pip install debugpy"
        ) from None
    host, port = debugpy.listen((_HOST, port if _is_free(port) else 0))
    _addresses.append(f"{host}:{port}")
    with suppress(Exception):  # debugpy may be of any version
        hide_own()
    return _addresses[0]


def hide_own() -> None:
    """Have the debugger take this package for a library, whose frames are neither shown nor stepped into."""
    files = sys.modules["pydevd"].get_global_debugger()._files_filtering
    files.set_library_roots([root.rstrip("/") for root in files._get_library_roots()] + [_OWN])


def release() -> None:
    """Have the debugger hold this thread no more, before an error leaves it while it does.

    Otherwise it stops the thread once more at whatever comes next, without telling anybody.
    """
    info = getattr(threading.current_thread(), "additional_info", None)  # debugpy's
    if _addresses and info is not None:
        info.pydev_state, info.pydev_step_cmd = 1, -1  # it runs, and makes no step


def follow() -> None:
    """Have the debugger follow this thread again. Before Python 3.12 an error that leaves the debugger ends that."""
    if _addresses:
        import debugpy

        debugpy.trace_this_thread(True)
