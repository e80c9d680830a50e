"""Runs until its client has gone."""

from __future__ import annotations

import json
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Looks whether it is cancelled."""

    def initialize(self, args: dict[str, str]) -> None:
        """Start."""
        self.saw = "nothing"

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Wait, or tell how the wait before ended."""
        request = requests[0]
        ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
        if ask["do"] == "wait":
            print("the wait begins", flush=True)
            ends = time.monotonic() + 30
            while not request.is_cancelled() and time.monotonic() < ends:
                time.sleep(0.01)
            self.saw = "cancelled" if request.is_cancelled() else "not cancelled"
            return [
                pb_utils.InferenceResponse(
                    error=pb_utils.TritonError("it was cancelled", pb_utils.TritonError.CANCELLED)
                )
            ]
        said = np.array([json.dumps(self.saw).encode()], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)])]
