"""Metrics of the model's own."""

from __future__ import annotations

from typing import Any

from ._errors import TritonModelException
from ._native import Constant, need, real, text
from ._world import current


class MetricKind(Constant):
    """How the metrics of a family count."""

    COUNTER = 0
    GAUGE = 1
    HISTOGRAM = 2


class Metric:
    """One metric of a family."""

    def __init__(self, family: MetricFamily, labels: dict[str, str] | None, buckets: list[float] | None) -> None:
        if labels is not None and not isinstance(labels, dict):
            raise TritonModelException("Failed to create metric. Labels must be a dictionary.")
        bounds = self._bounds(family, buckets)
        self._family = family
        self._world = current()
        if not all(isinstance(part, str) for label in (labels or {}).items() for part in label):
            raise self._unmade("attempt to access JSON non-string as string")
        if any(a >= b for a, b in zip(bounds, bounds[1:])):
            raise self._unmade("Bucket Boundaries must be strictly sorted")
        self._number = self._world.new_metric(family._number, labels or {}, bounds)

    @staticmethod
    def _bounds(family: MetricFamily, buckets: Any) -> list[float]:
        """Return the buckets of a histogram. Others have none."""
        if buckets is None:
            if family._kind == "histogram":
                raise TritonModelException("Failed to create metric. Missing required buckets.")
            return []
        if not isinstance(buckets, list):
            raise TritonModelException("Failed to create metric. Buckets must be a list.")
        if family._kind != "histogram":
            raise TritonModelException("Failed to create metric. Unexpected buckets found.")
        return [real("Metric: a bucket", bound) for bound in buckets]

    def increment(self, value: float, /) -> None:
        """Add to a counter or a gauge."""
        by = real("increment: value", value)
        if self._family._kind == "histogram":
            raise self._lacks("increment", "Increment")
        if self._family._kind == "counter" and by < 0:
            raise self._refuse(
                "increment",
                "TRITONSERVER_METRIC_KIND_COUNTER can only be incremented monotonically by non-negative values.",
            )
        self._world.change_metric(self._number, "increment", by)

    def set(self, value: float, /) -> None:
        """Set a gauge."""
        level = real("set: value", value)
        if self._family._kind != "gauge":
            raise self._lacks("set", "Set")
        self._world.change_metric(self._number, "set", level)

    def observe(self, value: float, /) -> None:
        """Count a value in a histogram."""
        seen = real("observe: value", value)
        if self._family._kind != "histogram":
            raise self._lacks("observe", "Observe")
        self._world.change_metric(self._number, "observe", seen)

    def value(self) -> float:
        """Return the value of a counter or a gauge."""
        if self._family._kind == "histogram":
            raise self._lacks("get", "Value")
        return self._world.metric_value(self._number)

    def _unmade(self, why: str) -> TritonModelException:
        return TritonModelException(
            f"Error when creating Metric: Failed to process the request for model '{self._world.instance}', "
            f"message: {why}"
        )

    def _lacks(self, what: str, name: str) -> TritonModelException:
        return self._refuse(what, f"TRITONSERVER_METRIC_KIND_{self._family._kind.upper()} does not support {name}")

    def _refuse(self, what: str, why: str) -> TritonModelException:
        return TritonModelException(
            f"Failed to {what} metric value: Failed to process the request for model '{self._world.instance}', "
            f"message: {why}"
        )

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            self._world.drop_metric(self._number)


class MetricFamily:
    """Metrics of one name and kind."""

    COUNTER = MetricKind.COUNTER
    GAUGE = MetricKind.GAUGE
    HISTOGRAM = MetricKind.HISTOGRAM

    def __init__(self, name: str, description: str, kind: MetricKind) -> None:
        need("MetricFamily: kind", kind, MetricKind)
        self._kind = kind.name.lower()
        self._world = current()
        self._number = self._world.new_family(
            self._kind, text("MetricFamily: name", name), text("MetricFamily: description", description)
        )

    def Metric(self, labels: dict[str, str] | None = None, buckets: list[float] | None = None) -> Metric:
        """Make a metric of the family."""
        return Metric(self, labels, buckets)

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            self._world.drop_family(self._number)
