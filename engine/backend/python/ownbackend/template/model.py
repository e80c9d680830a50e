"""The backend my_backend: it runs the models of every config with backend: "my_backend".

This is a template. Its models are files model.json with a number, by which inputs are multiplied. Put your framework
where a comment begins with HERE, then tell the tests about it (tests/test_backend.py).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils

FILE = "model.json"


def read(config: dict[str, Any]) -> float:
    """Read the model file of the version that is loaded."""
    file = Path(pb_utils.get_model_dir()) / (config.get("default_model_filename") or FILE)
    if not file.is_file():
        raise pb_utils.TritonModelException(f"unable to find '{file}' for model '{config['name']}'")
    try:
        return float(json.loads(file.read_text())["factor"])  # HERE: let your framework read the file
    except (ValueError, KeyError, TypeError) as error:
        raise pb_utils.TritonModelException(f"'{file}' cannot be read: {error}") from error


class TritonPythonModel:
    """One instance of a model, in a process of its own."""

    @staticmethod
    def auto_complete_config(config: pb_utils.ModelConfig) -> pb_utils.ModelConfig:
        """Fill in what a config leaves out, from the model file. Remove the method if configs must say everything."""
        read(config.as_dict())
        # HERE: the tensors that your file describes, and whether it takes batches
        config.add_input({"name": "INPUT", "data_type": "TYPE_FP32", "dims": [-1]})
        config.add_output({"name": "OUTPUT", "data_type": "TYPE_FP32", "dims": [-1]})
        if not config.as_dict().get("max_batch_size"):
            config.set_max_batch_size(8)
        config.set_dynamic_batching()
        return config

    def initialize(self, args: dict[str, str]) -> None:
        """Load the model. args also tells the instance's name, kind (CPU, GPU) and GPU."""
        config = json.loads(args["model_config"])
        self.batches = config.get("max_batch_size", 0) > 0
        self.inputs = [entry["name"] for entry in config["input"]]
        self.factor = read(config)  # HERE: make what runs requests

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run a batch: one response for each request, in their order. Requests that are wrong fail alone."""
        answers = {at: failed(text) for at, request in enumerate(requests) if (text := self.wrong(request))}
        good = [at for at in range(len(requests)) if at not in answers]
        for group in [good] if self.batches and good else [[at] for at in good]:
            found = self.answers([requests[at] for at in group])
            answers.update({at: found[n] for n, at in enumerate(group)})
        return [answers[at] for at in range(len(requests))]

    def finalize(self) -> None:
        """Give back what the process does not give back by its end."""

    def wrong(self, request: pb_utils.InferenceRequest) -> str:
        """Say why a request cannot be run; nothing for a good one. Names, types and shapes fit the config already."""
        for tensor in request.inputs():
            if (abs(tensor.as_numpy()) > 1e30).any():  # HERE: what your framework does not take
                return f"input '{tensor.name()}' has values that are too large"
        return ""

    def answers(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run requests together."""
        try:
            made = self.run({name: self.joined(requests, name) for name in self.inputs})
        except Exception as error:
            return [failed(f"my_backend: {error}") for _ in requests]
        at, answers = 0, []
        for request in requests:
            size = len(request.inputs()[0].as_numpy()) if self.batches else 0
            part = slice(at, at + size) if self.batches else slice(None)
            wanted = request.requested_output_names()
            tensors = [pb_utils.Tensor(name, array[part]) for name, array in made.items() if name in wanted]
            answers.append(pb_utils.InferenceResponse(tensors))
            at += size
        return answers

    def joined(self, requests: list[pb_utils.InferenceRequest], name: str) -> np.ndarray:
        """Join one input of all requests, whose first dimension is the batch."""
        arrays = [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for request in requests]
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)

    def run(self, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """HERE: run the model once. BYTES are arrays of bytes objects. Return arrays that the next run leaves alone."""
        return {"OUTPUT": (given["INPUT"] * self.factor).astype(np.float32)}


def failed(text: str) -> pb_utils.InferenceResponse:
    """Make the response of a request that fails."""
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(text))
