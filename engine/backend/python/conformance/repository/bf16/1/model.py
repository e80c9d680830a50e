"""Numbers of BF16, for which NumPy has no type."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Looks at its input in the way that the request names."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Give the input back, and what was seen."""
        responses = []
        for request in requests:
            tensor = pb_utils.get_input_tensor_by_name(request, "X")
            out, told = tensor, None
            try:
                out, told = getattr(self, json.loads(request.parameters())["look"])(tensor)
            except Exception as e:
                told = f"{type(e).__name__}: {e}"
            said = np.array([json.dumps(told).encode()], dtype=object)
            responses.append(pb_utils.InferenceResponse([out, pb_utils.Tensor("SAID", said)]))
        return responses

    def shape(self, tensor: pb_utils.Tensor) -> tuple:
        """Do not look at the numbers."""
        return tensor, list(tensor.shape())

    def as_numpy(self, tensor: pb_utils.Tensor) -> tuple:
        """Look at an array."""
        return tensor, str(tensor.as_numpy().dtype)

    def to_dlpack(self, tensor: pb_utils.Tensor) -> tuple:
        """Make a capsule."""
        return tensor, "dltensor" in str(tensor.to_dlpack())

    def there_and_back(self, tensor: pb_utils.Tensor) -> tuple:
        """Make a tensor of a capsule of the tensor."""
        there = pb_utils.Tensor.from_dlpack("X", tensor.to_dlpack())
        return pb_utils.Tensor.from_dlpack("X", there.to_dlpack()), "made"
