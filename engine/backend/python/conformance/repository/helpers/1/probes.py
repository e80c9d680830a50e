"""Small uses of triton_python_backend_utils, in groups; each gives what it saw, or what was raised."""

from __future__ import annotations

from collections.abc import Callable

import c_python_backend_utils as c_utils
import numpy as np
import strict
import triton_python_backend_utils as pb_utils

Probes = dict[str, Callable[[], object]]


def run(probe: Callable[[], object]) -> object:
    """Run one, and make what it gives fit for JSON."""
    try:
        return readable(probe())
    except TypeError:
        return "TypeError"  # its text is pybind's in the real server
    except Exception as e:
        return f"{type(e).__name__}: {e}"


def readable(value: object) -> object:
    """Make a value fit for JSON."""
    if isinstance(value, np.ndarray):
        return [str(value.dtype), list(value.shape), [repr(v) for v in value.flatten().tolist()]]
    if isinstance(value, pb_utils.Tensor):
        return [value.name(), readable(value.as_numpy())]
    if isinstance(value, (list, tuple, set)):
        return [readable(v) for v in value]
    if isinstance(value, dict):
        return {str(k): readable(v) for k, v in value.items()}
    if isinstance(value, type):
        return value.__name__.rstrip("_")  # np.bool_ is called bool from NumPy 2 on
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)


def group(name: str, request: pb_utils.InferenceRequest, config: dict) -> Probes:
    """Give the probes of a group."""
    made = {
        "tensor": tensor,
        "exchange": exchange,
        "request": requests,
        "response": responses,
        "constants": constants,
        "bytes": texts,
        "module": module,
        "arguments": strict.arguments,
        "made": strict.made,
        "objects": strict.objects,
    }
    return made[name]() if name in made else of_config(config)


SHARED = (
    "InferenceRequest",
    "InferenceResponse",
    "Logger",
    "MetricFamily",
    "PreferredMemory",
    "TRITONSERVER_MEMORY_CPU",
    "TRITONSERVER_MEMORY_GPU",
    "Tensor",
    "TritonError",
    "TritonModelException",
    "is_model_ready",
    "load_model",
    "unload_model",
)


def module() -> Probes:
    """The second module that has these names, from which models import them too."""
    same = {name: (lambda name=name: getattr(c_utils, name) is getattr(pb_utils, name)) for name in SHARED}
    other = ("InferenceResponseSender", "InferenceTrace", "Metric")
    return {**same, **{name: (lambda name=name: getattr(c_utils, name)) for name in other}}


def tensor() -> Probes:
    """Tensors."""
    one = pb_utils.Tensor("T", np.arange(6, dtype=np.int16).reshape(2, 3))
    return {
        "name": one.name,
        "as_numpy": one.as_numpy,
        "shape": lambda: list(one.shape()),
        "is_cpu": one.is_cpu,
        "triton_dtype": lambda: str(one.triton_dtype()),
        "same memory": lambda: np.shares_memory(one.as_numpy(), one.as_numpy()),
        "keyword": lambda: pb_utils.Tensor(name="T", ndarray=np.zeros(1)).name(),
        "list": lambda: pb_utils.Tensor("T", [1, 2]),
        "no name": lambda: pb_utils.Tensor(7, np.zeros(1)),
        "unicode": lambda: pb_utils.Tensor("T", np.array(["a"])),
        "complex": lambda: pb_utils.Tensor("T", np.zeros(1, np.complex64)),
        "date": lambda: pb_utils.Tensor("T", np.zeros(1, "datetime64[s]")),
        "big endian": lambda: pb_utils.Tensor("T", np.array([1, 2], ">i4")),
        "scalar": lambda: pb_utils.Tensor("T", np.array(7)),
        "numpy scalar": lambda: pb_utils.Tensor("T", np.int32(7)),
        "empty": lambda: pb_utils.Tensor("T", np.zeros([0, 3], np.float16)),
        "fixed bytes": lambda: pb_utils.Tensor("T", np.array([b"ab", b"c"])),
        "strings": lambda: pb_utils.Tensor("T", np.array(["ab", "ü"], dtype=object)),
        "transposed": lambda: pb_utils.Tensor("T", one.as_numpy().T),
    }


def exchange() -> Probes:
    """Tensors of other libraries."""
    one = pb_utils.Tensor("T", np.arange(6, dtype=np.int16).reshape(2, 3))
    fixed = pb_utils.Tensor("T", np.frombuffer(b"\1\0\2\0", dtype=np.int16))
    taken = pb_utils.Tensor.from_dlpack("D", np.arange(3, dtype=np.float32))
    return {
        "from numpy": lambda: pb_utils.Tensor.from_dlpack("D", np.arange(3, dtype=np.float32)),
        "from capsule": lambda: pb_utils.Tensor.from_dlpack("D", np.arange(3).__dlpack__()),
        "from wrong": lambda: pb_utils.Tensor.from_dlpack("D", 7),
        "from transposed": lambda: pb_utils.Tensor.from_dlpack("D", np.zeros((2, 3)).T),
        "read-only": lambda: np.from_dlpack(fixed),
        "taken and given": lambda: np.from_dlpack(taken),
        "taken and changed": lambda: np.add(taken.as_numpy(), 1, out=taken.as_numpy()),
        "to_dlpack": lambda: "dltensor" in str(one.to_dlpack()),
        "numpy from dlpack": lambda: np.from_dlpack(one),
        "dlpack device": lambda: [int(v) for v in one.__dlpack_device__()],
        "dlpack of bytes": lambda: pb_utils.Tensor("T", np.array([b"a"], dtype=object)).to_dlpack(),
    }


