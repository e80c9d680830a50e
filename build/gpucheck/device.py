"""The GPU itself: what nvidia-smi says of it, and its memory by CUDA's driver."""

import ctypes
import subprocess

HANDLE_SIZE = 64


def count() -> int:
    """How many GPUs CUDA finds; 0 without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    found = ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(found)) != 0:
        return 0
    return found.value


def smi(*fields: str) -> list[list[str]]:
    """What nvidia-smi says of each GPU."""
    command = ["nvidia-smi", f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [[text.strip() for text in line.split(",")] for line in out.splitlines()]


class Memory:
    """Memory on GPU 0 for another process."""

    def __init__(self, size: int) -> None:
        """Makes it in the device's primary context."""
        self.driver, self.size = ctypes.CDLL("libcuda.so.1"), size
        device, context, self.at = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuMemAlloc_v2", ctypes.byref(self.at), ctypes.c_size_t(size))

    def call(self, name: str, *args: object) -> None:
        """Calls the driver."""
        code = getattr(self.driver, name)(*args)
        if code != 0:
            raise OSError(f"{name}: CUDA error {code}")

    def handle(self) -> bytes:
        """The handle for another process."""
        handle = (ctypes.c_char * HANDLE_SIZE)()
        self.call("cuIpcGetMemHandle", handle, self.at)
        return bytes(handle)

    def write(self, data: bytes, offset: int) -> None:
        """Writes a part."""
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.at.value + offset), data, ctypes.c_size_t(len(data)))

    def read(self, size: int, offset: int) -> bytes:
        """Reads a part."""
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(self.at.value + offset), ctypes.c_size_t(size))
        return data.raw

    def free(self) -> None:
        """Frees it."""
        self.call("cuMemFree_v2", self.at)
