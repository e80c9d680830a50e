"""What the worker tells Conch: lines of JSON."""

from __future__ import annotations

import json
import os
import sys
from typing import Any, TextIO


class RefusedError(Exception):
    """What cannot be done, in words for people."""


class Events:
    """Writes events. What libraries print goes to the log instead."""

    def __init__(self) -> None:
        self._out: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        sys.stdout = sys.stderr

    def step(self, text: str) -> None:
        """Say what begins."""
        self._say(step=text)

    def progress(self, text: str, done: int, of: int) -> None:
        """Say how far a step is."""
        self._say(step=text, done=done, of=of)

    def done(self, result: dict[str, Any]) -> None:
        """Say what was made."""
        self._say(result=result)

    def failed(self, text: str) -> None:
        """Say why nothing was made."""
        self._say(error=text)

    def _say(self, **event: Any) -> None:
        self._out.write(json.dumps(event) + "\n")
        self._out.flush()
