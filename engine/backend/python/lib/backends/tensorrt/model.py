"""The TensorRT backend: plans, run by TensorRT's Python package (docs/triton/backends.md, "TensorRT")."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import trt_check
import trt_profile
from trt_complete import complete
from trt_cuda import Gpu
from trt_plan import Plan, file_of
from trt_run import Runner

import triton_python_backend_utils as pb_utils
from triton_python_backend_utils._types import BF16


class TritonPythonModel:
    """One instance of a plan."""

    @staticmethod
    def auto_complete_config(config: pb_utils.ModelConfig) -> pb_utils.ModelConfig:
        """Fill in what the plan tells, where the first group is on a GPU."""
        given = config.as_dict()
        groups = given.get("instance_group", [])
        if not groups or groups[0].get("kind") != "KIND_GPU":
            return config
        gpu = Gpu(int((groups[0].get("gpus") or [0])[0]))
        file = file_of(given, gpu.capability())
        try:
            plan = Plan(file)
        except (OSError, pb_utils.TritonModelException) as error:
            raise pb_utils.TritonModelException(
                f"unable to load plan file to auto complete config: {file}: {error}"
            ) from error
        complete(given, plan)
        return config

    def initialize(self, args: dict[str, str]) -> None:
        """Open the plan, compare it with the config, and make the profiles of the instance."""
        config, name = json.loads(args["model_config"]), args["model_instance_name"]
        if args["model_instance_kind"] != "GPU":
            raise pb_utils.TritonModelException(
                f"unable to load model '{args['model_name']}', TensorRT backend supports only GPU device: {name} is "
                "not on a GPU; set instance_group [ { kind: KIND_GPU } ]"
            )
        self._gpu = Gpu(int(args["model_instance_device_id"]))
        file = file_of(config, self._gpu.capability())
        if not file.is_file():
            raise pb_utils.TritonModelException(f"unable to find '{file}' for model instance '{name}'")
        self._plan = Plan(file)
        trt_check.check(config, self._plan, name)
        profiles = trt_profile.of_instance(config, self._plan, args, self._gpu.stream)
        self._gpu.wait()
        self._runner = Runner(self._plan, self._gpu, profiles, name)
        self._batches = config.get("max_batch_size", 0) > 0
        states = config.get("sequence_batching", {}).get("state", ())
        self._states = {state["output_name"] for state in states}

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run the requests, those of a batch together."""
        groups = [requests] if self._batches else [[request] for request in requests]
        return [answer for group in groups for answer in self._answers(group)]

    def finalize(self) -> None:
        """Give the memory back, in the order in which the parts rest on each other."""
        self._runner.close()
        del self._runner, self._plan
        self._gpu.close()

    def _answers(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run the plan once."""
        sizes = [request.inputs()[0].shape()[0] for request in requests] if self._batches else [1]
        try:
            given = {name: self._joined(requests, name, sum(sizes)) for name in self._plan.inputs}
            made = self._runner.run(given, sum(sizes))
            return self._split(requests, sizes, made)
        except pb_utils.TritonModelException as error:
            return [pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error))) for _ in requests]

    def _joined(self, requests: list[pb_utils.InferenceRequest], name: str, size: int) -> np.ndarray:
        """One input of all requests."""
        found = [pb_utils.get_input_tensor_by_name(request, name) for request in requests]
        arrays = [tensor._array for tensor in found if tensor is not None]
        if len(arrays) < len(found):
            raise pb_utils.TritonModelException(f"input '{name}' is missing in the request")
        if self._batches and self._plan.is_shape(name):
            return self._shape_values(name, arrays, size)
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)

    @staticmethod
    def _shape_values(name: str, arrays: list[np.ndarray], size: int) -> np.ndarray:
        """Give the values of a shape: the size of the batch, and what all rows of all requests say."""
        rows = np.concatenate(arrays)
        if (rows != rows[0]).any():
            raise pb_utils.TritonModelException(f"all rows of the shape tensor '{name}' must have the same values")
        return np.concatenate([np.array([size], rows.dtype), rows[0].reshape(-1)])

    def _split(
        self, requests: list[pb_utils.InferenceRequest], sizes: list[int], made: dict[str, np.ndarray]
    ) -> list[pb_utils.InferenceResponse]:
        """Give each request its part of the outputs."""
        at, answers = 0, []
        for request, size in zip(requests, sizes):
            wanted = self._states.union(request.requested_output_names())
            tensors = [
                self._tensor(name, self._part(name, array, at, size, sum(sizes)))
                for name, array in made.items()
                if name in wanted
            ]
            answers.append(pb_utils.InferenceResponse(tensors))
            at += size
        return answers

    def _part(self, name: str, array: np.ndarray, at: int, size: int, whole: int) -> np.ndarray:
        if not self._batches:
            return array
        if not self._plan.is_shape(name):
            return array[at : at + size]
        if array.shape and array[0] != whole:
            raise pb_utils.TritonModelException(f"failed to retrieve the output shape values from binding '{name}'")
        return np.tile(array[1:], (size, 1))

    def _tensor(self, name: str, array: np.ndarray) -> Any:
        if self._plan.type(name) == "TYPE_BF16":
            return pb_utils.Tensor._made(name, BF16, array)
        return pb_utils.Tensor(name, array)
