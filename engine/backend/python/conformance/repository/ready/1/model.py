"""Says whether it is ready."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Is as ready as its last request says."""

    def initialize(self, args: dict[str, str]) -> None:
        """Start."""
        self.ready = "yes"

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Keep what is_ready will do."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(requests[0], "ASK").as_numpy()[0])
        self.ready = ask["ready"]
        said = np.array([json.dumps(self.ready).encode()], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)])]

    def is_ready(self) -> bool:
        """Be ready, or not, or fail."""
        if self.ready == "raise":
            raise ValueError("from is_ready")
        return self.ready == "yes"
