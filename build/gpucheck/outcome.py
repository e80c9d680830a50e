"""What comes of the checks: the table, why one is not made, and how long they may take."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

OK, FAILED, NOT_RUN = "ok", "FAILED", "not run"
LONGEST = 240.0  # seconds for one check: the first one reads CUDA's libraries from a disk


class NotRunError(Exception):
    """Says why a check cannot be made here."""


class LateError(BaseException):
    """Ends a check that takes too long. It is no Exception, so that no check takes it for a fault of its own."""


@dataclass
class Table:
    """What came of each check."""

    rows: list[tuple[str, str, str]] = field(default_factory=list)

    def add(self, name: str, outcome: str, said: str) -> None:
        """Adds a row, and prints it at once."""
        self.rows.append((name, outcome, said))
        print(f"  {name:<34} {outcome:<8} {said}", flush=True)

    def count(self, outcome: str) -> int:
        """The number of rows with an outcome."""
        return sum(one == outcome for _, one, _ in self.rows)


@dataclass
class Clock:
    """The time that all checks may take together."""

    minutes: float
    begun: float = field(default_factory=time.monotonic)

    def left(self) -> float:
        """The seconds that are left; less than 0 when they are over."""
        return self.begun + 60 * self.minutes - time.monotonic()

    def over(self) -> str:
        """Says why nothing more is checked."""
        return f"the {self.minutes:g} minutes of --minutes are over"

    @contextmanager
    def bound(self) -> Iterator[None]:
        """Ends what takes longer than one check may, or longer than is left."""
        most = min(LONGEST, self.left())
        if most <= 0:
            raise NotRunError(self.over())

        def late(_signal: int, _frame: object) -> None:
            raise LateError

        before = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, most)
        try:
            yield
        except LateError:
            if self.left() <= 0:
                raise NotRunError(f"{self.over()}; it had taken {most:.0f} s") from None
            raise AssertionError(f"it has not ended within {most:.0f} s") from None
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
