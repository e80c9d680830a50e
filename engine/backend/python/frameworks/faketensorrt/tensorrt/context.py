"""Contexts of the fake: what they are told before a run, and the run."""

import ctypes
import math

import numpy as np
import tensorrt as trt


class IExecutionContext:
    """Runs a plan with one profile."""

    def __init__(self, engine: "trt.ICudaEngine") -> None:
        self._engine, self._log = engine, engine._logger.log
        self._profile = None
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._addresses: dict[str, int] = {}
        self._allocators: dict[str, trt.IOutputAllocator] = {}
        if not engine._taken:
            self._take(0)

    def _take(self, profile: int) -> bool:
        taken = self._engine._taken
        if profile in taken or not 0 <= profile < self._engine.num_optimization_profiles:
            self._error(f"Profile {profile} has been chosen by another IExecutionContext, or there is none")
            return False
        taken.discard(self._profile)
        taken.add(profile)
        self._profile, self._shapes = profile, {}
        return True

    def _error(self, text: str) -> None:
        self._log(trt.ILogger.Severity.ERROR, text)

    def set_optimization_profile_async(self, profile_index: int, stream_handle: int) -> bool:
        """Choose a profile. It raises an error; it does not give False."""
        if not stream_handle or not self._take(profile_index):
            raise RuntimeError("Error in set optimization profile async.")
        return True

    def set_input_shape(self, name: str, shape: tuple[int, ...]) -> bool:
        """Set the shape of an input."""
        low, _, high = self._engine.get_tensor_profile_shape(name, self._profile)
        if len(low) != len(shape) or not all(a <= b <= c for a, b, c in zip(low, shape, high, strict=True)):
            self._error(f"Static dimension mismatch or out of profile: {name} {shape}")
            return False
        self._shapes[name] = tuple(shape)
        return True

    def set_tensor_address(self, name: str, memory: int) -> bool:
        """Set where a tensor lies."""
        if name not in self._engine._tensors or not memory:
            return False
        self._addresses[name] = memory
        return True

    def set_output_allocator(self, name: str, output_allocator: "trt.IOutputAllocator") -> bool:
        """Set what makes room for an output."""
        assert output_allocator.made, "IOutputAllocator.__init__() must be called"
        self._allocators[name] = output_allocator
        return True

    def _inputs(self) -> list[str]:
        return [n for n in self._engine._tensors if self._engine.get_tensor_mode(n) == trt.TensorIOMode.INPUT]

    def infer_shapes(self) -> list[str]:
        """Give the inputs of which something is not known."""
        missing = []
        for name in self._inputs():
            known = name in self._shapes or -1 not in self._engine.get_tensor_shape(name)
            if not known or (self._engine.is_shape_inference_io(name) and name not in self._addresses):
                missing.append(name)
        return missing

    def _shape(self, name: str) -> tuple[int, ...]:
        return self._shapes.get(name) or tuple(self._engine.get_tensor_shape(name))

    def get_tensor_shape(self, name: str) -> "trt.Dims":
        """Give a shape; -1 where it is not known before the run."""
        if name in self._inputs():
            return trt.Dims(self._shape(name))
        if self.infer_shapes():
            return self._engine.get_tensor_shape(name)
        what = self._engine._tensors[name]["what"]
        if what == "nonzero":
            return trt.Dims([2, -1])
        if what == "filled":
            return trt.Dims(self._host("size").tolist())
        return trt.Dims(self._host("size").shape if what == "size" else self._shape("x"))

    def _host(self, name: str) -> np.ndarray:
        """Read a shape tensor, which lies in the memory of the processor."""
        return self._at(self._addresses[name], name, self._shape(name))

    def _at(self, address: int, name: str, shape: tuple[int, ...]) -> np.ndarray:
        kind = np.dtype(trt._NUMPY[self._engine.get_tensor_dtype(name).name])
        size = math.prod(shape) * kind.itemsize
        return np.frombuffer((ctypes.c_char * size).from_address(address), kind).reshape(shape)

    def _device(self, address: int, name: str, shape: tuple[int, ...]) -> np.ndarray:
        size = math.prod(shape) * np.dtype(trt._NUMPY[self._engine.get_tensor_dtype(name).name]).itemsize
        place = trt.cuda.fake_memory(address, size)
        assert place, f"{name} {shape} does not lie in the memory of the GPU"
        return self._at(place, name, shape)

    def execute_async_v3(self, stream_handle: int) -> bool:
        """Begin a run. Its outputs are there when the stream is done, those of unknown shape at once."""
        shapes = {name: self._shape(name) for name in self._inputs()}
        addresses, tensors = dict(self._addresses), self._engine._tensors
        outputs = [name for name in tensors if name not in shapes]
        if self.infer_shapes() or any(n not in addresses and n not in self._allocators for n in outputs):
            self._error("an input shape or an address is missing")
            return False

        def run() -> None:
            for name in outputs:
                if name not in self._allocators:
                    self._write(name, self._computed(name, shapes, addresses), addresses)

        if self._allocators:
            trt.cuda.cuStreamSynchronize(stream_handle)
            run()
            return all(self._grow(name, self._computed(name, shapes, addresses)) for name in self._allocators)
        self._kernel = trt._KERNEL(run)
        return trt.cuda.fake_run(self._kernel, stream_handle) == 0

    def _grow(self, name: str, value: np.ndarray) -> bool:
        allocator = self._allocators[name]
        arguments = (name, 0, max(value.nbytes, 1), 256)
        allocate = allocator.reallocate_output if trt.OLD else allocator.reallocate_output_async
        place = allocate(*arguments) if trt.OLD else allocate(*arguments, 7)
        allocator.notify_shape(name, trt.Dims(value.shape))
        if place:
            self._device(place, name, value.shape)[...] = value
        return bool(place)

    def _write(self, name: str, value: np.ndarray, addresses: dict[str, int]) -> None:
        on_host = self._engine.is_shape_inference_io(name)
        place = (self._at if on_host else self._device)(addresses[name], name, value.shape)
        place[...] = value

    def _computed(self, name: str, shapes: dict, addresses: dict[str, int]) -> np.ndarray:
        def given(one: str) -> np.ndarray:
            on_host = self._engine.is_shape_inference_io(one)
            return (self._at if on_host else self._device)(addresses[one], one, shapes[one])

        what = self._engine._tensors[name]["what"]
        if what == "sum":
            return given("x") + given("y")
        if what == "copy":
            return given("x")
        if what == "profile":
            return np.full(shapes["x"], self._profile)
        if what == "nonzero":
            return np.array(np.nonzero(given("x")))
        if what == "size":
            return given("size")
        return np.full(given("size"), given("x").reshape(-1)[0])
