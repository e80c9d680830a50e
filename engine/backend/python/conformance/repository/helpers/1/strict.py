"""Uses of triton_python_backend_utils that its C++ refuses, and what its objects are like."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable

import c_python_backend_utils as c_utils
import numpy as np
import triton_python_backend_utils as pb_utils

Probes = dict[str, Callable[[], object]]


def accepted(value: object) -> str:
    """Say that there was no error; the text of a probe would be an address."""
    return f"accepted as {type(value).__name__}"


def described(value: object) -> str:
    """Name a value, as all versions of NumPy do."""
    kind = type(value).__name__
    if isinstance(value, (list, tuple)):
        return f"{kind} of {', '.join(described(v) for v in value)}"
    if isinstance(value, dict):
        return f"{kind} of {', '.join(described(v) for item in value.items() for v in item)}"
    return kind if isinstance(value, pb_utils.Tensor) or value is None else f"{kind} {value!s}"


def arguments() -> Probes:
    """Arguments of the functions and of the classes."""
    kind, memory = pb_utils.MetricFamily, pb_utils.PreferredMemory
    return {
        "is_model_ready: version as a number": lambda: pb_utils.is_model_ready("helpers", 1),
        "is_model_ready: no name": lambda: pb_utils.is_model_ready(None),
        "load_model: name": lambda: pb_utils.load_model(5),
        "load_model: config": lambda: pb_utils.load_model("nope", config={"a": 1}),
        "load_model: content": lambda: pb_utils.load_model("nope", files={"file:x": "text"}),
        "load_model: no config": lambda: pb_utils.load_model("nope", None),
        "unload_model: name": lambda: pb_utils.unload_model(5),
        "unload_model: number for a bool": lambda: pb_utils.unload_model("nope", unload_dependents=1),
        "family: number as kind": lambda: accepted(kind(name="strict_a", description="", kind=0)),
        "family: text as kind": lambda: accepted(kind(name="strict_b", description="", kind="COUNTER")),
        "family: no description": lambda: accepted(kind(name="strict_c", description=None, kind=kind.GAUGE)),
        "family: number as name": lambda: accepted(kind(name=5, description="", kind=kind.GAUGE)),
        "log: text as level": lambda: pb_utils.Logger.log("x", "INFO"),
        "log: number as level": lambda: pb_utils.Logger.log("x", 1),
        "log: an object of the class": lambda: accepted(pb_utils.Logger()),
        "error: number as code": lambda: accepted(pb_utils.TritonError("x", 5)),
        "error: number as text": lambda: accepted(pb_utils.TritonError(5)),
        "response: None for the outputs": lambda: accepted(pb_utils.InferenceResponse(None)),
        "response: None as an output": lambda: accepted(pb_utils.InferenceResponse([None])),
        "tensor: bytes as name": lambda: pb_utils.Tensor(b"T", np.zeros(1)).name(),
        "memory: number": lambda: accepted(memory(1)),
        "memory: device": lambda: accepted(memory(pb_utils.TRITONSERVER_MEMORY_CPU, "x")),
    }


def made() -> Probes:
    """Arguments of requests that a model makes."""
    one = pb_utils.Tensor("T", np.zeros(1, np.float32))

    def request(**more: object) -> pb_utils.InferenceRequest:
        given = {"model_name": "m", "inputs": [one], "requested_output_names": ["O"], **more}
        return pb_utils.InferenceRequest(**given)

    def flagged(flags: object) -> int:
        changed = request()
        changed.set_flags(flags)
        return changed.flags()

    wrong: dict[str, list] = {
        "inputs": [None, [None], one, (one,)],
        "requested_output_names": [None, "O", [1], [""], [b"O"]],
        "model_name": [5, b"m"],
        "model_version": ["1", 1.0, np.int64(1)],
        "request_id": [5, None, b"x"],
        "correlation_id": [1.5, np.uint64(5), True],
        "flags": [-1, "1", None, True, 2**32],
        "timeout": [-1, 1.5, "5", None, 2**63],
        "preferred_memory": [5, None],
        "trace": [5, None],
        "parameters": [{1: 2}, {"a": None}, {"a": np.int64(1)}, {}],
    }
    probes = {
        f"{name}: {described(value)}": lambda name=name, value=value: accepted(request(**{name: value}))
        for name, values in wrong.items()
        for value in values
    }
    return {
        **probes,
        "bytes are text": lambda: [request(request_id=b"x").request_id(), request(flags=True).flags()],
        "set_flags: text": lambda: flagged("1"),
        "set_flags: below zero": lambda: flagged(-1),
        "set_flags: too large": lambda: flagged(2**40),
        "set_release_flags: text": lambda: request().set_release_flags("x"),
    }


def objects() -> Probes:
    """What the objects are like."""
    one = pb_utils.Tensor("T", np.zeros(1, np.float32))
    request = pb_utils.InferenceRequest(model_name="m", inputs=[one], requested_output_names=["O"])
    kept = {
        "tensor": one,
        "request": request,
        "response": pb_utils.InferenceResponse([one]),
        "error": pb_utils.TritonError("x"),
        "sender": request.get_response_sender(),
    }
    level, kind = pb_utils.Logger.INFO, pb_utils.MetricFamily.HISTOGRAM
    return {
        **{f"pickle of a {name}": (lambda value=value: accepted(pickle.dumps(value))) for name, value in kept.items()},
        **{f"copy of a {name}": (lambda value=value: accepted(copy.deepcopy(value))) for name, value in kept.items()},
        "inputs is a list of its own": lambda: request.inputs() is request.inputs(),
        "a kind of metric": lambda: [str(kind), repr(kind), int(kind), kind.name],
        "a level": lambda: [str(level), repr(level), int(level), level.name],
        "a place in memory": lambda: [str(pb_utils.TRITONSERVER_MEMORY_GPU), repr(pb_utils.TRITONSERVER_MEMORY_CPU)],
        "a code": lambda: [int(pb_utils.TritonError("x").code()), pb_utils.TritonError("x").code().name],
        "kinds of the second module": lambda: [str(c_utils.COUNTER), str(c_utils.MetricKind.GAUGE)],
        "numbers of Python as data types": lambda: [pb_utils.numpy_to_triton_type(t) for t in [float, bool, "int32"]],
        "a type as a dtype": lambda: pb_utils.numpy_to_triton_type(np.dtype("float32")),
        "serialize numpy.bytes_": lambda: repr(
            pb_utils.serialize_byte_tensor(np.array([np.bytes_(b"q"), b"r"], dtype=object))
        ),
        "decoupled of an empty policy": lambda: pb_utils.using_decoupled_model_transaction_policy(
            {"model_transaction_policy": {}}
        ),
        "names of a star import": starred,
    }


def starred() -> list[str]:
    """Import all names."""
    names: dict = {}
    exec("from triton_python_backend_utils import *", names)
    return sorted(n for n in ("np", "json", "struct", "Tensor", "get_input_tensor_by_name") if n in names)
