"""TensorFlow's saved models and graphs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import tf_check
import tf_complete
import tf_graph

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """One instance of a model."""

    @staticmethod
    def auto_complete_config(config: pb_utils.ModelConfig) -> pb_utils.ModelConfig:
        """Fill in what the signature of a saved model tells. Graphs have none."""
        read = tf_graph.Config(config.as_dict())
        if read.saved:
            tf_complete.complete(config.as_dict(), tf_graph.read_saved(read))
        return config

    def initialize(self, args: dict[str, str]) -> None:
        """Load the graph."""
        config = json.loads(args["model_config"])
        read = tf_graph.Config(config)
        for library in config.get("model_operations", {}).get("op_library_filename", ()):
            tf_graph.tf.load_op_library(library)
        self._session = tf_graph.session(read, args["model_instance_kind"], int(args["model_instance_device_id"]))
        load = tf_graph.load_saved if read.saved else tf_graph.load_graph
        self._signature = load(read, self._session)
        tf_check.check(config, self._signature, read.saved)
        self._outputs = [(entry["name"], entry["data_type"]) for entry in config.get("output", ())]
        self._batches = config.get("max_batch_size", 0) > 0
        self._calls: dict[Any, Any] = {}

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Run the requests, those of a batch together."""
        if not self._batches:
            return [self._together([request])[0] for request in requests]
        return self._together(requests)

    def finalize(self) -> None:
        """Close the session."""
        self._session.close()

    def _together(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        given: dict[str, list[np.ndarray]] = {}
        for request in requests:
            for tensor in request.inputs():
                given.setdefault(tensor.name(), []).append(tensor.as_numpy())
        joined = [arrays[0] if len(arrays) == 1 else np.concatenate(arrays) for arrays in given.values()]
        asked = set().union(*(request.requested_output_names() for request in requests))
        outputs = sorted((name, kind) for name, kind in self._outputs if name in asked)  # Triton keeps them by name
        try:
            values = self._call(tuple(given), tuple(name for name, _ in outputs))(*joined)
        except tf_graph.tf.errors.OpError as error:
            raise pb_utils.TritonModelException(f"TensorFlow: {error.message}") from error
        made = {name: self._array(name, kind, value) for (name, kind), value in zip(outputs, values)}
        return self._split(requests, made)

    def _call(self, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Any:
        """Return what runs the graph for these inputs and outputs."""
        if (inputs, outputs) not in self._calls:
            self._calls[inputs, outputs] = self._session.make_callable(
                [self._signature.outputs[name].tensor for name in outputs],
                feed_list=[self._signature.inputs[name].tensor for name in inputs],
            )
        return self._calls[inputs, outputs]

    def _split(
        self, requests: list[pb_utils.InferenceRequest], made: dict[str, np.ndarray]
    ) -> list[pb_utils.InferenceResponse]:
        responses, begin = [], 0
        for request in requests:
            wanted, end = request.requested_output_names(), begin
            if self._batches:
                end += len(request.inputs()[0].as_numpy())
            part = slice(begin, end) if len(requests) > 1 else slice(None)
            tensors = [pb_utils.Tensor(name, array[part]) for name, array in made.items() if name in wanted]
            responses.append(pb_utils.InferenceResponse(tensors))
            begin = end
        return responses

    @staticmethod
    def _array(name: str, kind: str, value: Any) -> np.ndarray:
        array = np.asarray(value)
        expected = pb_utils.triton_string_to_numpy(kind)
        if array.dtype != expected:
            raise pb_utils.TritonModelException(
                f"configuration expects datatype {kind} for output '{name}', model provides {array.dtype}"
            )
        return array
