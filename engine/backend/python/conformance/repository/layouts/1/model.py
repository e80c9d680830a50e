"""Arrays that are not laid out as they go over the wire, and one that outlives its request."""

from __future__ import annotations

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Keeps the input of the request before."""

    def initialize(self, args: dict[str, str]) -> None:
        """Keep nothing yet."""
        self.kept = np.zeros([1, 1], np.float32)

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Give views of the input, and the input of the request before."""
        responses = []
        for request in requests:
            data = pb_utils.get_input_tensor_by_name(request, "DATA").as_numpy()
            outputs = {
                "TRANSPOSED": data.T,
                "STRIDED": data[::-1, ::2],
                "SAME": data,
                "KEPT": self.kept,
                "FIXED": np.array([b"a\x00b", b"longer"]),  # numpy's fixed width, S6
                "NONE": np.zeros([0], np.float32),
            }
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor(n, a) for n, a in outputs.items()]))
            self.kept = data
        return responses
