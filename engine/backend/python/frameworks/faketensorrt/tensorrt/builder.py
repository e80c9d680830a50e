"""The builder of the fake: from an ONNX model to a plan that copies x to y.

FAKE_BUILD, where it is set, is the folder that gets what the builder was told, as settings.json. With FAKE_HANGS a
build does not end; the folder gets the number of its process, as process.
"""

import enum
import json
import os
import time
from pathlib import Path
from typing import Any

import tensorrt as trt

_TYPES = {1: "FLOAT", 10: "HALF", 6: "INT32"}  # by the numbers of ONNX

BuilderFlag = enum.Enum("BuilderFlag", ["FP16", "INT8", "TF32", *([] if trt.OLD else ["BF16"])])
MemoryPoolType = enum.Enum("MemoryPoolType", ["WORKSPACE", "DLA_LOCAL_DRAM"])


class NetworkDefinitionCreationFlag(enum.IntEnum):
    """Flags of a network."""

    EXPLICIT_BATCH = 0


class IProgressMonitor(trt._Bound):
    """What is told how far a build is."""


class _Tensor:
    def __init__(self, value: Any) -> None:
        kind = value.type.tensor_type
        self.name, self.type = value.name, _TYPES[kind.elem_type]
        self.shape = tuple(dim.dim_value if dim.HasField("dim_value") else -1 for dim in kind.shape.dim)
        self.is_shape_tensor = False


class _Layer:
    def __init__(self, node: Any) -> None:
        names = {"QuantizeLinear": "QUANTIZE", "DequantizeLinear": "DEQUANTIZE"}
        self.type = f"LayerType.{names.get(node.op_type, node.op_type.upper())}"


class _Network:
    def __init__(self, flags: int) -> None:
        self.flags = flags
        self.inputs: list[_Tensor] = []
        self.outputs: list[_Tensor] = []
        self.layers: list[_Layer] = []

    num_inputs = property(lambda self: len(self.inputs))
    num_layers = property(lambda self: len(self.layers))

    def get_input(self, index: int) -> _Tensor:
        """Give an input."""
        return self.inputs[index]

    def get_layer(self, index: int) -> _Layer:
        """Give a layer."""
        return self.layers[index]


class _Problem:
    def __init__(self, text: str) -> None:
        self._text = text

    def desc(self) -> str:
        """Say what is wrong."""
        return self._text


class OnnxParser:
    """Reads ONNX models whose operators are Identity."""

    def __init__(self, network: _Network, logger: trt.ILogger) -> None:
        assert logger.made
        self._network, self._problems = network, []

    num_errors = property(lambda self: len(self._problems))

    def get_error(self, index: int) -> _Problem:
        """Give an error."""
        return self._problems[index]

    def parse_from_file(self, model: str) -> bool:
        """Read a file."""
        import onnx  # plans alone need no such package

        graph = onnx.load(model).graph
        for node in graph.node:
            if node.op_type != "Identity":
                self._problems.append(_Problem(f"No importer registered for op: {node.op_type}"))
        self._network.inputs = [_Tensor(value) for value in graph.input]
        self._network.outputs = [_Tensor(value) for value in graph.output]
        self._network.layers = [_Layer(node) for node in graph.node]
        return not self._problems


class _Profile:
    def __init__(self) -> None:
        self.shapes: dict[str, list[list[int]]] = {}

    def set_shape(self, input: str, min: tuple, opt: tuple, max: tuple) -> None:
        """Set the shapes of an input."""
        self.shapes[input] = [list(min), list(opt), list(max)]


class _Config:
    def __init__(self) -> None:
        self.flags, self.pools, self.profiles = {"TF32"}, {}, []
        self.progress_monitor = None

    def set_flag(self, flag: BuilderFlag) -> None:
        """Set a flag."""
        self.flags.add(flag.name)

    def clear_flag(self, flag: BuilderFlag) -> None:
        """Take a flag away."""
        self.flags.discard(flag.name)

    def set_memory_pool_limit(self, pool: MemoryPoolType, pool_size: int) -> None:
        """Bound memory."""
        self.pools[pool.name] = pool_size

    def add_optimization_profile(self, profile: _Profile) -> int:
        """Add a profile; -1 where its shapes are in the wrong order."""
        for least, best, most in profile.shapes.values():
            if not all(a <= b <= c for a, b, c in zip(least, best, most, strict=True)):
                return -1
        self.profiles.append(profile.shapes)
        return len(self.profiles) - 1


class Builder:
    """Builds plans."""

    def __init__(self, logger: trt.ILogger) -> None:
        assert logger.made
        self._log = logger.log

    def create_network(self, flags: int = 0) -> _Network:
        """Make an empty network. Before version 10 only those with an explicit batch read ONNX models."""
        assert not trt.OLD or flags == 1, "EXPLICIT_BATCH is missing"
        return _Network(flags)

    def create_builder_config(self) -> _Config:
        """Make settings."""
        return _Config()

    def create_optimization_profile(self) -> _Profile:
        """Make a profile."""
        return _Profile()

    def build_serialized_network(self, network: _Network, config: _Config) -> bytes | None:
        """Build a plan; None when that is not possible, with the reason in the log."""
        if "FAKE_BUILD" in os.environ:
            told = {"flags": sorted(config.flags), "pools": config.pools, "profiles": config.profiles}
            told["order"] = os.environ.get("CUDA_DEVICE_ORDER")
            (Path(os.environ["FAKE_BUILD"]) / "settings.json").write_text(json.dumps(told))
        if config.pools.get("WORKSPACE") == 1 << 20:
            self._log(trt.ILogger.Severity.ERROR, "10: Could not find any implementation for node y")
            return None
        self._log(trt.ILogger.Severity.WARNING, "a weight is smaller than FP16 can say")
        monitor = config.progress_monitor
        if "FAKE_HANGS" in os.environ:
            (Path(os.environ["FAKE_BUILD"]) / "process").write_text(str(os.getpid()))
            monitor.phase_start("Building engine", None, 2)
            monitor.step_complete("Building engine", 0)
            time.sleep(3600)
        if monitor is not None:
            monitor.phase_start("Building engine", None, 2)
            for step in range(2):
                monitor.step_complete("Building engine", step)
            monitor.phase_finish("Building engine")
        tensors = [("INPUT", tensor) for tensor in network.inputs] + [("OUTPUT", tensor) for tensor in network.outputs]
        plan = {
            "compute": "8.6",
            "tensors": [
                {"name": t.name, "mode": mode, "type": t.type, "shape": list(t.shape), "what": "copy"}
                for mode, t in tensors
            ],
            "profiles": config.profiles or [{}],
        }
        version = bytes(int(part) for part in trt.__version__.split(".")[:3])
        return b"ftrt" + bytes(20) + version + b"\0" + json.dumps(plan).encode()
