"""Classifies digits by the nearest mean picture."""

from __future__ import annotations

import numpy as np
import triton_python_backend_utils as pb_utils

# The mean picture of each digit from 0 to 9: 8 x 8 counts of ink from 0 to f. These are rounded means of the three
# quarters of scikit-learn's digits that `digits` learnt from.
MEANS = """
004db30001ddbb1004e52c4006d2096006b1097004d21b6001daad20004ed500
0029a610004de910017fe810029ee600017ce600006bd600005be7210029d831
01ae920005ecc5000585c6000125c4000019b200015c821001becb7101aedc82
018ee81004d9bc200243ca100029e6000015cb2000115c6001779d6001afe810
0007c200004d821001bb564005f67b6009fade5006bcfa100138d4000018c200
01adec4004fc862006e6210006ec940002889820001388300168b71001bfa300
001ba100007f610001d9100002e8320004fdca3002fb6a9000ad6bb1001bfd40
005deb5101bcbc5101537b300156cc50019dfb40016cb410003c6000007b2000
005cc61002cb9b2003b88c20018dd710007ed50001a9981001b89920005dd710
006cb61002d9ac2004c58e3002acde4000355c5000012a6001655b50006cd920
"""
PICTURES = np.array([[int(count, 16) for count in row] for row in MEANS.split()], np.float32)
# The larger it is, the less sure the model says it is. With 150, 98 % of the held-out digits that get a probability of
# 0.9 or more are read right.
SPREAD = 150


class TritonPythonModel:
    """What the server calls."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Classify the pictures of each request."""
        responses = []
        for request in requests:
            images = pb_utils.get_input_tensor_by_name(request, "image").as_numpy()
            found = pb_utils.Tensor("probabilities", probabilities(images))
            responses.append(pb_utils.InferenceResponse([found]))
        return responses


def probabilities(images: np.ndarray) -> np.ndarray:
    """Turn distances into probabilities: the nearest picture has the largest."""
    distances = ((images[:, None] - PICTURES) ** 2).sum(axis=2) / SPREAD
    likely = np.exp(distances.min(axis=1, keepdims=True) - distances)
    return (likely / likely.sum(axis=1, keepdims=True)).astype(np.float32)
