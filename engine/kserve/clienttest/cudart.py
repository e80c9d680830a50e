"""The part of cuda-python that tritonclient's CUDA helpers need, so that they run without that package.

With CONCH_CUDART, the path of CUDA's runtime library, it is the real one. Else the memory of a GPU is a file in
/dev/shm, as the driver in engine/cuda/cudatest has it.
"""

import ctypes
import enum
import mmap
import os
import subprocess
import sys
import types
from dataclasses import dataclass, field
from pathlib import Path

HANDLE_SIZE = 64
DRIVER = Path(__file__).parents[2] / "cuda/cudatest/testdata/driver.c"


class cudaError_t(enum.IntEnum):
    """CUDA's results."""

    cudaSuccess = 0
    cudaErrorInvalidValue = 1


class cudaMemcpyKind(enum.IntEnum):
    """Which way is copied."""

    cudaMemcpyDefault = 4


class cudaDeviceAttr(enum.IntEnum):
    """What a device can do."""

    cudaDevAttrUnifiedAddressing = 41


class CUresult(enum.IntEnum):
    """The driver's results."""

    CUDA_SUCCESS = 0


@dataclass
class Handle:
    """A handle of memory. getPtr is where its bytes are, as in cuda-python 13."""

    data: ctypes.Array = field(default_factory=lambda: (ctypes.c_char * HANDLE_SIZE)())

    def getPtr(self) -> int:
        """Where the bytes are."""
        return ctypes.addressof(self.data)


def address(buffer: object) -> int:
    if isinstance(buffer, int):
        return buffer
    if isinstance(buffer, bytes):
        return ctypes.cast(buffer, ctypes.c_void_p).value or 0
    return ctypes.addressof(buffer)


class Fake:
    """Memory of a GPU that is a file."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[mmap.mmap, Path]] = {}
        self.count = 0

    def malloc(self, size: int) -> tuple:
        """Makes memory."""
        self.count += 1
        path = Path(f"/dev/shm/conch-fake-cuda-{os.getpid()}-{self.count}")
        with path.open("w+b") as f:
            f.truncate(size)
            memory = mmap.mmap(f.fileno(), size)
        at = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        self.made[at] = memory, path
        return cudaError_t.cudaSuccess, at

    def free(self, at: int) -> tuple:
        """Frees memory."""
        self.made[at][1].unlink()
        return (cudaError_t.cudaSuccess,)

    def handle(self, at: int) -> tuple:
        """Makes a handle of memory."""
        handle = Handle()
        handle.data.value = self.made[at][1].name.encode()
        return cudaError_t.cudaSuccess, handle

    def copy(self, to: object, source: object, size: int, _kind: int, _stream: object) -> tuple:
        """Copies between the processor and the GPU."""
        ctypes.memmove(address(to), address(source), size)
        return (cudaError_t.cudaSuccess,)


class Real:
    """CUDA's runtime library."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)

    def malloc(self, size: int) -> tuple:
        """Makes memory."""
        at = ctypes.c_void_p()
        code = self.library.cudaMalloc(ctypes.byref(at), ctypes.c_size_t(size))
        return cudaError_t(code), at.value

    def free(self, at: int) -> tuple:
        """Frees memory."""
        return (cudaError_t(self.library.cudaFree(ctypes.c_void_p(at))),)

    def handle(self, at: int) -> tuple:
        """Makes a handle of memory."""
        handle = Handle()
        return cudaError_t(self.library.cudaIpcGetMemHandle(handle.data, ctypes.c_void_p(at))), handle

    def copy(self, to: object, source: object, size: int, kind: int, _stream: object) -> tuple:
        """Copies between the processor and the GPU."""
        code = self.library.cudaMemcpy(
            ctypes.c_void_p(address(to)), ctypes.c_void_p(address(source)), ctypes.c_size_t(size), kind
        )
        return (cudaError_t(code),)


def install() -> None:
    """Makes the modules that tritonclient imports."""
    path = os.environ.get("CONCH_CUDART")
    memory = Real(path) if path else Fake()
    done = (cudaError_t.cudaSuccess,)
    runtime, driver = types.ModuleType("cuda.bindings.runtime"), types.ModuleType("cuda.bindings.driver")
    vars(runtime).update(
        cudaError_t=cudaError_t,
        cudaMemcpyKind=cudaMemcpyKind,
        cudaDeviceAttr=cudaDeviceAttr,
        cudaIpcMemHandle_t=Handle,
        CUDA_IPC_HANDLE_SIZE=HANDLE_SIZE,
        cudaGetErrorString=lambda code: (cudaError_t.cudaSuccess, code.name.encode()),
        cudaGetDevice=lambda: (cudaError_t.cudaSuccess, 0),
        cudaSetDevice=lambda _: done,
        cudaDeviceGetAttribute=lambda *_: (cudaError_t.cudaSuccess, 1),
        cudaStreamCreate=lambda: (cudaError_t.cudaSuccess, 0),
        cudaStreamDestroy=lambda _: done,
        cudaStreamSynchronize=lambda _: done,
        cudaMalloc=memory.malloc,
        cudaFree=memory.free,
        cudaIpcGetMemHandle=memory.handle,
        cudaMemcpyAsync=memory.copy,
    )
    vars(driver).update(
        CUresult=CUresult,
        cuDeviceGet=lambda number: (CUresult.CUDA_SUCCESS, number),
        cuDevicePrimaryCtxGetState=lambda _: (CUresult.CUDA_SUCCESS, 0, 1),
        cuGetErrorString=lambda _: (CUresult.CUDA_SUCCESS, b"a driver's error"),
    )
    package, bindings = types.ModuleType("cuda"), types.ModuleType("cuda.bindings")
    bindings.runtime, bindings.driver = runtime, driver
    package.bindings = bindings
    sys.modules |= {"cuda": package, "cuda.bindings": bindings}
    sys.modules |= {"cuda.bindings.runtime": runtime, "cuda.bindings.driver": driver}


def library_path(folder: Path) -> str:
    """The folder of the driver's library for the server; "" for the machine's own."""
    if os.environ.get("CONCH_CUDART"):
        return ""
    library = folder / "libcuda.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, DRIVER], check=True)
    return str(folder)
