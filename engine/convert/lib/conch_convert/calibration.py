"""Gives requests to the tools of ONNX Runtime that look at the tensors in the middle of a model."""

from __future__ import annotations

from onnxruntime.quantization import CalibrationDataReader

from conch_convert.events import Events
from conch_convert.job import Feed


class Requests(CalibrationDataReader):  # type: ignore[misc]
    """Gives the requests to ONNX Runtime's calibration, one after the other."""

    def __init__(self, feeds: list[Feed], events: Events, told: str) -> None:
        self._feeds, self._events, self._told, self._at = feeds, events, told, 0

    def get_next(self) -> Feed | None:
        """Give the next request; None after the last one."""
        if self._at == len(self._feeds):
            return None
        self._events.progress(self._told, self._at, len(self._feeds))
        self._at += 1
        return self._feeds[self._at - 1]
