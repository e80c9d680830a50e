"""Completes its config in the way that the config's parameter do names."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils

IN = {"name": "IN", "data_type": "TYPE_FP32", "dims": [4]}
OUT = {"name": "OUT", "data_type": "TYPE_FP32", "dims": [4]}


def without(tensor: dict, key: str) -> dict:
    """Leave a property out."""
    return {k: v for k, v in tensor.items() if k != key}


WAYS = {
    "all": lambda c: (c.set_max_batch_size(4), c.set_dynamic_batching(), c.add_input(IN), c.add_output(OUT)),
    "nothing": lambda c: None,
    "optional": lambda c: (c.add_input({**IN, "optional": True}), c.add_output(OUT)),
    "decoupled": lambda c: (c.add_input(IN), c.add_output(OUT), c.set_model_transaction_policy({"decoupled": True})),
    "empty policy": lambda c: c.set_model_transaction_policy({}),
    "odd policy": lambda c: c.set_model_transaction_policy({"decoupled": True, "more": 1}),
    "batch": lambda c: c.set_max_batch_size(2),
    "negative batch": lambda c: c.set_max_batch_size(-1),
    "batching": lambda c: c.set_dynamic_batching(),
    "input twice": lambda c: (c.add_input(IN), c.add_input(IN)),
    "input of another type": lambda c: (c.add_input(IN), c.add_input({**IN, "data_type": "TYPE_INT32"})),
    "input of other dims": lambda c: (c.add_input(IN), c.add_input({**IN, "dims": [16]})),
    "input now optional": lambda c: (c.add_input(IN), c.add_input({**IN, "optional": True})),
    "output of another type": lambda c: (c.add_output(OUT), c.add_output({**OUT, "data_type": "TYPE_INT32"})),
    "output of other dims": lambda c: (c.add_output(OUT), c.add_output({**OUT, "dims": [4, 4]})),
    "input without name": lambda c: c.add_input(without(IN, "name")),
    "input without type": lambda c: c.add_input(without(IN, "data_type")),
    "input without dims": lambda c: c.add_input(without(IN, "dims")),
    "output without name": lambda c: c.add_output(without(OUT, "name")),
    "output without type": lambda c: c.add_output(without(OUT, "data_type")),
    "output without dims": lambda c: c.add_output(without(OUT, "dims")),
    "odd input": lambda c: c.add_input({**IN, "more": 1}),
    "odd input without name": lambda c: c.add_input({**without(IN, "name"), "more": 1}),
    "odd output": lambda c: c.add_output({**OUT, "more": 1}),
    "type of another world": lambda c: (c.add_input({**IN, "data_type": "FP32"}), c.add_output(OUT)),
    "dim 0": lambda c: (c.add_input({**IN, "dims": [0]}), c.add_output(OUT)),
}


class TritonPythonModel:
    """Serves what it has completed; tells the config that it got."""

    @staticmethod
    def auto_complete_config(config: pb_utils.ModelConfig) -> object:
        """Complete it."""
        given = config.as_dict()
        way = given["parameters"].get("do", {"string_value": "all"})["string_value"]
        if way == "raise":
            raise ValueError("from auto_complete_config")
        if way == "call":
            return pb_utils.InferenceRequest(model_name="add_sub", inputs=[], requested_output_names=[]).exec()
        if way == "return nothing":
            return None
        WAYS[way](config)
        return config

    def initialize(self, args: dict[str, str]) -> None:
        """Keep the config."""
        self.config = json.loads(args["model_config"])

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Give twice the input."""
        responses = []
        for request in requests:
            data = pb_utils.get_input_tensor_by_name(request, "IN").as_numpy()
            responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("OUT", np.multiply(data, 2))]))
        return responses
