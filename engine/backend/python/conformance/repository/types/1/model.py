"""Gives each input back, and says what numpy saw."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """An input and an output of each type; all inputs are optional."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Copy what came."""
        return [self.answer(request) for request in requests]

    def answer(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        """Copy the inputs of one request."""
        saw, outputs = {}, []
        for tensor in request.inputs():
            array = tensor.as_numpy()
            first = (
                repr(array.flatten()[0].item() if array.dtype != object else array.flatten()[0]) if array.size else ""
            )
            saw[tensor.name()] = [str(array.dtype), list(array.shape), array.flags.writeable, tensor.is_cpu(), first]
            outputs.append(pb_utils.Tensor("OUT_" + tensor.name(), array))
        outputs.append(pb_utils.Tensor("SAW", np.array([json.dumps(saw).encode()], dtype=object)))
        return pb_utils.InferenceResponse(outputs)
