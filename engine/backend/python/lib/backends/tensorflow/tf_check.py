"""Compares a config with the signature of a graph, in the words of Triton's TensorFlow backend."""

from __future__ import annotations

from typing import Any

from tf_graph import Element, Signature

import triton_python_backend_utils as pb_utils


def check(config: dict[str, Any], signature: Signature, saved: bool) -> None:
    """Raise an error where they do not fit. Of a plain graph only the names count."""
    name, inputs = config["name"], config.get("input", [])
    expected = len(inputs) + len(_made(config))
    if saved and expected != len(signature.inputs) and not config.get("sequence_batching", {}).get("state"):
        raise pb_utils.TritonModelException(
            f"unable to load model '{name}', configuration expects {expected} inputs, model provides "
            f"{len(signature.inputs)}"
        )
    for kind, entries, known in (
        ("input", inputs, signature.inputs),
        ("output", config.get("output", []), signature.outputs),
    ):
        for entry in entries:
            element = known.get(entry["name"])
            if element is None:
                raise pb_utils.TritonModelException(
                    f"unexpected inference {kind} '{entry['name']}', allowed {kind}s are: {', '.join(known)}"
                    if saved or kind == "input"
                    else f"unexpected inference output '{entry['name']}'"  # each operation of a graph may be one
                )
            if saved:
                _type(config, kind, entry, element)
                _dims(config, entry, element)


def _made(config: dict[str, Any]) -> set[str]:
    """Return the names of the inputs that the server makes."""
    names = {entry["name"] for entry in config.get("sequence_batching", {}).get("control_input", ())}
    return names.union(*(entry.get("target_name", ()) for entry in config.get("batch_input", ())))


def _type(config: dict[str, Any], kind: str, entry: dict[str, Any], element: Element) -> None:
    if entry["data_type"] != element.type:
        raise pb_utils.TritonModelException(
            f"unable to load model '{config['name']}', configuration expects datatype {entry['data_type']} for {kind} "
            f"'{entry['name']}', model provides {element.type}"
        )


def _dims(config: dict[str, Any], entry: dict[str, Any], element: Element) -> None:
    if element.shape is None or entry.get("allow_ragged_batch"):
        return
    dims = [int(d) for d in (entry["reshape"].get("shape", []) if "reshape" in entry else entry["dims"])]
    begin = f"model '{config['name']}', tensor '{entry['name']}': "
    batches = config.get("max_batch_size", 0) > 0
    if batches and (not element.shape or element.shape[0] != -1):
        raise pb_utils.TritonModelException(
            f"{begin}for the model to support batching the shape should have at least 1 dimension and the first "
            f"dimension must be -1; but shape expected by the model is {_shown(element.shape)}"
        )
    full = [-1, *dims] if batches else dims
    if len(full) == len(element.shape) and all(m in (-1, c) for m, c in zip(element.shape, full)):
        return
    why = (
        f"an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making complete "
        f"shape {_shown(full)}"
        if batches
        else f"shape {_shown(full)}"
    )
    raise pb_utils.TritonModelException(
        f"{begin}the model expects {len(element.shape)} dimensions (shape {_shown(element.shape)}) but the model "
        f"configuration specifies {len(full)} dimensions ({why})"
    )


def _shown(shape: list[int]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"
