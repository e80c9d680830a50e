"""Opens a plan of TensorRT, and says what its tensors are."""

from __future__ import annotations

import ctypes
import json
import os
import re
from pathlib import Path
from typing import Any

import tensorrt as trt

import triton_python_backend_utils as pb_utils

_OLDEST = (8, 5)  # from here on tensors have names in TensorRT's interface
_HEAD, _VERSION = b"ftrt\0\0\0\0", slice(24, 28)  # configedit/modelfile reads the head of a plan too
TYPES = {
    "FLOAT": "TYPE_FP32",
    "HALF": "TYPE_FP16",
    "BF16": "TYPE_BF16",
    "INT8": "TYPE_INT8",
    "UINT8": "TYPE_UINT8",
    "INT32": "TYPE_INT32",
    "INT64": "TYPE_INT64",
    "BOOL": "TYPE_BOOL",
}


class Log(trt.ILogger):
    """Sends what TensorRT says to the model's log, and keeps the errors."""

    def __init__(self) -> None:
        trt.ILogger.__init__(self)
        self.errors: list[str] = []

    def log(self, severity: Any, msg: str) -> None:
        """Take a message."""
        kinds = trt.ILogger.Severity
        if severity in (kinds.INTERNAL_ERROR, kinds.ERROR):
            self.errors.append(msg)
            pb_utils.Logger.log_error(msg)
        elif severity == kinds.WARNING:
            pb_utils.Logger.log_warn(msg)
        elif severity == kinds.INFO:
            pb_utils.Logger.log_verbose(msg)

    def why(self) -> str:
        """Give the errors since the last call."""
        said, self.errors = "; ".join(self.errors), []
        return said or "TensorRT gives no reason"


def settings() -> dict[str, str]:
    """Give what --backend-config=tensorrt,KEY=VALUE sets."""
    return json.loads(os.environ.get("CONCH_BACKEND_SETTINGS", "{}"))


def file_of(config: dict[str, Any], capability: str) -> Path:
    """Give the plan for GPUs of a compute capability."""
    name = config.get("cc_model_filenames", {}).get(capability) or config.get("default_model_filename")
    return Path(pb_utils.get_model_dir()) / (name or "model.plan")


class Plan:
    """A plan that is open. The GPU on which it runs is current."""

    def __init__(self, file: Path) -> None:
        if tuple(int(part) for part in re.findall(r"\d+", trt.__version__)[:2]) < _OLDEST:
            raise pb_utils.TritonModelException(
                f"TensorRT {trt.__version__} is too old: version 8.5 or newer is needed"
            )
        self.log = Log()
        self._plugins()
        self._runtime = trt.Runtime(self.log)
        if self._runtime is None:
            raise pb_utils.TritonModelException(f"unable to create TensorRT runtime: {self.log.why()}")
        if settings().get("version-compatible", "").lower() in ("true", "1"):
            self._runtime.engine_host_code_allowed = True
        content = file.read_bytes()
        self.engine = self._runtime.deserialize_cuda_engine(content)
        if self.engine is None:
            raise pb_utils.TritonModelException(f"unable to create TensorRT engine: {reason(self.log.why(), content)}")
        engine = self.engine
        names = [engine.get_tensor_name(number) for number in range(engine.num_io_tensors)]
        self.inputs = [name for name in names if engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT]
        self.outputs = [name for name in names if name not in self.inputs]

    def _plugins(self) -> None:
        for library in filter(None, settings().get("plugins", "").split(";")):
            try:
                ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
            except OSError as error:  # Triton goes on too: another plan may need the library
                pb_utils.Logger.log_error(f"the library of plugins cannot be opened: {error}")
        trt.init_libnvinfer_plugins(self.log, "")

    def shape(self, name: str) -> list[int]:
        """Give the shape of a tensor; -1 where it varies."""
        return [int(size) for size in self.engine.get_tensor_shape(name)]

    def type(self, name: str) -> str:
        """Give the data type of a tensor, as configs name it."""
        found = self.engine.get_tensor_dtype(name)
        known = (ours for theirs, ours in TYPES.items() if getattr(trt.DataType, theirs, None) == found)
        return next(known, "TYPE_INVALID")

    def is_shape(self, name: str) -> bool:
        """Whether the values of a tensor are a shape."""
        return self.engine.is_shape_inference_io(name)

    def is_linear(self, name: str) -> bool:
        """Whether the values of a tensor lie one after the other."""
        return self.engine.get_tensor_format(name) == trt.TensorFormat.LINEAR

    def on_host(self, name: str) -> bool:
        """Whether TensorRT reads or writes a tensor in the memory of the processor."""
        return self.engine.get_tensor_location(name) == trt.TensorLocation.HOST

    def range(self, name: str, profile: int) -> list[list[int]]:
        """Give the least, the best and the largest shape that an input has in a profile."""
        return [[int(size) for size in shape] for shape in self.engine.get_tensor_profile_shape(name, profile)]

    def values(self, name: str, profile: int) -> list[list[int]]:
        """Give the least, the best and the largest values that a shape tensor has in a profile."""
        if hasattr(self.engine, "get_tensor_profile_values"):
            # Its documentation calls the first argument name, but it takes the profile there.
            return self.engine.get_tensor_profile_values(profile, name)
        return self.engine.get_profile_shape_input(profile, name)  # before TensorRT 10


def reason(said: str, content: bytes) -> str:
    """Say why a plan cannot be opened, and what to do about it. The version and the GPU are the usual reasons."""
    if not content:
        return "the file is empty"
    made = ""
    if content.startswith(_HEAD) and len(content) >= _VERSION.stop:
        made = ".".join(map(str, content[_VERSION]))
    capabilities = re.search(r"expecting compute ([\d.]+\d) got compute ([\d.]+\d)", said)
    if capabilities:
        here, there = capabilities.groups()
        return (
            f"the plan was made for GPUs of compute capability {there}, and this GPU has {here}: make the plan again "
            f"on this GPU ({said})"
        )
    if "version" in said.lower():
        other = f"TensorRT {made}" if made else "another version of TensorRT"
        wanted = ".".join(made.split(".")[:3]) + ".*" if made else "VERSION"
        return (
            f"the plan was made by {other}, and TensorRT {trt.__version__} runs here: make the plan again with this "
            f"version, or write tensorrt=={wanted} into a requirements.txt in the model's folder ({said})"
        )
    return said
