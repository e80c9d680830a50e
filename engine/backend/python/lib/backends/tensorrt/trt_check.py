"""Compares a config with a plan, in the words of Triton's TensorRT backend."""

from __future__ import annotations

import re
from typing import Any

from trt_plan import TYPES, Plan

import triton_python_backend_utils as pb_utils


def check(config: dict[str, Any], plan: Plan, instance: str) -> None:
    """Raise an error where they do not fit."""
    name = config["name"]
    _supported(config)
    count = len(config.get("input", ()))
    if count > len(plan.inputs):
        raise pb_utils.TritonModelException(
            f"unable to load model '{name}', configuration expects {count} inputs, model provides at most "
            f"{len(plan.inputs)}"
        )
    kinds = (("input", plan.inputs), ("output", plan.outputs))
    for kind, tensors in kinds:
        for entry in config.get(kind, ()):
            allowed(entry, kind, tensors)
    for kind, _ in kinds:
        for entry in config.get(kind, ()):
            _marks(entry, kind, plan, name)
            _type(entry, kind, plan, instance)
            compare = _compare_values if plan.is_shape(entry["name"]) else _compare_dims
            compare(name, entry, plan.shape(entry["name"]), config.get("max_batch_size", 0) > 0)
    for kind, tensors in kinds:
        known = made_by_server(config) | {entry["name"] for entry in config.get(kind, ())}
        for tensor in tensors:
            if tensor not in known:
                raise pb_utils.TritonModelException(f"expected configuration for {kind} '{tensor}' for {instance}")


def _supported(config: dict[str, Any]) -> None:
    """Refuse what Triton can do here and Conch cannot."""
    ragged = any(entry.get("allow_ragged_batch") for entry in config.get("input", ()))
    if ragged or config.get("batch_input") or config.get("batch_output"):
        raise pb_utils.TritonModelException(
            f"model '{config['name']}' has ragged or batch inputs, which Conch does not run with TensorRT"
        )
    if any(group.get("secondary_devices") for group in config.get("instance_group", ())):
        raise pb_utils.TritonModelException(
            f"model '{config['name']}' has secondary devices (DLA cores), which Conch does not use"
        )
    if parameter(config, "enable_multi_device").lower() in ("true", "1"):
        raise pb_utils.TritonModelException(f"model '{config['name']}' has enable_multi_device, which Conch cannot do")


def parameter(config: dict[str, Any], key: str) -> str:
    """Give the value of a parameter; empty when it is not given."""
    return config.get("parameters", {}).get(key, {}).get("string_value", "")


def allowed(entry: dict[str, Any], kind: str, tensors: list[str]) -> None:
    """Refuse a tensor that the plan lacks."""
    if entry["name"] not in tensors:
        raise pb_utils.TritonModelException(
            f"unexpected inference {kind} '{entry['name']}', allowed {kind}s are: {', '.join(sorted(tensors))}"
        )


def made_by_server(config: dict[str, Any]) -> set[str]:
    """Give the names of tensors that the server makes: the controls and states of sequences."""
    sequence = config.get("sequence_batching", {})
    names = {entry["name"] for entry in sequence.get("control_input", ())}
    return names | {state[side] for state in sequence.get("state", ()) for side in ("input_name", "output_name")}


def dims_of(entry: dict[str, Any]) -> list[int]:
    """Give the dims that the plan sees."""
    dims = entry["reshape"].get("shape", []) if "reshape" in entry else entry.get("dims", [])
    return [int(size) for size in dims]


def profile_number(text: str) -> int:
    """Read the number of a profile."""
    if not text:
        raise pb_utils.TritonModelException("profile name must not be empty")
    found = re.match(r"\s*[+-]?\d+", text)
    if found is None:
        raise pb_utils.TritonModelException(f"unable to parse '{text}': profiles are named by their numbers, from 0 on")
    return int(found.group())


def _marks(entry: dict[str, Any], kind: str, plan: Plan, model: str) -> None:
    """Compare whether a tensor holds a shape, and how its values lie."""
    begin = f"{kind} '{entry['name']}' for model '{model}'"
    if entry["data_type"] not in TYPES.values():
        more = ": TensorRT has no tensors of text" if entry["data_type"] == "TYPE_STRING" else ""
        raise pb_utils.TritonModelException(f"unsupported datatype {entry['data_type']} for {begin}{more}")
    marked = bool(entry.get("is_shape_tensor"))
    if marked and not plan.is_shape(entry["name"]):
        words = "is incorrectly marked as a shape tensor in the model configuration."
        raise pb_utils.TritonModelException(f"{begin} {words}")
    if not marked and plan.is_shape(entry["name"]):
        words = "is a shape tensor but the model configuration doesn't mark it as a shape tensor."
        raise pb_utils.TritonModelException(f"{begin} {words}")
    if not plan.is_linear(entry["name"]):
        raise pb_utils.TritonModelException(
            f"{begin} uses a non-linear IO format, which Conch does not run: make the plan with linear inputs and "
            "outputs (trtexec --inputIOFormats=fp16:chw --outputIOFormats=fp16:chw)"
        )
    if entry.get("is_non_linear_format_io"):
        raise pb_utils.TritonModelException(
            f"{begin} uses a linear IO format, but 'is_non_linear_format_io' is incorrectly set to true in the model "
            "configuration."
        )


def _type(entry: dict[str, Any], kind: str, plan: Plan, instance: str) -> None:
    made = plan.type(entry["name"])
    if entry["data_type"] != made:
        raise pb_utils.TritonModelException(
            f"unexpected datatype {made} for inference {kind} '{entry['name']}', expecting {entry['data_type']} for "
            f"{instance}"
        )


def _compare_values(model: str, entry: dict[str, Any], has: list[int], batches: bool) -> None:
    """Compare how many values a shape tensor has. With batches the plan's first one is the batch size."""
    dims = dims_of(entry)
    if len(has) > 1:
        raise pb_utils.TritonModelException(
            f"unable to load model '{model}', shape binding '{entry['name']}' can only be 0-d or 1-D tensor, got "
            f"{written(has)}"
        )
    if [size + batches for size in dims] != has:
        raise pb_utils.TritonModelException(
            f"unable to load model '{model}', binding '{entry['name']}' shape expected by framework {written(has)} "
            f"doesn't match model configuration shape {written(dims)}"
        )


def _compare_dims(model: str, entry: dict[str, Any], has: list[int], batches: bool) -> None:
    """Compare dims. With batches the plan's first one is the batch."""
    begin, dims = f"model '{model}', tensor '{entry['name']}': ", dims_of(entry)
    if batches and not has:
        raise pb_utils.TritonModelException(
            f"{begin}for the model to support batching the shape should have at least 1 dimension; but shape expected "
            f"by the model is {written(has)}"
        )
    full = [-1, *dims] if batches else dims
    if len(full) == len(has) and all(a == b or -1 in (a, b) for a, b in zip(has, full)):
        return
    said = f"(shape {written(full)})"
    if batches:
        said = (
            "(an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making "
            f"complete shape {written(full)})"
        )
    raise pb_utils.TritonModelException(
        f"{begin}the model expects {len(has)} dimensions (shape {written(has)}) but the model configuration specifies "
        f"{len(full)} dimensions {said}"
    )


def written(dims: list[int]) -> str:
    """Write a shape as Triton does."""
    return f"[{','.join(map(str, dims))}]"
