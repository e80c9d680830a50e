"""Adds up the numbers of a sequence."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Keeps a sum for each sequence."""

    def initialize(self, args: dict[str, str]) -> None:
        """Start without sums."""
        self.sums: dict[object, int] = {}

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Add."""
        return [self.answer(request) for request in requests]

    def answer(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        """Add one number, and tell the controls and flags."""
        controls = {}
        for name in ["START", "END", "READY", "CORRID"]:
            tensor = pb_utils.get_input_tensor_by_name(request, name)
            array = None if tensor is None else tensor.as_numpy()
            controls[name] = None if array is None else [str(array.dtype), list(array.shape), array.flatten()[0].item()]
        if controls["READY"] is None or not controls["READY"][2]:
            return pb_utils.InferenceResponse([])
        key = request.correlation_id()
        number = int(pb_utils.get_input_tensor_by_name(request, "N").as_numpy()[0, 0])
        flags = request.flags()
        start = bool(flags & pb_utils.TRITONSERVER_REQUEST_FLAG_SEQUENCE_START)
        end = bool(flags & pb_utils.TRITONSERVER_REQUEST_FLAG_SEQUENCE_END)
        self.sums[key] = number if start else self.sums.get(key, -1000) + number
        told = {"controls": controls, "id": [type(key).__name__, key], "start": start, "end": end}
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor("SUM", np.array([[self.sums[key]]], np.int32)),
                pb_utils.Tensor("SAID", np.array([[json.dumps(told).encode()]], dtype=object)),
            ]
        )
