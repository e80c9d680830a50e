"""Cuts lines of text out of a photograph."""

from __future__ import annotations

import numpy as np
import triton_python_backend_utils as pb_utils

from .boxes import boxes, corners, in_reading_order

HEIGHT = 48
WIDEST = 1920
# A photograph without text gives one empty line, which has no corners.
NOTHING = np.zeros((1, 3, HEIGHT, HEIGHT), np.float32)


class TritonPythonModel:
    """What the server calls."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Cut the lines out of the photograph of each request."""
        responses = []
        for request in requests:
            photo = pb_utils.get_input_tensor_by_name(request, "PHOTO").as_numpy()
            found = pb_utils.get_input_tensor_by_name(request, "MAP").as_numpy()[0, 0]
            scale = np.array([photo.shape[1] / found.shape[1], photo.shape[0] / found.shape[0]])
            places = in_reading_order([corners(box) * scale for box in boxes(found)])
            outputs = [pb_utils.Tensor("LINES", lines(photo, places)), pb_utils.Tensor("CORNERS", places)]
            responses.append(pb_utils.InferenceResponse(outputs))
        return responses


def lines(photo: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Cut the lines out; short ones are filled up with grey on the right."""
    if len(places) == 0:
        return NOTHING
    cut = [line(photo, place) for place in places]
    laid = np.zeros((len(cut), 3, HEIGHT, max(one.shape[1] for one in cut)), np.float32)
    for number, one in enumerate(cut):
        laid[number, :, :, : one.shape[1]] = one.transpose(2, 0, 1)
    return laid


def line(photo: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Sample the photograph within four corners: [48, width, 3], values from -1 to 1."""
    left, right, _, below = place
    across, down = right - left, below - left
    width = int(np.clip(np.hypot(*across) / max(np.hypot(*down), 1) * HEIGHT, HEIGHT, WIDEST))
    u, v = (np.arange(width) + 0.5) / width, (np.arange(HEIGHT) + 0.5) / HEIGHT
    points = left + u[None, :, None] * across + v[:, None, None] * down - 0.5
    return sample(photo, points) / 127.5 - 1


def sample(photo: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Interpolate a photograph at points (x, y); outside it goes on as at its edge."""
    last = np.array([photo.shape[1] - 1, photo.shape[0] - 1])
    points = np.clip(points, 0, last)
    low = points.astype(int)
    high = np.minimum(low + 1, last)
    x, y = np.moveaxis((points - low).astype(np.float32), 2, 0)[..., None]
    above = photo[low[..., 1], low[..., 0]] * (1 - x) + photo[low[..., 1], high[..., 0]] * x
    below = photo[high[..., 1], low[..., 0]] * (1 - x) + photo[high[..., 1], high[..., 0]] * x
    return above * (1 - y) + below * y
