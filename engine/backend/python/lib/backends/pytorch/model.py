"""The PyTorch backend: TorchScript files, and modules in Python with runtime: "model.py"."""

from __future__ import annotations

import json

import numpy as np
import pytorch_names as names
import pytorch_settings as settings
import torch
from pytorch_load import load

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """One instance of a model."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read the file, and find out which tensor is which argument."""
        config = json.loads(args["model_config"])
        self.name = args["model_name"]
        self.batches = config["max_batch_size"] > 0
        self.inputs = names.input_names(config)
        self.types = {one["name"]: one["data_type"] for one in config["output"]}
        self.types |= {state["output_name"]: state["data_type"] for state in names.states(config)}
        self.states = {state["output_name"] for state in names.states(config)}
        self.device = settings.device(args)
        settings.apply(config)
        self.guard = settings.guard(config)
        self.optimized = settings.optimized(config)
        self.module, arguments = load(config, self.name, self.device)
        self.in_python = config.get("runtime") == "model.py"
        self.scripted = not self.in_python and config.get("platform") != "torch_aoti"
        if self.in_python and arguments is not None:  # Triton's program there reads no names
            self.places, self.results = names.ordered(self.inputs), names.ordered(list(self.types))
        else:
            self.places, self.results = names.inputs(config, arguments), names.placed(list(self.types))

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run the requests, those of a batch together."""
        if not self.batches:
            return [self.answers([request])[0] for request in requests]
        return self.answers(requests)

    def answers(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run one call of the module."""
        try:
            found = self.values(self.call(requests))
        except pb_utils.TritonModelException as error:
            return failed(requests, str(error))
        except Exception as error:
            if self.in_python:
                raise  # with the line of the program
            return failed(requests, f"PyTorch execute failure: {error}")
        sizes = [len(request.inputs()[0].as_numpy()) for request in requests] if self.batches else [1]
        if not self.in_python:
            found = dict(sorted(found.items()))  # Triton keeps outputs by name
        at, answers = 0, []
        for request, size in zip(requests, sizes):
            wanted = self.states.union(request.requested_output_names())
            part = slice(at, at + size) if self.batches else slice(None)
            tensors = [pb_utils.Tensor(name, array[part]) for name, array in found.items() if name in wanted]
            answers.append(pb_utils.InferenceResponse(tensors))
            at += size
        return answers

    def call(self, requests: list[pb_utils.InferenceRequest]) -> object:
        """Call the module with the joined inputs."""
        given = {name: self.joined(requests, name) for name in self.inputs}
        with self.guard(), torch.jit.optimized_execution(self.optimized):
            if self.places is None:
                return self.module(given)
            ordered = sorted(given, key=lambda name: self.places[name])
            return self.module(*(given[name] for name in ordered))

    def joined(self, requests: list[pb_utils.InferenceRequest], name: str) -> object:
        """One input of all requests."""
        arrays = [pb_utils.get_input_tensor_by_name(request, name).as_numpy() for request in requests]
        if arrays[0].dtype == np.object_:
            return [text.decode() for array in arrays for text in array.reshape(-1)]
        array = arrays[0] if len(arrays) == 1 else np.concatenate(arrays)
        if not array.flags.writeable:
            array = array.copy()  # a module may change its arguments
        return torch.from_numpy(array).to(self.device)

    def values(self, result: object) -> dict[str, np.ndarray]:
        """The outputs that the config lists."""
        if self.scripted:
            taken(result)
        if isinstance(result, dict):
            return {name: self.array(name, names.of(result, name)) for name in self.types}
        several = isinstance(result, tuple) or (isinstance(result, list) and not strings(result))
        values = list(result) if several else [result]
        found = {}
        for name, place in self.results.items():
            if place >= len(values):
                raise pb_utils.TritonModelException(
                    f"The output '{name}' in the model configuration refers to an output index which doesn't exist. "
                    f"This model has {len(values)} outputs"
                )
            found[name] = self.array(name, values[place])
        return found

    def array(self, name: str, value: object) -> np.ndarray:
        """An output as an array of the type that the config gives."""
        if strings(value):
            return np.array([text.encode() for text in value], dtype=np.object_)
        if not isinstance(value, torch.Tensor):
            raise pb_utils.TritonModelException(f"output '{name}' must be of type Tensor or List[str].")
        if value.dim() == 0:
            raise pb_utils.TritonModelException(f"output '{name}' is a scalar which is not supported.")
        expected, made = self.types[name], settings.TYPES.get(value.dtype, "TYPE_INVALID")
        if expected != made:
            raise pb_utils.TritonModelException(
                f"configuration expects datatype {expected} for output '{name}', model provides {made}"
            )
        return value.detach().cpu().contiguous().numpy()


def failed(requests: list[pb_utils.InferenceRequest], text: str) -> list[pb_utils.InferenceResponse]:
    """The error, for each request."""
    return [pb_utils.InferenceResponse(error=pb_utils.TritonError(text)) for _ in requests]


def taken(result: object) -> None:
    """Refuse what Triton does not take from TorchScript, in its words."""
    for one in result if isinstance(result, tuple) else [result]:
        if isinstance(one, list) and not strings(one):
            kind = type(one[0]).__name__
            raise ValueError(f"output must be of type Tensor or List[str], received List[{kind}]")
    if not isinstance(result, (torch.Tensor, list, tuple)):
        raise ValueError(
            "output must be of type Tensor, List[str] or Tuple containing one of these two types. It should not be a "
            "List / Dictionary of Tensors or a Scalar"
        )


def strings(value: object) -> bool:
    """Whether a value is a list of strings."""
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
