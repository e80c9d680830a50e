"""A batch in which one request fails by itself, or all of them."""

from __future__ import annotations

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Says how many requests ran together; a negative number fails, and -100 fails all."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer the batch."""
        numbers = [int(pb_utils.get_input_tensor_by_name(r, "N").as_numpy()[0, 0]) for r in requests]
        if -100 in numbers:
            raise ValueError(f"all {len(numbers)} fail")
        return [self.answer(n, len(numbers)) for n in numbers]

    def answer(self, number: int, together: int) -> pb_utils.InferenceResponse:
        """Answer one request."""
        if number < 0:
            return pb_utils.InferenceResponse(
                error=pb_utils.TritonError(f"{number} of {together}", pb_utils.TritonError.INVALID_ARG)
            )
        return pb_utils.InferenceResponse([pb_utils.Tensor("COUNT", np.array([[together]], np.int32))])
