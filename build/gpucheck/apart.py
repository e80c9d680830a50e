"""How far answers are apart."""

import math
from collections.abc import Iterable


def apart(got: list[float], want: list[float]) -> float:
    """The largest difference of two answers."""
    return largest(abs(a - b) for a, b in zip(got, want, strict=True))


def largest(found: Iterable[float]) -> float:
    """The largest number; NaN where one is none, which max leaves out where it does not come first."""
    numbers = list(found)
    return math.nan if any(map(math.isnan, numbers)) else max(numbers)
