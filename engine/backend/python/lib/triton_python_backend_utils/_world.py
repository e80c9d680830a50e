"""What surrounds a model: the engine, or nothing in a test without one."""

from __future__ import annotations

import sys
from typing import Any

from ._errors import TritonModelException


class Nowhere:
    """No engine: logs go to stderr, metrics count here, and nothing can be called."""

    _why = "this model runs in none"
    version_dir = ""
    instance = "model_0"

    def __init__(self) -> None:
        self._values: dict[int, float] = {}

    def log(self, level: str, text: str, file: str, line: int) -> None:
        """Write to stderr."""
        print(f"{level}: {file}:{line}: {text}", file=sys.stderr)

    def new_family(self, kind: str, name: str, description: str) -> int:
        """Make a family, which has no state here."""
        return 0

    def new_metric(self, family: int, labels: dict[str, str], buckets: list[float]) -> int:
        """Make a metric."""
        self._values[len(self._values)] = 0.0
        return len(self._values) - 1

    def change_metric(self, metric: int, change: str, value: float) -> None:
        """Change a metric."""
        self._values[metric] = value if change == "set" else self._values[metric] + value

    def metric_value(self, metric: int) -> float:
        """Read a metric."""
        return self._values[metric]

    def drop_metric(self, metric: int) -> None:
        """Do nothing: the value is small."""

    drop_family = drop_metric

    def abandoned(self, handle: int) -> None:
        """Do nothing: nobody waits here for an answer."""

    def cancelled(self, handle: int) -> bool:
        """Nobody cancels."""
        return False

    def __getattr__(self, name: str) -> Any:
        raise TritonModelException(f"'{name}' needs a server, and {self._why}")


class Forked(Nowhere):
    """No engine, in a process that the model has forked."""

    _why = "this process is a fork of the model's process, which alone has one"

    def __init__(self, world: Any) -> None:
        super().__init__()
        self.version_dir, self.instance = world.version_dir, world.instance


_world: Any = Nowhere()


def current() -> Any:
    """Return what surrounds the model."""
    return _world


def surround(world: Any) -> None:
    """Set what surrounds the model."""
    global _world
    _world = world
