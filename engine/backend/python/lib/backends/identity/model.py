"""Triton's identity backend: OUTPUTn is INPUTn, as in https://github.com/triton-inference-server/identity_backend."""

from __future__ import annotations

import json
import time

import numpy as np

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Copies inputs to outputs."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read the config."""
        config = json.loads(args["model_config"])
        self.outputs = [output["name"] for output in config["output"]]
        delay = config.get("parameters", {}).get("execute_delay_ms", {}).get("string_value", "0")
        self.delay = int(delay) / 1000

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Copy each input to the output of the same number."""
        if self.delay:
            time.sleep(self.delay)
        return [self._answer(request) for request in requests]

    def _answer(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        wanted = set(request.requested_output_names())
        copied = [pb_utils.Tensor(name, self._source(request, name)) for name in self.outputs if name in wanted]
        return pb_utils.InferenceResponse(copied)

    def _source(self, request: pb_utils.InferenceRequest, output: str) -> np.ndarray:
        return pb_utils.get_input_tensor_by_name(request, "INPUT" + output[len("OUTPUT") :])._array
