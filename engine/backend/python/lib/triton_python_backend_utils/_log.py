"""The model's log."""

from __future__ import annotations

import enum
import sys

from ._world import current


class LogLevel(enum.Enum):
    """How grave a line is."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    VERBOSE = "verbose"


class Logger:
    """Writes to the server's log."""

    LogLevel = LogLevel
    INFO = LogLevel.INFO
    WARNING = LogLevel.WARNING
    ERROR = LogLevel.ERROR
    VERBOSE = LogLevel.VERBOSE

    @staticmethod
    def log(message: str, level: LogLevel = LogLevel.INFO) -> None:
        """Write a line of a level."""
        _log(message, level)

    @staticmethod
    def log_info(message: str) -> None:
        """Write a line."""
        _log(message, LogLevel.INFO)

    @staticmethod
    def log_warn(message: str) -> None:
        """Write a warning."""
        _log(message, LogLevel.WARNING)

    @staticmethod
    def log_error(message: str) -> None:
        """Write an error."""
        _log(message, LogLevel.ERROR)

    @staticmethod
    def log_verbose(message: str) -> None:
        """Write what only a verbose log shows."""
        _log(message, LogLevel.VERBOSE)


def _log(message: str, level: LogLevel) -> None:
    if not isinstance(message, str) or not isinstance(level, LogLevel):
        raise TypeError(f"Logger.log(message, level): got {type(message).__name__} and {type(level).__name__}")
    caller = sys._getframe(2)
    current().log(level.value, message, caller.f_code.co_filename, caller.f_lineno)
