"""What Triton's classes have because they are written in C++: strict arguments, named constants, no copies.

A model that Triton refuses must be refused here too, before it is taken to a server.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable
from typing import Any, NoReturn


class Constant(enum.IntEnum):
    """A number with a name."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __repr__(self) -> str:
        return f"<{self}: {self.value}>"


class Uncopied:
    """An object that belongs to its process: it can neither be pickled nor copied."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")


def refused(what: str, value: Any, wanted: str) -> TypeError:
    """Return the error for an argument of a wrong type. `what` is "FUNCTION: ARGUMENT"."""
    return TypeError(f"{what} is of type {type(value).__name__}, not {wanted}")


def need(what: str, value: Any, kind: type) -> None:
    """Refuse what is not of a class."""
    if not isinstance(value, kind):
        raise refused(what, value, kind.__name__)


def text(what: str, value: Any) -> str:
    """Return a text. Bytes of UTF-8 are one too."""
    if isinstance(value, bytes):
        return value.decode()
    if not isinstance(value, str):
        raise refused(what, value, "str")
    return str(value)


def integer(what: str, value: Any, bits: int, signed: bool = False) -> int:
    """Return an integer that fits into so many bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise refused(what, value, "int") from None
    low, high = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
    if not low <= number < high:
        raise TypeError(f"{what} is {number}, and must be from {low} to {high - 1}")
    return number


def real(what: str, value: Any) -> float:
    """Return a number."""
    if isinstance(value, (str, bytes, bytearray)) or not hasattr(value, "__float__"):
        raise refused(what, value, "float")
    return float(value)


def truth(what: str, value: Any) -> bool:
    """Return a bool. Numbers and None are one too."""
    if value is not None and not hasattr(value, "__bool__"):
        raise refused(what, value, "bool")
    return bool(value)


def elements(what: str, value: Any) -> list[Any]:
    """Return the elements of a list, or of another collection that is not a text."""
    if isinstance(value, (str, bytes, dict)) or not isinstance(value, Iterable):
        raise refused(what, value, "list")
    return list(value)
