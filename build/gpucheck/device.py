"""The GPU itself: what nvidia-smi says of it, and its memory by CUDA's driver."""

import ctypes
import os
import re
import shutil
import subprocess
from pathlib import Path

from outcome import NotRunError

HANDLE_SIZE = 64

# A metric, its unit as nvidia-smi has it, and how far the two may be apart: they are not read in the same moment.
METRICS = (
    ("nv_gpu_memory_total_bytes", 1 << 20, "MiB", 0.02, 64),
    ("nv_gpu_memory_used_bytes", 1 << 20, "MiB", 0.2, 512),
    ("nv_gpu_power_limit", 1, "W", 0.02, 2),
    ("nv_gpu_utilization", 0.01, "%", 1, 100),
    ("nv_gpu_power_usage", 1, "W", 1, 100),
)


# Folders in which containers and WSL have the driver's libraries and tools, where the system does not look by itself.
FOLDERS = tuple(
    map(Path, ("/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/local/nvidia/bin", "/usr/lib/wsl/lib"))
)
LIBRARY, MANAGEMENT = "libcuda.so.1", "libnvidia-ml.so.1"
NO_DEVICE, NOT_SUPPORTED = 100, 801  # CUDA's errors


def folders() -> list[Path]:
    """Those of them that are here."""
    return [f for f in FOLDERS if f.is_dir()]


def driver() -> ctypes.CDLL | None:
    """CUDA's driver; None where there is none."""
    return opened(LIBRARY)


def opened(name: str) -> ctypes.CDLL | None:
    """A library of the driver."""
    for path in (name, *(str(f / name) for f in folders())):
        try:
            return ctypes.CDLL(path)
        except OSError:
            continue
    return None


def meaning(library: ctypes.CDLL, code: int) -> str:
    """An error of CUDA's in its own words."""
    text = ctypes.c_char_p()
    if library.cuGetErrorString(code, ctypes.byref(text)) != 0 or not text.value:
        return f"CUDA error {code}"
    return f"{text.value.decode(errors='replace')} (CUDA error {code})"


def count() -> tuple[int, str]:
    """How many GPUs CUDA finds, and why none."""
    library = driver()
    if library is None:
        return 0, f"no NVIDIA GPU: {LIBRARY} of NVIDIA's driver is not found"
    found = ctypes.c_int()
    code = library.cuInit(0) or library.cuDeviceGetCount(ctypes.byref(found))
    if code == NO_DEVICE or (code == 0 and found.value == 0):
        return 0, "no NVIDIA GPU: its driver finds none"
    if code:
        return 0, f"CUDA's driver does not start: {meaning(library, code)}"
    return found.value, ""


class UnknownError(NotRunError):
    """Says why nvidia-smi tells nothing."""


def tool(*arguments: str) -> str:
    """What nvidia-smi prints."""
    found = shutil.which("nvidia-smi", path=os.pathsep.join([os.environ.get("PATH", ""), *map(str, folders())]))
    try:
        command = [found or "nvidia-smi", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UnknownError(f"nvidia-smi does not run: {error}") from error
    if done.returncode != 0:
        raise UnknownError(f"nvidia-smi fails: {(done.stdout + done.stderr).strip()}")
    return done.stdout


def smi(*fields: str) -> list[list[str]]:
    """What nvidia-smi says of each GPU."""
    lines = tool(f"--query-gpu={','.join(fields)}", "--format=csv,noheader,nounits").splitlines()
    return [[text.strip() for text in line.split(",")] for line in lines]


def instances() -> set[str]:
    """The UUIDs of the instances of divided GPUs."""
    return set(re.findall(r"UUID: (MIG-[^)]+)\)", tool("-L")))


def number(text: str) -> float | None:
    """A figure of nvidia-smi's; None for one that it does not have, which it writes as [N/A] or [Not Supported]."""
    try:
        return float(text)
    except ValueError:
        return None


def compare(here: dict[str, float], smi: list[float | None]) -> str:
    """Compares figures. What nvidia-smi does not have, such as power in some virtual machines, Conch need not have."""
    said = []
    for (name, unit, unit_name, slack, least), want in zip(METRICS, smi, strict=True):
        if want is None:
            said.append(f"{name}: nvidia-smi has none")
            continue
        if name not in here:
            raise AssertionError(f"{name} is missing; nvidia-smi says {want:.0f}")
        got = here[name] / unit
        if abs(got - want) > slack * want + least:
            raise AssertionError(f"{name} is {got:.0f}; nvidia-smi says {want:.0f}")
        said.append(f"{name} {got:.0f} {unit_name} (nvidia-smi {want:.0f})")
    energy = here.get("nv_energy_consumption")
    if energy is not None and energy < 0:
        raise AssertionError(f"nv_energy_consumption is {energy}")
    return "; ".join(said)


class Memory:
    """Memory on GPU 0 for another process."""

    def __init__(self, size: int) -> None:
        """Makes it in the device's primary context."""
        self.driver, self.size = driver(), size
        device, context, self.at = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        self.call("cuMemAlloc_v2", ctypes.byref(self.at), ctypes.c_size_t(size))

    def call(self, name: str, *args: object) -> None:
        """Calls the driver."""
        code = getattr(self.driver, name)(*args)
        if code == NOT_SUPPORTED:
            raise NotRunError(f"the driver of this machine has no {name}: {meaning(self.driver, code)}")
        if code != 0:
            raise OSError(f"{name}: {meaning(self.driver, code)}")

    def handle(self) -> bytes:
        """The handle for another process."""
        handle = (ctypes.c_char * HANDLE_SIZE)()
        self.call("cuIpcGetMemHandle", handle, self.at)
        return bytes(handle)

    def write(self, data: bytes, offset: int) -> None:
        """Writes a part."""
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(self.at.value + offset), data, ctypes.c_size_t(len(data)))
        self.call("cuCtxSynchronize")  # a small copy may still be on its way

    def read(self, size: int, offset: int) -> bytes:
        """Reads a part."""
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(self.at.value + offset), ctypes.c_size_t(size))
        return data.raw

    def free(self) -> None:
        """Frees it."""
        self.call("cuMemFree_v2", self.at)
