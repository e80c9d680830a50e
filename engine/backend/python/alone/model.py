"""A model as users write it, with types that `mypy --strict` checks (test_alone.py)."""

import json
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Adds two inputs, and counts its requests."""

    @staticmethod
    def auto_complete_config(config: pb_utils.ModelConfig) -> pb_utils.ModelConfig:
        """Name the inputs and the output."""
        for name in ("A", "B"):
            config.add_input({"name": name, "data_type": "TYPE_FP32", "dims": [-1]})
        config.add_output({"name": "SUM", "data_type": "TYPE_FP32", "dims": [-1]})
        config.set_max_batch_size(8)
        return config

    def initialize(self, args: dict[str, str]) -> None:
        """Read the config."""
        config: dict[str, Any] = json.loads(args["model_config"])
        output = pb_utils.get_output_config_by_name(config, "SUM")
        assert output is not None
        self.type = pb_utils.triton_string_to_numpy(output["data_type"])
        self.family = pb_utils.MetricFamily(
            name="requests_seen", description="Requests", kind=pb_utils.MetricFamily.COUNTER
        )
        self.seen = self.family.Metric(labels={"model": args["model_name"]})

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer each request."""
        responses: list[pb_utils.InferenceResponse] = []
        for request in requests:
            a = pb_utils.get_input_tensor_by_name(request, "A")
            b = pb_utils.get_input_tensor_by_name(request, "B")
            self.seen.increment(1)
            if a is None or b is None:
                error = pb_utils.TritonError("A and B are needed", pb_utils.TritonError.INVALID_ARG)
                responses.append(pb_utils.InferenceResponse(error=error))
                continue
            pb_utils.Logger.log_verbose(f"request {request.request_id()}")
            total: np.ndarray[Any, Any] = (a.as_numpy() + b.as_numpy()).astype(self.type)
            responses.append(pb_utils.InferenceResponse(output_tensors=[pb_utils.Tensor("SUM", total)]))
        return responses

    def finalize(self) -> None:
        """Say how many there were."""
        pb_utils.Logger.log_info(f"{self.seen.value()} requests")
