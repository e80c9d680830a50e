"""The memory of a GPU, by CUDA's driver.

The driver's library is there wherever TensorRT runs, and its functions are the same for all versions of CUDA. Packages
such as cuda-python would have to fit CUDA's version, and would bring nothing else that is needed here.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from functools import cache
from typing import Any

import numpy as np

import triton_python_backend_utils as pb_utils

LIBRARY = "libcuda.so.1"

# cuda.h gives each function that had another form once the name with _v2.
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "cuInit": (c_uint,),
    "cuDeviceGetCount": (POINTER(c_int),),
    "cuDeviceGet": (POINTER(c_int), c_int),
    "cuDeviceGetName": (c_char_p, c_int, c_int),
    "cuDeviceGetAttribute": (POINTER(c_int), c_int, c_int),
    "cuDevicePrimaryCtxRetain": (POINTER(c_void_p), c_int),
    "cuDevicePrimaryCtxRelease_v2": (c_int,),
    "cuCtxSetCurrent": (c_void_p,),
    "cuStreamCreate": (POINTER(c_void_p), c_uint),
    "cuStreamDestroy_v2": (c_void_p,),
    "cuStreamSynchronize": (c_void_p,),
    "cuMemAlloc_v2": (POINTER(c_uint64), c_size_t),
    "cuMemFree_v2": (c_uint64,),
    "cuMemcpyHtoDAsync_v2": (c_uint64, c_void_p, c_size_t, c_void_p),
    "cuMemcpyDtoHAsync_v2": (c_void_p, c_uint64, c_size_t, c_void_p),
    "cuGetErrorName": (c_int, POINTER(c_char_p)),
    "cuGetErrorString": (c_int, POINTER(c_char_p)),
}
_CAPABILITY = (75, 76)  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and …_MINOR
_LONGEST_NAME = 256
_NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING: the stream does not wait for the default one


@cache
def _driver() -> Any:
    """Open the driver."""
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise pb_utils.TritonModelException(f"CUDA's driver cannot be opened: {error}") from error
    for name, arguments in _FUNCTIONS.items():
        getattr(library, name).argtypes = arguments
    _checked(library, "cuInit", 0)
    return library


def _checked(library: Any, name: str, *arguments: Any) -> None:
    """Call a function, and raise its error."""
    code = getattr(library, name)(*arguments)
    if code != 0:
        raise pb_utils.TritonModelException(f"{name} failed: {_text(library, code)}")


def _text(library: Any, code: int) -> str:
    """Describe an error: "out of memory (CUDA_ERROR_OUT_OF_MEMORY)"."""
    name, text = c_char_p(), c_char_p()
    library.cuGetErrorName(code, ctypes.byref(name))
    library.cuGetErrorString(code, ctypes.byref(text))
    return f"{(text.value or b'unknown error').decode()} ({(name.value or str(code).encode()).decode()})"


def _call(name: str, *arguments: Any) -> None:
    _checked(_driver(), name, *arguments)


def gpus_like(number: int) -> list[int]:
    """Give the numbers of all GPUs with the name of this one; none where all of the machine have it."""
    count = c_int()
    _call("cuDeviceGetCount", ctypes.byref(count))
    names = [_name(other) for other in range(count.value)]
    like = [other for other, name in enumerate(names) if name == names[number]]
    return like if len(like) < len(names) else []


def _name(number: int) -> bytes:
    device, name = c_int(), ctypes.create_string_buffer(_LONGEST_NAME)
    _call("cuDeviceGet", ctypes.byref(device), number)
    _call("cuDeviceGetName", name, _LONGEST_NAME, device)
    return name.value


class Gpu:
    """A GPU, current in this thread until it is closed, with a stream for its work.

    TensorRT and the parts of CUDA below it use the GPU that is current, and its primary context.
    """

    def __init__(self, number: int) -> None:
        self._device, self._context, self._stream = c_int(), c_void_p(), c_void_p()
        _call("cuDeviceGet", ctypes.byref(self._device), number)
        _call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), self._device)
        _call("cuCtxSetCurrent", self._context)
        _call("cuStreamCreate", ctypes.byref(self._stream), _NON_BLOCKING)

    @property
    def stream(self) -> int:
        """The stream, as TensorRT takes it."""
        return self._stream.value or 0

    def capability(self) -> str:
        """Give the compute capability: "8.6"."""
        parts = [c_int(), c_int()]
        for part, attribute in zip(parts, _CAPABILITY):
            _call("cuDeviceGetAttribute", ctypes.byref(part), attribute, self._device)
        return f"{parts[0].value}.{parts[1].value}"

    def send(self, array: np.ndarray, to: Memory) -> None:
        """Copy a contiguous array to the GPU. It must live until wait()."""
        to.reserve(array.nbytes)
        if array.nbytes:
            _call("cuMemcpyHtoDAsync_v2", to.address, array.ctypes.data, array.nbytes, self._stream)

    def fetch(self, source: Memory, array: np.ndarray) -> None:
        """Copy to a contiguous array, which holds the values after wait()."""
        if array.nbytes:
            _call("cuMemcpyDtoHAsync_v2", array.ctypes.data, source.address, array.nbytes, self._stream)

    def wait(self) -> None:
        """Wait until all work of the stream is done."""
        _call("cuStreamSynchronize", self._stream)

    def close(self) -> None:
        """Let go of the GPU."""
        _call("cuStreamDestroy_v2", self._stream)
        _call("cuDevicePrimaryCtxRelease_v2", self._device)


class Memory:
    """Memory of the current GPU for one tensor, which grows with it."""

    def __init__(self) -> None:
        self.address, self._size = 0, 0

    def reserve(self, size: int) -> int:
        """Make room for so many bytes, and give the address. An empty tensor has an address too."""
        if size > self._size or not self.address:
            self.free()
            found = c_uint64()
            _call("cuMemAlloc_v2", ctypes.byref(found), max(size, 1))
            self.address, self._size = found.value, size
        return self.address

    def free(self) -> None:
        """Give the memory back."""
        if self.address:
            _call("cuMemFree_v2", self.address)
        self.address, self._size = 0, 0
