"""Completing a config from an OpenVINO model (docs/triton/backends.md, "OpenVINO")."""

from __future__ import annotations

import os
from typing import Any

import openvino as ov
import openvino_model

import triton_python_backend_utils as pb_utils

_SCHEDULERS = ("dynamic_batching", "sequence_batching", "ensemble_scheduling")


def completed(config: pb_utils.ModelConfig) -> pb_utils.ModelConfig:
    """Fill in batching, and the inputs or outputs of which the config lists none."""
    given = config.as_dict()
    name = given.get("name", "")
    model = openvino_model.read(ov.Core(), given, name)
    batches(given, model)
    for kind, tensors in (("input", model.inputs), ("output", model.outputs)):
        if not given.get(kind):
            given[kind] = [described(tensor, given["max_batch_size"] > 0, name) for tensor in tensors]
    return config


def batches(given: dict[str, Any], model: ov.Model) -> None:
    """Switch batching on where the layout of every tensor has a batch."""
    layouts = [ov.layout_helpers.get_layout(tensor) for tensor in [*model.inputs, *model.outputs]]
    if not all(ov.layout_helpers.has_batch(layout) for layout in layouts):
        given.setdefault("max_batch_size", 0)  # a size that is given counts: the load sets the batch dimension
        return
    if given.get("max_batch_size", 0) == 0:
        given["max_batch_size"] = max(int(os.environ.get("CONCH_DEFAULT_MAX_BATCH_SIZE", "4")), 1)
    if given["max_batch_size"] > 1 and not any(one in given for one in _SCHEDULERS):
        given["dynamic_batching"] = {}


def described(tensor: Any, batched: bool, name: str) -> dict[str, Any]:
    """Describe a tensor for the config, as Triton does: where one size is open, all are."""
    called, shape = tensor.get_any_name(), openvino_model.shape(tensor)
    kind = openvino_model.TYPES.get(tensor.element_type.get_type_name())
    if shape is None or kind is None:
        what = "number of dimensions" if shape is None else "data type"
        raise pb_utils.TritonModelException(
            f"autofill failed for model '{name}': the {what} of '{called}' has no counterpart in a config"
        )
    if -1 in shape:
        shape = [-1] * len(shape)
    found: dict[str, Any] = {"name": called, "data_type": kind, "dims": shape[1:] if batched else shape}
    if not found["dims"]:
        found |= {"dims": [1], "reshape": {"shape": []}}
    return found
