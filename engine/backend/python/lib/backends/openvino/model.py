"""The OpenVINO backend: model.xml, and what else OpenVINO reads (docs/triton/backends.md, "OpenVINO")."""

from __future__ import annotations

import json

import numpy as np
import openvino as ov
import openvino_complete
import openvino_model
import openvino_settings as settings

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """One instance of a model."""

    @staticmethod
    def auto_complete_config(config: pb_utils.ModelConfig) -> pb_utils.ModelConfig:
        """Fill in what the model's file tells."""
        return openvino_complete.completed(config)

    def initialize(self, args: dict[str, str]) -> None:
        """Read the file, compare it with the config, and compile it."""
        config = json.loads(args["model_config"])
        name = args["model_name"]
        self.largest = config["max_batch_size"]
        self.padded = settings.flag(config, "ENABLE_BATCH_PADDING")
        self.fixed = self.largest > 0 and settings.flag(config, "SKIP_OV_DYNAMIC_BATCHSIZE")
        self.inputs = [one["name"] for one in config["input"]]
        self.outputs = [one["name"] for one in config["output"]]
        core = settings.core(config)
        device = settings.device(config, args, core)
        model = openvino_model.prepared(core, config, name)
        with openvino_model.told("loading network"):
            compiled = core.compile_model(model, device, settings.properties(config, core, device))
            self.request: ov.InferRequest = compiled.create_infer_request()

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run the requests, those of a batch together."""
        groups = [requests] if self.largest > 0 else [[request] for request in requests]
        return [answer for group in groups for answer in self._answers(group)]

    def _answers(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run the model once."""
        sizes = [len(request.inputs()[0].as_numpy()) if self.largest > 0 else 1 for request in requests]
        try:
            made = self._run({name: self._joined(requests, name, sum(sizes)) for name in self.inputs})
        except pb_utils.TritonModelException as error:
            return [pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error))) for _ in requests]
        at, answers = 0, []
        for request, size in zip(requests, sizes):
            wanted = set(request.requested_output_names())
            part = slice(at, at + size) if self.largest > 0 else ...
            tensors = [pb_utils.Tensor(name, array[part]) for name, array in made.items() if name in wanted]
            answers.append(pb_utils.InferenceResponse(tensors))
            at += size
        return answers

    def _run(self, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Call the model. Its outputs are copied: the next call writes where they lie."""
        with openvino_model.told("running inference"):
            found = self.request.infer(given, share_inputs=True, share_outputs=True)
            return {name: np.array(found[name]) for name in self.outputs}

    def _joined(self, requests: list[pb_utils.InferenceRequest], name: str, size: int) -> np.ndarray:
        """One input of all requests."""
        arrays = [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for request in requests]
        missing = self.largest - size if self.fixed or self.padded else 0
        if missing > 0:
            if not self.padded:
                raise pb_utils.TritonModelException(
                    f"the model takes batches of {self.largest} only, and this one has {size}: send {self.largest}, or "
                    "set the parameter ENABLE_BATCH_PADDING to YES"
                )
            arrays.append(np.zeros((missing, *arrays[0].shape[1:]), arrays[0].dtype))
        return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
