"""Runs a plan: the way of tensors to the GPU and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorrt as trt
from trt_check import written
from trt_cuda import Gpu, Memory
from trt_plan import Plan
from trt_profile import Profile, fitting

import triton_python_backend_utils as pb_utils

NUMPY = {**pb_utils.TRITON_STRING_TO_NUMPY, "TYPE_BOOL": np.bool_, "TYPE_BF16": np.uint16}  # BF16 are bits in NumPy


class Grown(trt.IOutputAllocator):
    """The memory of an output whose shape is known when it is computed."""

    def __init__(self) -> None:
        trt.IOutputAllocator.__init__(self)
        self.memory, self.shape = Memory(), ()

    def reallocate_output(self, tensor_name: str, memory: int, size: int, alignment: int) -> int:
        """Make room. TensorRT asks this while it works; 0 says that there is none."""
        try:
            return self.memory.reserve(size)
        except pb_utils.TritonModelException as error:
            pb_utils.Logger.log_error(f"output '{tensor_name}': {error}")
            return 0

    def reallocate_output_async(self, tensor_name: str, memory: int, size: int, alignment: int, stream: int) -> int:
        """Make room; the form since TensorRT 10."""
        return self.reallocate_output(tensor_name, memory, size, alignment)

    def notify_shape(self, tensor_name: str, shape: Any) -> None:
        """Take the shape."""
        self.shape = tuple(int(size) for size in shape)


class Runner:
    """A plan on a GPU, with the profiles of an instance."""

    def __init__(self, plan: Plan, gpu: Gpu, profiles: list[Profile], instance: str) -> None:
        self._plan, self._gpu, self._profiles, self._instance = plan, gpu, profiles, instance
        device = [name for name in (*plan.inputs, *plan.outputs) if not plan.on_host(name)]
        self._memory = {name: Memory() for name in device}
        self._grown: dict[str, Grown] = {}
        self.types = {name: np.dtype(NUMPY[plan.type(name)]) for name in (*plan.inputs, *plan.outputs)}

    def run(self, given: dict[str, np.ndarray], size: int) -> dict[str, np.ndarray]:
        """Run the plan once, for a batch of a size; 1 where the model has no batches."""
        arrays = {name: self._proper(name, array) for name, array in given.items()}
        context = fitting(self._profiles, arrays, size, self._instance).context
        self._plan.log.errors.clear()
        try:
            self._bind(context, arrays)
            made = self._outputs(context)
            if not context.execute_async_v3(self._gpu.stream):
                raise self._failed(f"unable to enqueue for inference {self._instance}")
            return self._fetched(made)
        finally:
            self._gpu.wait()  # until then the GPU reads and writes the arrays

    def close(self) -> None:
        """Give the memory back."""
        self._profiles.clear()
        for memory in (*self._memory.values(), *(grown.memory for grown in self._grown.values())):
            memory.free()

    def _proper(self, name: str, array: np.ndarray) -> np.ndarray:
        """Refuse what is not of the plan's type: TensorRT would read it as if it were."""
        if array.dtype != self.types[name]:
            raise pb_utils.TritonModelException(
                f"input '{name}' for {self._instance} has type {array.dtype}, and the plan takes {self.types[name]}"
            )
        return np.ascontiguousarray(array).reshape(array.shape)

    def _bind(self, context: Any, arrays: dict[str, np.ndarray]) -> None:
        """Tell the context the inputs."""
        for name, array in arrays.items():
            if -1 in self._plan.shape(name) and not context.set_input_shape(name, array.shape):
                shape = written(list(array.shape))
                raise self._failed(
                    f"trt failed to set binding dimension to {shape} for input '{name}' for {self._instance}"
                )
            if name in self._memory:
                self._gpu.send(array, self._memory[name])
                self._address(context, name, self._memory[name].address)
            else:
                self._address(context, name, array.ctypes.data)

    def _outputs(self, context: Any) -> dict[str, np.ndarray | None]:
        """Make the arrays of the outputs, and tell the context where they go. None are those of unknown shape."""
        made: dict[str, np.ndarray | None] = {}
        for name in self._plan.outputs:
            if name not in self._memory:
                made[name] = np.zeros(self._plan.shape(name), self.types[name])
                self._address(context, name, made[name].ctypes.data)
        try:
            unknown = context.infer_shapes()
        except RuntimeError:
            unknown = ["a tensor that TensorRT does not name"]
        if unknown:
            raise self._failed(
                "failed to specify the dimensions of all input tensors or values of all input shape tensors"
            )
        for name in self._plan.outputs:
            if name not in made:
                made[name] = self._output(context, name)
        return made

    def _output(self, context: Any, name: str) -> np.ndarray | None:
        shape = tuple(int(size) for size in context.get_tensor_shape(name))
        if -1 in shape:
            grown = self._grown.setdefault(name, Grown())
            context.set_output_allocator(name, grown)
            return None
        made = np.empty(shape, self.types[name])
        self._address(context, name, self._memory[name].reserve(made.nbytes))
        return made

    def _address(self, context: Any, name: str, address: int) -> None:
        if not context.set_tensor_address(name, address):
            raise self._failed(f"'{name}' does not map to an input or output tensor")

    def _fetched(self, made: dict[str, np.ndarray | None]) -> dict[str, np.ndarray]:
        """Begin to copy the outputs from the GPU."""
        found = {}
        for name, array in made.items():
            source = self._memory.get(name)
            if array is None:
                grown = self._grown[name]
                array, source = np.empty(grown.shape, self.types[name]), grown.memory
            if source is not None:
                self._gpu.fetch(source, array)
            found[name] = array
        return found

    def _failed(self, text: str) -> pb_utils.TritonModelException:
        return pb_utils.TritonModelException(f"{text}: {self._plan.log.why()}")
