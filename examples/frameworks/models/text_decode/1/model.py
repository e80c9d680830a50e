"""Reads the characters that a recognition finds the likeliest."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

BLANK = 0


class TritonPythonModel:
    """What the server calls."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read what the classes stand for: a blank, the characters of the model, a space."""
        listed = (Path(pb_utils.get_model_dir()) / "characters.txt").read_text(encoding="utf-8")
        self.characters = np.array(["", *listed.splitlines(), " "])

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Read the lines of each request."""
        responses = []
        for request in requests:
            chances = pb_utils.get_input_tensor_by_name(request, "CHANCES").as_numpy()
            places = pb_utils.get_input_tensor_by_name(request, "CORNERS").as_numpy()
            read = [self.read(line) for line in chances[: len(places)]]
            texts = np.array([text.encode() for text, _ in read], dtype=object)
            sure = np.array([chance for _, chance in read], np.float32)
            outputs = [pb_utils.Tensor("TEXT", texts), pb_utils.Tensor("SURE", sure)]
            responses.append(pb_utils.InferenceResponse(outputs))
        return responses

    def read(self, chances: np.ndarray) -> tuple[str, float]:
        """Return the text of a line, and how likely its characters are on average."""
        best = chances.argmax(axis=1)
        counts = (best != BLANK) & (best != np.append(BLANK, best[:-1]))
        if not counts.any():
            return "", 0.0
        return "".join(self.characters[best[counts]]), float(chances.max(axis=1)[counts].mean())
