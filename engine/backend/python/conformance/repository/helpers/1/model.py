"""Uses each name of triton_python_backend_utils, and says what came of it."""

from __future__ import annotations

import json

import numpy as np
import probes
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Runs one probe, or lists those of a group."""

    def initialize(self, args: dict[str, str]) -> None:
        """Keep the config."""
        self.config = json.loads(args["model_config"])

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run what is asked."""
        responses = []
        for request in requests:
            ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
            group = probes.group(ask["group"], request, self.config)
            told = probes.run(group[ask["probe"]]) if "probe" in ask else list(group)
            said = np.array([json.dumps(told).encode()], dtype=object)
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)]))
        return responses
