"""The parameters of a config that the PyTorch backend reads (docs/triton/backends.md, "TorchScript")."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

import torch

TYPES = {
    torch.bool: "TYPE_BOOL",
    torch.uint8: "TYPE_UINT8",
    torch.int8: "TYPE_INT8",
    torch.int16: "TYPE_INT16",
    torch.int32: "TYPE_INT32",
    torch.int64: "TYPE_INT64",
    torch.float16: "TYPE_FP16",
    torch.float32: "TYPE_FP32",
    torch.float64: "TYPE_FP64",
}


def text(config: dict[str, Any], key: str) -> str | None:
    """The value of a parameter; None when it is not given."""
    found = config.get("parameters", {}).get(key)
    return None if found is None else found["string_value"]


def flag(config: dict[str, Any], key: str, usual: bool) -> bool:
    """The value of a parameter that is true or false, which the engine has checked."""
    given = text(config, key)
    return usual if given is None else given.lower() in ("true", "on", "1")


def count(config: dict[str, Any], key: str) -> int | None:
    """The value of a parameter that is a number of threads; None for PyTorch's own."""
    found = re.match(r"\s*[+-]?\d+", text(config, key) or "")
    return int(found.group()) if found and int(found.group()) > 0 else None


def apply(config: dict[str, Any]) -> None:
    """Set what belongs to the process."""
    within = count(config, "INTRA_OP_THREAD_COUNT") or count(config, "NUM_THREADS")
    between = count(config, "INTER_OP_THREAD_COUNT") or count(config, "NUM_INTEROP_THREADS")
    torch.set_num_threads(within or len(os.sched_getaffinity(0)))
    if between:
        torch.set_num_interop_threads(between)
    if flag(config, "DISABLE_CUDNN", False):
        torch.backends.cudnn.enabled = False


def guard(config: dict[str, Any]) -> Callable[[], AbstractContextManager[Any]]:
    """What every call is made in."""
    return torch.inference_mode if flag(config, "INFERENCE_MODE", True) else torch.no_grad


def optimized(config: dict[str, Any]) -> bool:
    """Whether TorchScript optimizes what it runs."""
    return not flag(config, "DISABLE_OPTIMIZED_EXECUTION", False)


def device(args: dict[str, str]) -> torch.device:
    """The device of the instance."""
    if args["model_instance_kind"] == "GPU":
        return torch.device(f"cuda:{args['model_instance_device_id']}")
    return torch.device("cpu")
