"""Writes down when it is made and when it ends, into the file diary in the model's folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Raises where the config's parameter says."""

    def initialize(self, args: dict[str, str]) -> None:
        """Begin."""
        self.diary = Path(args["model_repository"]).parent / "lifecycle.diary"
        self.raises = json.loads(args["model_config"])["parameters"]["raise"]["string_value"]
        self.name = args["model_instance_name"]
        self.write("initialize")
        if self.raises == "initialize":
            raise ValueError("from initialize")

    def finalize(self) -> None:
        """End."""
        self.write("finalize")
        if self.raises == "finalize":
            raise ValueError("from finalize")

    def write(self, word: str) -> None:
        """Write a word down."""
        with self.diary.open("a") as out:
            out.write(f"{word} {self.name}\n")

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Give instance and process."""
        said = np.array([json.dumps([self.name, os.getpid()]).encode()], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)]) for _ in requests]
