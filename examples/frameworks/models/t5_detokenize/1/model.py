"""Tokens become text."""

from __future__ import annotations

import triton_python_backend_utils as pb_utils

from .letters import decode


class TritonPythonModel:
    """What the server calls."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Decode the tokens of each request."""
        responses = []
        for request in requests:
            tokens = pb_utils.get_input_tensor_by_name(request, "TOKENS").as_numpy()
            counts = pb_utils.get_input_tensor_by_name(request, "COUNTS").as_numpy()
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("TEXTS", decode(tokens, counts))]))
        return responses
