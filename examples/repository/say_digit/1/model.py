"""Says in words which digit a drawing shows: "3, for sure", or "3 (62 %), or else 8 (31 %)"."""

from __future__ import annotations

import numpy as np
import triton_python_backend_utils as pb_utils

# From this probability on no other digit is named.
SURE = 0.95
# The least difference between the darkest and the brightest pixel of a drawing.
CONTRAST = 64


class TritonPythonModel:
    """What the server calls."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer each request. A request is a batch of drawings."""
        return [answer(request) for request in requests]


def answer(request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
    """Ask read_digit about all drawings at once, and put its answer into words."""
    image = pb_utils.get_input_tensor_by_name(request, "IMAGE")
    question = pb_utils.InferenceRequest(model_name="read_digit", inputs=[image], requested_output_names=["DIGIT"])
    read = question.exec()
    if read.has_error():
        return pb_utils.InferenceResponse(error=read.error())
    chances = pb_utils.get_output_tensor_by_name(read, "DIGIT").as_numpy()
    drawn = is_drawn(image.as_numpy())
    texts = [words(row) if drawn[n] else "nothing is drawn" for n, row in enumerate(chances)]
    surest = np.where(drawn, chances.max(axis=1), 0)
    return pb_utils.InferenceResponse(
        [
            pb_utils.Tensor("TEXT", np.array([[text.encode()] for text in texts], dtype=object)),
            pb_utils.Tensor("PROBABILITY", surest.astype(np.float32)[:, None]),
        ]
    )


def is_drawn(images: np.ndarray) -> np.ndarray:
    """Say for each image whether there is anything on it."""
    pixels = images.reshape(len(images), -1).astype(int)
    return pixels.max(axis=1) - pixels.min(axis=1) >= CONTRAST


def words(chances: np.ndarray) -> str:
    """Name the likeliest digit, and the next one where that is not sure."""
    first, second = np.argsort(-chances)[:2]
    if chances[first] >= SURE:
        return f"{first}, for sure"
    return f"{first} ({chances[first]:.0%}), or else {second} ({chances[second]:.0%})"
