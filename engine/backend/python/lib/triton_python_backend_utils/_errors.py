"""Errors."""

from __future__ import annotations

from ._native import Constant, Uncopied, need, text


class TritonModelException(Exception):
    """Raised where a model uses something wrongly, or the server refuses something."""


class ErrorCode(Constant):
    """Why a response failed."""

    UNKNOWN = 0
    INTERNAL = 1
    NOT_FOUND = 2
    INVALID_ARG = 3
    UNAVAILABLE = 4
    UNSUPPORTED = 5
    ALREADY_EXISTS = 6
    CANCELLED = 7


class TritonError(Uncopied):
    """The error of one response."""

    UNKNOWN = ErrorCode.UNKNOWN
    INTERNAL = ErrorCode.INTERNAL
    NOT_FOUND = ErrorCode.NOT_FOUND
    INVALID_ARG = ErrorCode.INVALID_ARG
    UNAVAILABLE = ErrorCode.UNAVAILABLE
    UNSUPPORTED = ErrorCode.UNSUPPORTED
    ALREADY_EXISTS = ErrorCode.ALREADY_EXISTS
    CANCELLED = ErrorCode.CANCELLED

    __slots__ = ("_code", "_message")

    def __init__(self, message: str, code: ErrorCode = INTERNAL) -> None:
        self._message = text("TritonError: message", message)
        need("TritonError: code", code, ErrorCode)
        self._code = code

    def message(self) -> str:
        """Return the text."""
        return self._message

    def code(self) -> ErrorCode:
        """Return the code, one of those of the class."""
        return self._code

    def __str__(self) -> str:
        return self._message
