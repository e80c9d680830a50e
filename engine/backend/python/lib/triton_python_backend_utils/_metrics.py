"""Metrics of the model's own."""

from __future__ import annotations

from ._errors import TritonModelException
from ._world import current

_KINDS = ("counter", "gauge", "histogram")


class Metric:
    """One metric of a family."""

    def __init__(self, family: MetricFamily, labels: dict[str, str] | None, buckets: list[float] | None) -> None:
        self._family = family
        self._world = current()
        self._number = self._world.new_metric(family._number, labels or {}, buckets)

    def increment(self, value: float) -> None:
        """Add to a counter or a gauge."""
        if self._family._kind == "histogram":
            raise self._refuse("increment", "Increment")
        if self._family._kind == "counter" and value < 0:
            raise TritonModelException("Failed to increment metric value: a counter can only grow")
        self._world.change_metric(self._number, "increment", float(value))

    def set(self, value: float) -> None:
        """Set a gauge."""
        if self._family._kind != "gauge":
            raise self._refuse("set", "Set")
        self._world.change_metric(self._number, "set", float(value))

    def observe(self, value: float) -> None:
        """Count a value in a histogram."""
        if self._family._kind != "histogram":
            raise self._refuse("observe", "Observe")
        self._world.change_metric(self._number, "observe", float(value))

    def value(self) -> float:
        """Return the value of a counter or a gauge."""
        if self._family._kind == "histogram":
            raise self._refuse("get", "Value")
        return self._world.metric_value(self._number)

    def _refuse(self, what: str, name: str) -> TritonModelException:
        kind = self._family._kind.upper()
        return TritonModelException(
            f"Failed to {what} metric value: TRITONSERVER_METRIC_KIND_{kind} does not support {name}"
        )

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            self._world.drop_metric(self._number)


class MetricFamily:
    """Metrics of one name and kind."""

    COUNTER = 0
    GAUGE = 1
    HISTOGRAM = 2

    def __init__(self, name: str, description: str, kind: int) -> None:
        self._kind = _KINDS[kind]
        self._world = current()
        self._number = self._world.new_family(self._kind, name, description)

    def Metric(self, labels: dict[str, str] | None = None, buckets: list[float] | None = None) -> Metric:
        """Make a metric of the family."""
        return Metric(self, labels, buckets)

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            self._world.drop_family(self._number)
