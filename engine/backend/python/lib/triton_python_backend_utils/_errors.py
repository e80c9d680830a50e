"""Errors."""

from __future__ import annotations


class TritonModelException(Exception):
    """Raised where a model uses something wrongly, or the server refuses something."""


class TritonError:
    """The error of one response."""

    UNKNOWN = 0
    INTERNAL = 1
    NOT_FOUND = 2
    INVALID_ARG = 3
    UNAVAILABLE = 4
    UNSUPPORTED = 5
    ALREADY_EXISTS = 6
    CANCELLED = 7

    __slots__ = ("_code", "_message")

    def __init__(self, message: str, code: int = INTERNAL) -> None:
        self._message = message
        self._code = code

    def message(self) -> str:
        """Return the text."""
        return self._message

    def code(self) -> int:
        """Return the code, one of those of the class."""
        return self._code

    def __str__(self) -> str:
        return self._message
