"""Completes a config from a plan, as Triton's TensorRT backend does (docs/triton/backends.md, "TensorRT")."""

from __future__ import annotations

from typing import Any

from trt_check import allowed, dims_of, made_by_server, profile_number
from trt_plan import Plan

import triton_python_backend_utils as pb_utils


def complete(config: dict[str, Any], plan: Plan) -> None:
    """Fill in tensors, the batch size and dynamic batching."""
    name, given = config["name"], config.get("max_batch_size", 0)
    hinted, described = _hints(config, plan)
    largest = max(largest_batch(plan, profile) for profile in _profiles(config, plan))
    if hinted and largest == 0:
        raise pb_utils.TritonModelException(
            f"autofill failed for model '{name}': model tensor shape configuration hints for dynamic batching but the "
            "underlying engine doesn't support batching."
        )
    if described and not hinted:
        pb_utils.Logger.log_warn(
            f"The specified dimensions in model config for {name} hints that batching is unavailable"
        )
        largest = 0
    if given > largest:
        raise pb_utils.TritonModelException(
            f"autofill failed for model '{name}': configuration specified max-batch {given} but TensorRT engine only "
            f"supports max-batch {largest}"
        )
    config["max_batch_size"] = given or largest
    if largest > 1 and not {"dynamic_batching", "sequence_batching"} & set(config):
        config["dynamic_batching"] = {}
    for kind, tensors in (("input", plan.inputs), ("output", plan.outputs)):
        entries = config.setdefault(kind, [])
        if not entries:
            entries += [{"name": tensor} for tensor in tensors if tensor not in made_by_server(config)]
        for entry in entries:
            if entry["name"] in tensors:
                _fill(entry, plan, config["max_batch_size"] > 0)


def _hints(config: dict[str, Any], plan: Plan) -> tuple[bool, bool]:
    """Tell whether the dims of the config are those of a batch's element, and whether it has dims at all."""
    hinted = described = False
    for kind, tensors in (("input", plan.inputs), ("output", plan.outputs)):
        for entry in config.get(kind, ()):
            if entry.get("allow_ragged_batch"):
                return True, described
            allowed(entry, kind, tensors)
            dims = dims_of(entry)
            if not dims:
                continue
            described = True
            shape = plan.shape(entry["name"])
            whole = [1, *dims]
            batches = shape == [dims[0] + 1] if plan.is_shape(entry["name"]) else len(shape) == len(whole)
            if hinted and not batches:
                raise pb_utils.TritonModelException(
                    f"unable to autofill for '{config['name']}', model tensor configurations are contradicting each "
                    "other in terms of whether batching is supported"
                )
            hinted = batches
    return hinted, described


def _profiles(config: dict[str, Any], plan: Plan) -> set[int]:
    """Give the profiles of all instance groups."""
    count, found = plan.engine.num_optimization_profiles, set()
    for group in config.get("instance_group", ()):
        for text in group.get("profile", ()):
            number = profile_number(text)
            if not 0 <= number < count:
                raise pb_utils.TritonModelException(
                    f"unable to autofill for '{config['name']}', configuration specified invalid profile {text} . "
                    f"Number of profiles supported by TensorRT engine: {count}"
                )
            found.add(number)
    return found or {0}


def largest_batch(plan: Plan, profile: int) -> int:
    """Give the largest batch that all inputs take in a profile; 0 where an input has no dimension."""
    sizes = []
    for name in plan.inputs:
        largest = (plan.values(name, profile) if plan.is_shape(name) else plan.range(name, profile))[2]
        sizes.append(largest[0] if largest else 0)
    return min(sizes, default=0)


def _fill(entry: dict[str, Any], plan: Plan, batches: bool) -> None:
    """Fill in what the entry of a tensor leaves out."""
    name = entry["name"]
    if entry.get("data_type", "TYPE_INVALID") == "TYPE_INVALID":
        entry["data_type"] = plan.type(name)
    if not entry.get("dims"):
        shape = plan.shape(name)
        if plan.is_shape(name):  # the first value of a shape is the batch size
            entry["dims"] = [size - 1 if batches else size for size in shape]
        else:
            entry["dims"] = shape[1:] if batches else shape
            if not entry["dims"]:
                entry |= {"dims": [1], "reshape": {"shape": []}}
    for key, has, words in (
        ("is_shape_tensor", plan.is_shape(name), "is incorrectly specified as a shape tensor."),
        (
            "is_non_linear_format_io",
            not plan.is_linear(name),
            "uses a linear IO format, but 'is_non_linear_format_io' is incorrectly set to true in the model "
            "configuration.",
        ),
    ):
        if entry.get(key) and not has:
            raise pb_utils.TritonModelException(f"'{name}' {words}")
        if has:
            entry[key] = True
