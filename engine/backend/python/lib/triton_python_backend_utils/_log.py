"""The model's log."""

from __future__ import annotations

import sys

from ._native import Constant, need, text
from ._world import current


class LogLevel(Constant):
    """How grave a line is."""

    INFO = 0
    WARNING = 1
    ERROR = 2
    VERBOSE = 3


class Logger:
    """Writes to the server's log. All of it belongs to the class: there are no objects."""

    LogLevel = LogLevel
    INFO = LogLevel.INFO
    WARNING = LogLevel.WARNING
    ERROR = LogLevel.ERROR
    VERBOSE = LogLevel.VERBOSE

    def __init__(self) -> None:
        raise TypeError("Logger: No constructor defined! Call Logger.log_info and its like of the class")

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
    line = text("Logger: message", message)
    need("Logger: level", level, LogLevel)
    caller = sys._getframe(2)
    current().log(level.name.lower(), line, caller.f_code.co_filename, caller.f_lineno)
