"""Does not answer, or does not say that it has."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Leaves requests open."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list:
        """Give None for an answer, with or without one that was sent without the final flag."""
        for request in requests:
            ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
            said = np.array([b'"sent"'], dtype=object)
            if ask["do"] == "send":
                request.get_response_sender().send(pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)]))
        return [None] * len(requests)