def requests() -> Probes:
    """Requests that a model makes."""
    one = pb_utils.Tensor("T", np.zeros(1, np.float32))

    def made(**more: object) -> pb_utils.InferenceRequest:
        return pb_utils.InferenceRequest(model_name="m", inputs=[one], requested_output_names=["O"], **more)

    def flagged() -> int:
        request = made(flags=1)
        request.set_flags(2)
        return request.flags()

    memory = lambda: pb_utils.PreferredMemory(pb_utils.TRITONSERVER_MEMORY_CPU, 0)  # noqa: E731
    return {
        "defaults": lambda: [
            made().request_id(),
            made().correlation_id(),
            made().flags(),
            made().timeout(),
            made().parameters(),
        ],
        "given": lambda: [
            made(request_id="r", correlation_id=7).request_id(),
            made(correlation_id=7).correlation_id(),
            made(timeout=9).timeout(),
            made(flags=3).flags(),
        ],
        "text as correlation id": lambda: made(correlation_id="seven").correlation_id(),
        "set_flags": flagged,
        "parameters": lambda: made(parameters={"a": 1, "b": "x", "c": True}).parameters(),
        "float parameter": lambda: made(parameters={"a": 1.5}).parameters(),
        "list parameter": lambda: made(parameters={"a": [1]}).parameters(),
        "without a model": lambda: pb_utils.InferenceRequest(inputs=[one], requested_output_names=[]),
        "without outputs": lambda: pb_utils.InferenceRequest(model_name="m", inputs=[one]),
        "no tensors": lambda: pb_utils.InferenceRequest(model_name="m", inputs=[1], requested_output_names=[]),
        "inputs": lambda: made().inputs(),
        "outputs": lambda: sorted(made().requested_output_names()),
        "type of outputs": lambda: type(made().requested_output_names()),
        "preferred memory": lambda: type(made(preferred_memory=memory())),
        "sender of a made request": lambda: type(made().get_response_sender()),
    }


def responses() -> Probes:
    """Responses and errors."""
    one = pb_utils.Tensor("T", np.zeros(1, np.float32))
    error = pb_utils.TritonError("why")
    return {
        "plain": lambda: [pb_utils.InferenceResponse([one]).has_error(), pb_utils.InferenceResponse([one]).error()],
        "keyword": lambda: pb_utils.InferenceResponse(output_tensors=[one]).output_tensors(),
        "error": lambda: pb_utils.InferenceResponse(error=error).has_error(),
        "error's text": lambda: pb_utils.InferenceResponse(error=error).error().message(),
        "error's code": lambda: pb_utils.InferenceResponse(error=error).error().code() == pb_utils.TritonError.INTERNAL,
        "outputs of an error": lambda: len(pb_utils.InferenceResponse([one], error).output_tensors()),
        "text as error": lambda: pb_utils.InferenceResponse(error="why"),
        "nothing": lambda: len(pb_utils.InferenceResponse().output_tensors()),
        "no tensors": lambda: pb_utils.InferenceResponse([1]),
        "parameters": lambda: pb_utils.InferenceResponse([one], parameters={"a": 1}).parameters(),
        "float parameter": lambda: pb_utils.InferenceResponse([one], parameters={"a": 1.5}),
        "by name": lambda: pb_utils.get_output_tensor_by_name(pb_utils.InferenceResponse([one]), "T"),
        "by unknown name": lambda: pb_utils.get_output_tensor_by_name(pb_utils.InferenceResponse([one]), "X"),
        "str of an error": lambda: str(pb_utils.TritonError("why")) != "",
        "model exception": lambda: issubclass(pb_utils.TritonModelException, Exception),
    }


