"""Brings photographs to a size and range that the detection of text takes."""

from __future__ import annotations

import numpy as np
import triton_python_backend_utils as pb_utils

LONGEST = 960
MULTIPLE = 32


class TritonPythonModel:
    """What the server calls."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Prepare the photograph of each request."""
        responses = []
        for request in requests:
            photo = pb_utils.get_input_tensor_by_name(request, "PHOTO").as_numpy()
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("PREPARED", prepared(photo))]))
        return responses


def prepared(photo: np.ndarray) -> np.ndarray:
    """Resize a photograph [height, width, 3], and lay it out as [1, 3, height, width]."""
    values = photo.astype(np.float32)
    while max(values.shape[:2]) >= 2 * LONGEST:
        values = halved(values)
    scale = min(1.0, LONGEST / max(values.shape[:2]))
    sides = [max(MULTIPLE, round(side * scale / MULTIPLE) * MULTIPLE) for side in values.shape[:2]]
    resized = resize(resize(values, sides[0], 0), sides[1], 1)
    return np.ascontiguousarray((resized / 127.5 - 1).transpose(2, 0, 1)[None])


def halved(values: np.ndarray) -> np.ndarray:
    """Average blocks of 2 x 2 pixels."""
    even = values[: len(values) // 2 * 2, : values.shape[1] // 2 * 2]
    return (even[0::2, 0::2] + even[1::2, 0::2] + even[0::2, 1::2] + even[1::2, 1::2]) / 4


def resize(values: np.ndarray, size: int, axis: int) -> np.ndarray:
    """Interpolate along an axis, from the middles of the pixels."""
    last = values.shape[axis] - 1
    at = np.clip((np.arange(size) + 0.5) * (last + 1) / size - 0.5, 0, last)
    low = at.astype(int)
    share = (at - low).astype(np.float32).reshape([-1 if n == axis else 1 for n in range(values.ndim)])
    return values.take(low, axis) * (1 - share) + values.take(np.minimum(low + 1, last), axis) * share
