"""A fake of TensorRT's Python package, as its documentation and its sources say that it behaves.

A plan is TensorRT's head with a version, and a description in JSON (plans.py). FAKE_TENSORRT is the version of the
package: 8.x has other functions than 10 and later. It works on the memory of the fake driver beside it.
"""

import ctypes
import enum
import json
import os

import numpy as np

__version__ = os.environ.get("FAKE_TENSORRT", "10.3.0")
OLD = int(__version__.split(".")[0]) < 10

_KERNEL = ctypes.CFUNCTYPE(None)
cuda = ctypes.CDLL("libcuda.so.1")
cuda.fake_memory.restype = ctypes.c_void_p
cuda.fake_memory.argtypes = (ctypes.c_uint64, ctypes.c_size_t)
cuda.fake_run.argtypes = (_KERNEL, ctypes.c_void_p)
cuda.cuStreamSynchronize.argtypes = (ctypes.c_void_p,)

_NEWER = [] if OLD else ["BF16", "INT64"]
DataType = enum.Enum("DataType", ["FLOAT", "HALF", "INT8", "INT32", "BOOL", "UINT8", "FP8", *_NEWER])
TensorIOMode = enum.Enum("TensorIOMode", ["NONE", "INPUT", "OUTPUT"])
TensorLocation = enum.Enum("TensorLocation", ["DEVICE", "HOST"])
TensorFormat = enum.Enum("TensorFormat", ["LINEAR", "CHW32"])
if not OLD:
    _STRATEGIES = ["STATIC", "ON_PROFILE_CHANGE", "USER_MANAGED"]
    ExecutionContextAllocationStrategy = enum.Enum("ExecutionContextAllocationStrategy", _STRATEGIES)
_NUMPY = {
    "FLOAT": np.float32,
    "HALF": np.float16,
    "INT8": np.int8,
    "INT32": np.int32,
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "BF16": np.uint16,
    "INT64": np.int64,
}


class Dims:
    """A shape. It is no tuple."""

    def __init__(self, sizes: list[int]) -> None:
        self._sizes = list(sizes)

    def __len__(self) -> int:
        """Give the number of dimensions."""
        return len(self._sizes)

    def __getitem__(self, at: int) -> int:
        """Give a dimension."""
        return self._sizes[at]


class _Bound:
    """A class of C++: a subclass has to call its constructor."""

    def __init__(self) -> None:
        self.made = True


class ILogger(_Bound):
    """What gets messages."""

    Severity = enum.Enum("Severity", ["INTERNAL_ERROR", "ERROR", "WARNING", "INFO", "VERBOSE"])


class IOutputAllocator(_Bound):
    """What makes room for outputs whose shape is not known before."""


def init_libnvinfer_plugins(logger: ILogger, namespace: str) -> bool:
    """Register the plugins of TensorRT."""
    assert logger.made
    logger.log(ILogger.Severity.VERBOSE, "plugins are registered")
    return True


class Runtime:
    """Opens plans."""

    def __init__(self, logger: ILogger) -> None:
        assert logger.made, "ILogger.__init__() must be called"
        self._logger = logger
        if __version__ >= "8.6":
            self.engine_host_code_allowed = False

    def deserialize_cuda_engine(self, serialized_engine: bytes) -> "ICudaEngine | None":
        """Open a plan; None when that is not possible, with the reason in the log."""
        tell = self._logger.log
        try:
            made = ".".join(map(str, serialized_engine[24:27]))
            plan = json.loads(serialized_engine[28:])
        except ValueError:
            tell(ILogger.Severity.ERROR, "1: [stdArchiveReader] Magic tag does not match")
            return None
        version = ".".join(__version__.split(".")[:3])
        portable = plan.get("version_compatible") and getattr(self, "engine_host_code_allowed", False)
        if made != version and not portable:
            tell(
                ILogger.Severity.ERROR,
                "IRuntime::deserializeCudaEngine: Error Code 1: Serialization (Serialization assertion stdVersionRead "
                "== kSERIALIZATION_VERSION failed.Version tag does not match. Note: Current Version: 237, Serialized "
                "Engine Version: 239)",
            )
            return None
        if plan["compute"] != "8.6":
            tell(
                ILogger.Severity.ERROR,
                "IRuntime::deserializeCudaEngine: Error Code 6: API Usage Error (The engine plan file is generated on "
                f"an incompatible device, expecting compute 8.6 got compute {plan['compute']}, please rebuild.)",
            )
            return None
        return ICudaEngine(plan, self._logger)


class ICudaEngine:
    """A plan that is open."""

    def __init__(self, plan: dict, logger: ILogger) -> None:
        self._plan, self._logger = plan, logger
        self._tensors = {tensor["name"]: tensor for tensor in plan["tensors"]}
        self.num_io_tensors = len(self._tensors)
        self.num_optimization_profiles = len(plan["profiles"])
        self._taken: set[int] = set()
        if not OLD:
            self.get_tensor_profile_values = self._values
        else:
            self.get_profile_shape_input = self._values

    def get_tensor_name(self, index: int) -> str:
        """Give the name of a tensor."""
        return list(self._tensors)[index]

    def get_tensor_mode(self, name: str) -> TensorIOMode:
        """Say what a tensor is."""
        return TensorIOMode[self._tensors[name]["mode"]] if name in self._tensors else TensorIOMode.NONE

    def get_tensor_shape(self, name: str) -> Dims:
        """Give a shape; -1 where it varies."""
        return Dims(self._tensors[name]["shape"])

    def get_tensor_dtype(self, name: str) -> DataType:
        """Give a type."""
        return DataType[self._tensors[name]["type"]]

    def get_tensor_location(self, name: str) -> TensorLocation:
        """Say where a tensor lies: those that hold shapes lie on the host."""
        return TensorLocation.HOST if self.is_shape_inference_io(name) else TensorLocation.DEVICE

    def get_tensor_format(self, name: str) -> TensorFormat:
        """Say how a tensor lies."""
        return TensorFormat[self._tensors[name].get("format", "LINEAR")]

    def is_shape_inference_io(self, name: str) -> bool:
        """Say whether a tensor holds a shape."""
        return self._tensors[name].get("is_shape", False)

    def get_tensor_profile_shape(self, name: str, profile_index: int) -> list[Dims]:
        """Give the least, best and largest shape of an input."""
        shape = self._tensors[name]["shape"]
        given = self._plan["profiles"][profile_index].get(name)
        if given is None or self.is_shape_inference_io(name):
            given = [shape] * 3
        return [Dims(sizes) for sizes in given]

    def _values(self, profile: int, name: str) -> list[list[int]]:
        """Give the least, best and largest values. The number comes first, whatever the documentation says."""
        if not isinstance(profile, int) or not isinstance(name, str):
            raise TypeError("incompatible function arguments")
        if not self.is_shape_inference_io(name):
            raise RuntimeError("Binding index does not correspond to an input shape tensor.")
        return self._plan["profiles"][profile][name]

    def create_execution_context(self, *strategy: object) -> "IExecutionContext":
        """Make a context. The first one of an engine has profile 0, the others none."""
        if OLD and strategy:
            raise TypeError("incompatible function arguments")
        self._logger.log(ILogger.Severity.INFO, f"context {strategy}")
        return IExecutionContext(self)


from .builder import (  # noqa: E402, F401
    Builder,
    BuilderFlag,
    MemoryPoolType,
    NetworkDefinitionCreationFlag,
    OnnxParser,
)
from .context import IExecutionContext  # noqa: E402

if not OLD:
    from .builder import IProgressMonitor  # noqa: F401
