"""Which tensor of a config is which argument or result (docs/triton/backends.md, "TorchScript")."""

from __future__ import annotations

import re
from typing import Any

import triton_python_backend_utils as pb_utils

_INDEXED = re.compile(r"__(\d+)$")


def index_of(name: str) -> int | None:
    """The index in NAME__INDEX; None for another name."""
    found = _INDEXED.search(name)
    return int(found.group(1)) if found else None


def inputs(config: dict[str, Any], arguments: list[str] | None) -> dict[str, int] | None:
    """The place of each input among the arguments. None for a module with one argument that takes all by their names.

    Without names of arguments, none are compared.
    """
    if arguments is None:
        return None
    listed = input_names(config)
    if arguments and all(name in arguments for name in listed):
        return {name: arguments.index(name) for name in listed}
    return placed(listed)


def input_names(config: dict[str, Any]) -> list[str]:
    """The inputs, with the states and the controls of sequences."""
    sequences = config.get("sequence_batching", {})
    return [
        *(one["name"] for one in config["input"]),
        *(state["input_name"] for state in states(config)),
        *(control["name"] for control in sequences.get("control_input", [])),
    ]


def placed(listed: list[str]) -> dict[str, int]:
    """By the indices in the names when all have one, else by the order."""
    indices = [index_of(name) for name in listed]
    if any(index is None for index in indices):
        return ordered(listed)
    return {name: index for name, index in zip(listed, indices) if index is not None}


def ordered(listed: list[str]) -> dict[str, int]:
    """By the order."""
    return {name: at for at, name in enumerate(listed)}


def states(config: dict[str, Any]) -> list[dict[str, Any]]:
    """The states of sequences."""
    return config.get("sequence_batching", {}).get("state", [])


def of(result: dict[str, Any], name: str) -> Any:
    """An output of a module that returns them by name."""
    if name not in result:
        raise pb_utils.TritonModelException(f"output tensor '{name}' is not found")
    return result[name]
