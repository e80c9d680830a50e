"""Completes a config from the signature of a saved model, as Triton's TensorFlow backend does."""

from __future__ import annotations

from typing import Any

from tf_graph import Element, Signature

import triton_python_backend_utils as pb_utils

_DEFAULT_BATCH = 4


def complete(config: dict[str, Any], signature: Signature) -> None:
    """Fill in what the config leaves out."""
    batches = _batches(config, signature)
    _fill(config, "input", signature.inputs, batches, all_of_them=True)
    _fill(config, "output", signature.outputs, batches, all_of_them=not config.get("output"))
    if batches and not config.get("max_batch_size"):
        config["max_batch_size"] = _DEFAULT_BATCH
    scheduled = {"dynamic_batching", "sequence_batching"} & set(config)
    if batches and config["max_batch_size"] > 1 and not scheduled:
        config["dynamic_batching"] = {}


def _batches(config: dict[str, Any], signature: Signature) -> bool:
    """Whether the model takes batches: the signature allows it, and the dims of the config do not speak against it."""
    elements = [*signature.inputs.values(), *signature.outputs.values()]
    allowed = all(element.shape and element.shape[0] == -1 for element in elements)
    if not allowed and config.get("max_batch_size", 0) > 0:
        raise pb_utils.TritonModelException(
            f"unable to autofill for '{config['name']}', configuration specified max-batch "
            f"{config['max_batch_size']} but model signature does not support batching"
        )
    hints = set()
    for kind, known in (("input", signature.inputs), ("output", signature.outputs)):
        for entry in config.get(kind, ()):
            if entry.get("allow_ragged_batch"):
                return allowed
            element = known.get(entry.get("name", ""))
            dims = entry["reshape"].get("shape", []) if "reshape" in entry else entry.get("dims", [])
            if element is not None and element.shape and dims:
                hints.add(len(dims) == len(element.shape) - 1)
    if allowed and len(hints) > 1:
        raise pb_utils.TritonModelException(
            f"unable to autofill for '{config['name']}', model tensor configurations are contradicting each other in "
            "terms of whether batching is supported"
        )
    return allowed and False not in hints


def _fill(config: dict[str, Any], kind: str, known: dict[str, Element], batches: bool, all_of_them: bool) -> None:
    entries = config.setdefault(kind, [])
    taken = {entry.get("name", "") for entry in entries} | _others(config)
    if all_of_them:
        entries += [{"name": name} for name in known if name not in taken]
    for entry in entries:
        element = known.get(entry.get("name", ""))
        if element is None:
            continue
        if entry.get("data_type", "TYPE_INVALID") == "TYPE_INVALID":
            entry["data_type"] = element.type
        if not entry.get("dims"):
            _dims(config, entry, element, batches)


def _others(config: dict[str, Any]) -> set[str]:
    """Return the names of the tensors that the server makes itself."""
    sequence = config.get("sequence_batching", {})
    names = {entry["name"] for entry in sequence.get("control_input", ())}
    names |= {state[side] for state in sequence.get("state", ()) for side in ("input_name", "output_name")}
    return names.union(*(entry.get("target_name", ()) for entry in config.get("batch_input", ())))


def _dims(config: dict[str, Any], entry: dict[str, Any], element: Element, batches: bool) -> None:
    if not element.shape:
        raise pb_utils.TritonModelException(
            f"Unable to autofill for '{config['name']}': the rank of model tensor '{entry['name']}' is 0 and "
            "dimensions are not defined"
        )
    dims = element.shape[1 if batches else 0 :]
    entry["dims"] = dims or [1]
    if not dims:
        entry["reshape"] = {"shape": []}
