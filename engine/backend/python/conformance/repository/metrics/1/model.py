"""Has metrics of its own."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import triton_python_backend_utils as pb_utils


def attempt(call: Callable, *args: object, **more: object) -> object:
    """Call, and give what it gives or raises."""
    try:
        value = call(*args, **more)
    except TypeError:
        return "TypeError"  # its text is pybind's in the real server
    except Exception as e:
        return f"{type(e).__name__}: {e}"
    return value if isinstance(value, (int, float, str, type(None))) else type(value).__name__


class TritonPythonModel:
    """Makes one family of each kind."""

    def initialize(self, args: dict[str, str]) -> None:
        """Make them."""
        kind = pb_utils.MetricFamily
        self.count = kind(name="conformance_count", description="A counter", kind=kind.COUNTER)
        self.level = kind(name="conformance_level", description="A gauge", kind=kind.GAUGE)
        self.spread = kind(name="conformance_spread", description="A histogram", kind=kind.HISTOGRAM)
        self.counter = self.count.Metric(labels={"model": args["model_name"], "part": 'a"b'})
        self.gauge = self.level.Metric(labels={"model": args["model_name"]})
        self.histogram = self.spread.Metric(labels={}, buckets=[0.1, 1, 10])

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Do what is asked, and tell what came of it."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(requests[0], "ASK").as_numpy()[0])
        said = np.array([json.dumps(getattr(self, ask["do"])(**ask.get("more", {}))).encode()], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)])]

    def use(self) -> list:
        """Use them well."""
        self.counter.increment(2)
        self.counter.increment(0.5)
        self.gauge.set(7)
        self.gauge.increment(-2)
        for value in [0.05, 0.5, 5, 50]:
            self.histogram.observe(value)
        return [self.counter.value(), self.gauge.value()]

    def misuse(self, way: str) -> object:
        """Use them wrongly."""
        kind = pb_utils.MetricFamily
        ways = {
            "set a counter": lambda: attempt(self.counter.set, 1),
            "decrement a counter": lambda: attempt(self.counter.increment, -1),
            "observe a gauge": lambda: attempt(self.gauge.observe, 1),
            "value of a histogram": lambda: attempt(self.histogram.value),
            "increment a histogram": lambda: attempt(self.histogram.increment, 1),
            "set a histogram": lambda: attempt(self.histogram.set, 1),
            "histogram without buckets": lambda: attempt(self.spread.Metric, labels={"x": "y"}),
            "buckets of a counter": lambda: attempt(self.count.Metric, labels={"x": "y"}, buckets=[1]),
            "buckets in disorder": lambda: attempt(self.spread.Metric, labels={"x": "z"}, buckets=[2, 1]),
            "text": lambda: attempt(self.counter.increment, "x"),
            "number as a label": lambda: attempt(self.count.Metric, labels={"x": 1}),
            "same family": lambda: attempt(kind, name="conformance_count", description="A counter", kind=kind.COUNTER),
            "same name, other kind": lambda: attempt(kind, name="conformance_count", description="x", kind=kind.GAUGE),
            "odd name": lambda: attempt(kind, name="a name", description="x", kind=kind.GAUGE),
            "no kind": lambda: attempt(kind, name="conformance_x", description="x"),
            "same labels": self.twice,
            "without labels": lambda: attempt(self.level.Metric),
            "number by name": lambda: attempt(self.gauge.set, value=1),
            "tuple of buckets": lambda: attempt(self.spread.Metric, labels={"x": "t"}, buckets=(1, 2)),
            "list of labels": lambda: attempt(self.count.Metric, labels=["x"]),
        }
        return ways[way]()

    def twice(self) -> object:
        """Make a metric that there is already."""
        again = self.count.Metric(labels={"model": "metrics", "part": 'a"b'})
        return again.value() == self.counter.value()

    def odd(self) -> list:
        """Count what JSON has no numbers for."""
        self.odd_level = self.level.Metric(labels={"odd": "nan"})
        self.odd_level.set(float("nan"))
        self.odd_count = self.count.Metric(labels={"odd": "inf"})
        self.odd_count.increment(float("inf"))
        self.odd_spread = self.spread.Metric(labels={"odd": "no buckets"}, buckets=[])
        self.odd_spread.observe(float("-inf"))
        self.odd_low = self.spread.Metric(labels={"odd": "low"}, buckets=[float("-inf"), 0])
        self.odd_low.observe(float("-inf"))
        return [str(self.odd_level.value()), str(self.odd_count.value())]

    def drop(self) -> str:
        """Let the gauge go."""
        del self.gauge
        return "dropped"
