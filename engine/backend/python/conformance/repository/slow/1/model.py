"""Takes so long that others wait in its queue."""

from __future__ import annotations

import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Sleeps."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer after a while."""
        time.sleep(0.7)
        said = np.array([[b'"slept"']], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)]) for _ in requests]