def constants() -> Probes:
    """Constants, and which names there are."""
    wanted = [
        *[
            "Tensor",
            "InferenceRequest",
            "InferenceResponse",
            "TritonError",
            "TritonModelException",
            "Logger",
            "LogLevel",
        ],
        *["MetricFamily", "PreferredMemory", "InferenceTrace", "ModelConfig", "load_model", "unload_model"],
        *["is_model_ready", "get_model_dir", "get_input_tensor_by_name", "get_output_tensor_by_name"],
        *["get_input_config_by_name", "get_output_config_by_name", "using_decoupled_model_transaction_policy"],
        *["triton_string_to_numpy", "triton_to_numpy_type", "numpy_to_triton_type", "serialize_byte_tensor"],
        *["deserialize_bytes_tensor", "TRITON_STRING_TO_NUMPY", "TRITONSERVER_MEMORY_CPU", "TRITONSERVER_MEMORY_GPU"],
        *["InferenceResponseSender", "ResponseIterator", "np", "json", "struct"],
    ]
    codes = ["UNKNOWN", "INTERNAL", "NOT_FOUND", "INVALID_ARG", "UNAVAILABLE"]
    codes += ["UNSUPPORTED", "ALREADY_EXISTS", "CANCELLED"]
    flags = [
        "TRITONSERVER_REQUEST_FLAG_SEQUENCE_START",
        "TRITONSERVER_REQUEST_FLAG_SEQUENCE_END",
        "TRITONSERVER_RESPONSE_COMPLETE_FINAL",
        "TRITONSERVER_REQUEST_RELEASE_ALL",
        "TRITONSERVER_REQUEST_RELEASE_RESCHEDULE",
    ]
    return {
        "missing names": lambda: [n for n in wanted if not hasattr(pb_utils, n)],
        "codes": lambda: {c: int(getattr(pb_utils.TritonError, c)) for c in codes},
        "flags": lambda: [int(getattr(pb_utils, f)) for f in flags],
        "levels": lambda: [int(getattr(pb_utils.LogLevel, n)) for n in ["INFO", "WARNING", "ERROR", "VERBOSE"]],
        "levels of the logger's class": lambda: pb_utils.Logger.INFO == pb_utils.Logger.LogLevel.INFO,
        "levels of the logger": lambda: pb_utils.Logger.INFO == pb_utils.LogLevel.INFO,
        "memory": lambda: [int(pb_utils.TRITONSERVER_MEMORY_CPU), int(pb_utils.TRITONSERVER_MEMORY_GPU)],
        "kinds": lambda: [str(k) for k in [pb_utils.MetricFamily.COUNTER, pb_utils.MetricFamily.GAUGE]],
        "histogram": lambda: str(pb_utils.MetricFamily.HISTOGRAM),
        "members of Tensor": lambda: members(pb_utils.Tensor),
        "members of InferenceRequest": lambda: members(pb_utils.InferenceRequest),
        "members of InferenceResponse": lambda: members(pb_utils.InferenceResponse),
        "members of TritonError": lambda: members(pb_utils.TritonError),
        "table": lambda: pb_utils.TRITON_STRING_TO_NUMPY,
    }


def members(kind: type) -> list[str]:
    """List the members of a class that people use."""
    return sorted(n for n in vars(kind) if not n.startswith("_") and n not in ("name", "value"))


def texts() -> Probes:
    """Bytes and data types."""
    array = np.array([b"a\x00b", "ü", b""], dtype=object)
    return {
        "serialize": lambda: repr(pb_utils.serialize_byte_tensor(array)),
        "serialize empty": lambda: repr(pb_utils.serialize_byte_tensor(np.array([], dtype=object))),
        "serialize fixed": lambda: repr(pb_utils.serialize_byte_tensor(np.array([b"ab", b"c"]))),
        "serialize numbers": lambda: repr(pb_utils.serialize_byte_tensor(np.zeros(2))),
        "deserialize": lambda: pb_utils.deserialize_bytes_tensor(b"\x01\x00\x00\x00a\x00\x00\x00\x00"),
        "deserialize damaged": lambda: pb_utils.deserialize_bytes_tensor(b"\x05\x00\x00\x00a"),
        "string to numpy": lambda: {
            t: pb_utils.triton_string_to_numpy(t) for t in ["TYPE_BOOL", "TYPE_FP16", "TYPE_STRING"]
        },
        "string to numpy, BF16": lambda: pb_utils.triton_string_to_numpy("TYPE_BF16"),
        "string to numpy, FP32": lambda: pb_utils.triton_string_to_numpy("FP32"),
        "to numpy": lambda: [pb_utils.triton_to_numpy_type(n) for n in range(1, 14)],
        "to numpy, 14": lambda: pb_utils.triton_to_numpy_type(14),
        "to triton": lambda: [pb_utils.numpy_to_triton_type(t) for t in [np.bool_, np.uint8, np.float16, np.object_]],
        "to triton, bytes": lambda: pb_utils.numpy_to_triton_type(np.bytes_),
        "to triton, complex": lambda: pb_utils.numpy_to_triton_type(np.complex64),
    }


def of_config(config: dict) -> Probes:
    """Helpers that read a config."""
    return {
        "input": lambda: pb_utils.get_input_config_by_name(config, "ASK"),
        "output": lambda: pb_utils.get_output_config_by_name(config, "SAID"),
        "unknown input": lambda: pb_utils.get_input_config_by_name(config, "X"),
        "unknown output": lambda: pb_utils.get_output_config_by_name(config, "X"),
        "decoupled": lambda: pb_utils.using_decoupled_model_transaction_policy(config),
        "config": lambda: config,
    }
