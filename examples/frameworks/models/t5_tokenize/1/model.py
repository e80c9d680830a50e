"""Text becomes tokens."""

from __future__ import annotations

import triton_python_backend_utils as pb_utils

from .letters import encode


class TritonPythonModel:
    """What the server calls."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Encode the texts of each request."""
        responses = []
        for request in requests:
            tokens, counts = encode(pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy())
            outputs = [pb_utils.Tensor("TOKENS", tokens), pb_utils.Tensor("COUNT", counts)]
            responses.append(pb_utils.InferenceResponse(outputs))
        return responses
