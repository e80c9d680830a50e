"""A process that loses its GPU, where no GPU is: the drivers are stand-ins."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import device
import library
import lost
import pytest
import region
import steps

ENGINE = Path(__file__).parents[2] / "engine"


class File:
    """Memory of a GPU as engine/cuda/cudatest has it: a file."""

    def __init__(self, size: int) -> None:
        self.path = Path(f"/dev/shm/conch-fake-gpu-{os.getpid()}")
        self.path.write_bytes(bytes(size))

    def handle(self) -> bytes:
        """Its name."""
        return self.path.name.encode().ljust(device.HANDLE_SIZE, b"\0")

    def write(self, data: bytes, offset: int) -> None:
        """Writes a part."""
        with self.path.open("r+b") as f:
            f.seek(offset)
            f.write(data)


@pytest.fixture
def files(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(region.device, "Memory", File)
    yield
    Path(f"/dev/shm/conch-fake-gpu-{os.getpid()}").unlink(missing_ok=True)


@pytest.mark.usefixtures("files")
def test_a_lost_gpu(conch: library.Conch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver, machine = tmp_path / "driver", tmp_path / "machine"
    driver.mkdir()
    for source, name in (
        ("cuda/cudatest/testdata/driver", "libcuda.so.1"),
        ("device/testdata/nvml", "libnvidia-ml.so.1"),
    ):
        subprocess.run(["cc", "-shared", "-fPIC", "-o", driver / name, ENGINE / f"{source}.c"], check=True)
    conch.environment |= {"LD_LIBRARY_PATH": str(driver), "FAKE_NVML": str(machine)}
    both = [f"gpu {80 << 30} {1 << 30} 50 60000 40 {reached} NVIDIA H100\n" for reached in (0, 0)]
    machine.write_text("".join(both))
    place = steps.Place(None, "KIND_CPU", {}, None, conch, tmp_path / "repository")
    break_gpu = lost.break_gpu

    def fault(library: Path) -> None:
        """The fault takes GPU 0 from the driver too."""
        machine.write_text(both[1].replace(" 40 0 ", " 40 15 ") + both[1])
        break_gpu(library)

    monkeypatch.setattr(lost, "break_gpu", fault)
    assert lost.lost(place).endswith("the next one answers as before, without the GPU, which its driver has lost too")
    with pytest.raises(AssertionError, match="the log does not say that CUDA does nothing more"):
        lost.told(["the engine ended"])


def test_what_breaks_a_gpu(conch: library.Conch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    conch.brought = tmp_path / "bin"
    conch.brought.mkdir()
    made = lost.breaker(conch, tmp_path).read_bytes()
    monkeypatch.setenv("PATH", "")
    assert lost.breaker(conch, tmp_path).read_bytes() == made
    (tmp_path / "bin/gpucheck-breaks.so").unlink()
    with pytest.raises(steps.NotRunError, match="there is no C compiler"):
        lost.breaker(conch, tmp_path)
