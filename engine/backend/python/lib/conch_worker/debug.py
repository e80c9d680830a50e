"""The debugger of a worker: debugpy, which the user's interpreter brings."""

from __future__ import annotations

import sys

from .host import Failed

_addresses: list[str] = []


def listen() -> str:
    """Listen for a debugger on this machine, and return where."""
    if _addresses:
        return _addresses[0]
    try:
        import debugpy
    except ImportError:
        raise Failed(
            f"debugpy is not installed: `{sys.executable} -m pip install debugpy` installs it into this interpreter"
        ) from None
    host, port = debugpy.listen(("127.0.0.1", 0))
    _addresses.append(f"{host}:{port}")
    return _addresses[0]
