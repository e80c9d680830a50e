"""Says what a request carries beside its tensors."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Answers with the request's fields."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Tell them."""
        return [self.tell(request) for request in requests]

    def tell(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        """Tell of one request."""
        told = {
            "id": request.request_id(),
            "correlation id": request.correlation_id(),
            "flags": request.flags(),
            "timeout": request.timeout(),
            "parameters": request.parameters(),
            "requested": sorted(request.requested_output_names()),
            "inputs": [t.name() for t in request.inputs()],
            "shape": [list(t.shape()) for t in request.inputs()],
            "cancelled": request.is_cancelled(),
            "sender": type(request.get_response_sender()).__name__,
            "missing": str(pb_utils.get_input_tensor_by_name(request, "ABSENT")),
        }
        said = np.array([json.dumps(told).encode()], dtype=object)
        outputs = [pb_utils.Tensor("SAID", said), pb_utils.Tensor("OTHER", np.array([b"other"], dtype=object))]
        return pb_utils.InferenceResponse(outputs)
