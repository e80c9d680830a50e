"""Gives a request back until its rounds are over, and answers in each round."""

from __future__ import annotations

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    """Counts the rounds of each request."""

    def initialize(self, args: dict[str, str]) -> None:
        """Start without requests."""
        self.rounds: dict[str, int] = {}

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> None:
        """Go a round further."""
        for request in requests:
            wanted = int(pb_utils.get_input_tensor_by_name(request, "ROUNDS").as_numpy().flatten()[0])
            key = request.request_id()
            now = self.rounds[key] = self.rounds.get(key, 0) + 1
            sender = request.get_response_sender()
            answer = pb_utils.InferenceResponse([pb_utils.Tensor("ROUND", np.array([[now]], np.int32))])
            if now < wanted:
                request.set_release_flags(pb_utils.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE)
                sender.send(answer)
                continue
            del self.rounds[key]
            sender.send(answer, flags=FINAL)
