"""The parts of `make gpu-check` that need no GPU."""

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import device
import library
import models
import order
import packages
import placed
import pytest
import steps
import workbench
from server import RefusedError, serving

HERE = Path(__file__).parent
EXAMPLES, ENGINE = HERE.parents[1] / "examples/repository", HERE.parents[1] / "engine"


@pytest.fixture
def place(conch: library.Conch, tmp_path: Path) -> Iterator[steps.Place]:
    """The checks with the CPU in the GPU's place."""
    folder = steps.repository(tmp_path / "repository", EXAMPLES, "KIND_CPU")
    models.write(folder, "other", models.convolutions(steps.SIDE, 4, 2), models.config("KIND_CPU", 8))
    with serving(conch, folder) as server:
        again = partial(serving, conch, folder)
        yield steps.Place(server, "KIND_CPU", {"TensorRT": "tensorrt needs libnvinfer"}, again, conch, folder)


def test_steps_on_the_cpu(place: steps.Place) -> None:
    assert steps.digits(place) == steps.network(place) == "largest difference 0"
    with pytest.raises(AssertionError, match="the outputs differ by"):
        steps.agree(place, "network_cpu", "other", "X", [1, 3, steps.SIDE, steps.SIDE], 1e-6)
    with pytest.raises(steps.NotRunError, match="tensorrt needs libnvinfer"):
        steps.tensorrt(place)
    assert steps.two(place) == "both answer alike, and the first one also when the other has ended"
    assert steps.alive(place) == "the engine that was started still serves"
    with pytest.raises(RefusedError, match="404"):
        place.server.infer("nobody", "X", [1], b"1234")


def test_throughput_is_counted(place: steps.Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SECONDS", 0.5)
    monkeypatch.setattr(steps, "BATCH", 1)
    assert int(steps.throughput(place).split()[0]) > 0


def test_answers_of_batches(place: steps.Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SECONDS", 0.2)
    monkeypatch.setattr(steps, "BATCH", 1)
    said = steps.together(place)
    assert "network_batches" in said
    assert "network_two" in said
    with pytest.raises(AssertionError, match="the log does not say that batches are joined in pinned memory"):
        steps.together(replace(place, kind="KIND_GPU"))


def test_what_stays_on_the_gpu(place: steps.Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "SECONDS", 0.2)
    monkeypatch.setattr(steps, "BATCH", 1)
    monkeypatch.setattr(placed, "ROUNDS", 1)
    monkeypatch.setattr(placed, "TIMED", 2)
    assert placed.graphs(place).startswith("alike over 3 requests of three shapes; one picture takes ")
    assert placed.pinned(place).startswith("alike; ")
    assert placed.growing(place).startswith("alike over batches of 1, 1, 1, 8")
    monkeypatch.setattr(placed, "SENT", 1)
    monkeypatch.setattr(placed, "PICTURES", 2)
    assert placed.crowded(place) == "8 answers of 8 clients are their own"
    gpu = replace(place, kind="KIND_GPU")
    with pytest.raises(AssertionError, match="the log does not say that runs are replayed"):
        placed.graphs(gpu)
    with pytest.raises(AssertionError, match="the log does not say that large outputs"):
        placed.pinned(gpu)


def test_divided_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Page:
        def uuids(self, name: str) -> set[str]:
            return {"GPU-a", "MIG-b"}

    monkeypatch.setenv("PATH", str(tmp_path))
    place = steps.Place(Page(), "KIND_GPU", {}, Page, None, tmp_path)
    with pytest.raises(steps.NotRunError, match="nvidia-smi does not run"):
        placed.instances(place)
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'GPU 0: H100 (UUID: GPU-a)'\necho '  MIG 1g.10gb  Device 0: (UUID: MIG-b)'\n")
    tool.chmod(0o700)
    assert placed.instances(place) == "1 of them"
    tool.write_text("#!/bin/sh\necho 'GPU 0: H100 (UUID: GPU-a)'\n")
    with pytest.raises(AssertionError, match=r"nvidia-smi has \[\], and Conch \['MIG-b'\]"):
        placed.instances(place)


# A stand-in for the part of PyTorch that the model of the check uses.
TORCH = """
import numpy as np

class Tensor(np.ndarray):
    is_cuda, device = False, "cpu"
    to = lambda self, device: self
    cpu = lambda self: self
    numpy = lambda self: np.asarray(self)

full = lambda shape, value, device: np.full(shape, value, np.float32).view(Tensor)
from_numpy = lambda array: array.view(Tensor)

class cuda:
    is_available = lambda: True
"""


def test_a_program_with_pytorch(conch: library.Conch, place: steps.Place, tmp_path: Path) -> None:
    with pytest.raises(steps.NotRunError, match="No module named 'nothing'"):
        packages.needs(conch, "import nothing")
    folder = tmp_path / "packages"
    folder.mkdir()
    (folder / "torch.py").write_text(TORCH)
    conch.environment["PYTHONPATH"] = str(folder)
    with place.again() as server:
        assert packages.pytorch(replace(place, server=server)).startswith("alike; ")
    (folder / "torch.py").write_text(TORCH.replace("True", "False"))
    with pytest.raises(steps.NotRunError, match="PyTorch finds no GPU"):
        packages.pytorch(place)


def test_the_clients_own_helpers(conch: library.Conch, place: steps.Place, monkeypatch: pytest.MonkeyPatch) -> None:
    assert " passed in " in packages.tritonclient(place)
    conch.environment["LD_LIBRARY_PATH"] = str(place.folder)
    with pytest.raises(steps.NotRunError, match=r"libcudart\.so, is not found"):
        packages.tritonclient(replace(place, kind="KIND_GPU"))
    monkeypatch.setattr(packages, "CLIENT", place.folder / "no such test")
    with pytest.raises(AssertionError, match="no such test"):
        packages.tritonclient(place)


def use_tensorrt(conch: library.Conch, tmp_path: Path) -> None:
    """Gives Conch stand-ins for TensorRT's package, for a GPU and for its drivers."""
    fake, driver, machine = ENGINE / "backend/python/frameworks/faketensorrt", tmp_path / "driver", tmp_path / "machine"
    driver.mkdir()
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    (packaged,) = (tmp_path / "venv/lib").glob("python3*/site-packages")
    (packaged / "fake.pth").write_text(f"{sysconfig.get_path('purelib')}\n{fake}\n")
    conch.python = conch.environment["CONCH_PYTHON"] = str(tmp_path / "venv/bin/python3")
    machine.write_text(f"gpu {80 << 30} {1 << 30} 50 60000 40 0 NVIDIA H100\n")
    for source, name in ((fake / "cuda.c", "libcuda.so.1"), (ENGINE / "device/testdata/nvml.c", "libnvidia-ml.so.1")):
        subprocess.run(["cc", "-shared", "-fPIC", "-o", driver / name, source], check=True)
    conch.environment |= {"LD_LIBRARY_PATH": str(driver), "FAKE_NVML": str(machine)}
    conch.environment |= {"FAKE_GPUS": "1", "FAKE_TENSORRT": "10.3.0"}


def test_a_plan_by_the_builder(conch: library.Conch, tmp_path: Path) -> None:
    with pytest.raises(steps.NotRunError, match="No module named 'tensorrt'"):
        packages.plan(steps.Place(None, "KIND_GPU", {}, None, conch, tmp_path))
    use_tensorrt(conch, tmp_path)
    graph = models.part(1, models.node("Identity", ["x"], "y")) + models.part(2, "same")
    graph += models.part(11, models.value("x", ["n", 3])) + models.part(12, models.value("y", ["n", 3]))
    model = models.part(1, 8) + models.part(7, graph) + models.part(8, models.part(2, 13))
    models.write(tmp_path / "models", "same", model, models.config("KIND_CPU", 8))
    with serving(conch, tmp_path / "models", "--strict-gpu") as server:
        place = steps.Place(server, "KIND_GPU", {}, None, conch, tmp_path / "models")
        said = packages.plan(place, "same", "x", (3,))
        assert said.startswith("built in ")
        assert said.endswith("largest difference 0")
        models.write(tmp_path / "models", "other", models.pictures(8), models.config("KIND_CPU", 8))
        with pytest.raises(library.NotUsableError, match="No importer registered for op: Relu"):
            packages.plan(place, "other", "X", (3, 8, 8))


def test_a_comparison_in_the_workbench(place: steps.Place) -> None:
    said = workbench.compare(place)
    assert "ONNX Runtime on CPU" in said
    assert "largest difference " in said


def wheel(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "onnxruntime_gpu-9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("a", os.urandom(5000))
    return path


def test_parts_of_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "PART", 1000)
    whole, parts, joined = wheel(tmp_path / "whole"), tmp_path / "parts", tmp_path / "joined"
    joined.mkdir()
    made = library.split(whole, parts)
    assert len(made) == 6
    assert library.wheel_in(parts, joined).read_bytes() == whole.read_bytes()
    assert library.wheel_in(whole, joined) == library.wheel_in(whole.parent, joined) == whole
    made[2].write_bytes(bytes(1000))
    with pytest.raises(library.NotUsableError, match="copy them again"):
        library.wheel_in(parts, joined)
    made[2].unlink()
    with pytest.raises(library.NotUsableError, match="parts are missing"):
        library.wheel_in(parts, joined)
    whole.write_bytes(whole.read_bytes()[:3000])
    with pytest.raises(library.NotUsableError, match="cut off"):
        library.wheel_in(whole, joined)
    with pytest.raises(library.NotUsableError, match="neither a wheel of onnxruntime-gpu nor parts"):
        library.wheel_in(joined.parent / "home", joined)


def test_what_a_build_lacks(conch: library.Conch, tmp_path: Path) -> None:
    stub, folder = tmp_path / "libnvinfer.so.10", tmp_path / "build"
    shutil.copytree(conch.binary.parents[1] / "cache/onnxruntime", folder)
    source = tmp_path / "empty.c"
    source.touch()
    subprocess.run(["cc", "-shared", "-o", stub, f"-Wl,-soname,{stub.name}", source], check=True)
    provider = folder / "libonnxruntime_providers_tensorrt.so"
    subprocess.run(["cc", "-shared", "-o", provider, source, "-Wl,--no-as-needed", stub], check=True)
    stub.unlink()
    lacks = "TensorRT needs libraries that are not found: libnvinfer.so.10"
    assert library.lacks(conch.install(folder)) == {"TensorRT": lacks}


def test_libraries_of_packages(tmp_path: Path) -> None:
    for folder in ("nvidia/cu13/lib", "nvidia/cudnn/lib", "tensorrt_libs", "numpy/lib", "torch/lib"):
        (tmp_path / folder).mkdir(parents=True)
    assert tmp_path / "torch/lib" not in library.cuda_folders([tmp_path])
    (tmp_path / "torch/lib/libcublas.so.12").touch()
    found = [f for f in library.cuda_folders([tmp_path]) if f.is_relative_to(tmp_path)]
    assert [str(f.relative_to(tmp_path)) for f in sorted(found)] == [
        "nvidia/cu13/lib",
        "nvidia/cudnn/lib",
        "tensorrt_libs",
        "torch/lib",
    ]


def test_without_a_gpu(conch: library.Conch) -> None:
    if device.count()[0]:
        pytest.skip("this machine has a GPU")
    command = [sys.executable, str(HERE), "--binary", str(conch.binary), "--wheel", ""]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 77, done.stderr
    assert done.stdout.splitlines()[-1].startswith("gpu-check: not run: no NVIDIA GPU")
    for step in order.STEPS:
        assert f"{step:<34} not run  needs an NVIDIA GPU" in done.stdout
    assert "a model that asks for a GPU        ok       is refused" in done.stdout


def test_a_wheel_that_is_not_there(conch: library.Conch, tmp_path: Path) -> None:
    command = [sys.executable, str(HERE), "--binary", str(conch.binary), "--wheel", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "has neither a wheel of onnxruntime-gpu nor parts of one" in done.stdout
    assert "gpu-check: 1 failed" in done.stdout


def test_metrics_beside_nvidia_smi() -> None:
    mib = 1 << 20
    here = {
        "nv_gpu_memory_total_bytes": 81559 * mib,
        "nv_gpu_memory_used_bytes": 1000 * mib,
        "nv_gpu_power_limit": 700.0,
    }
    here |= {"nv_gpu_utilization": 0.5, "nv_gpu_power_usage": 120.0, "nv_energy_consumption": 10.0}
    said = device.compare(here, [81559, 1200, 700, 20, 119])
    assert "nv_gpu_memory_used_bytes 1000 MiB (nvidia-smi 1200)" in said
    del here["nv_gpu_power_limit"]
    assert "nv_gpu_power_limit: nvidia-smi has none" in device.compare(here, [81559, 1200, None, 20, 119])
    with pytest.raises(AssertionError, match="nv_gpu_power_limit is missing"):
        device.compare(here, [81559, 1200, 700, 20, 119])
    with pytest.raises(AssertionError, match="nv_gpu_memory_total_bytes is 81559; nvidia-smi says 40960"):
        device.compare(here, [40960, 1200, None, 20, 119])


def test_nvidia_smi(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(device.UnknownError, match="nvidia-smi does not run"):
        device.smi("index")
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho '0, NVIDIA H100 80GB HBM3, [N/A]'\n")
    tool.chmod(0o700)
    assert device.smi("index", "name", "power.limit") == [["0", "NVIDIA H100 80GB HBM3", "[N/A]"]]
    assert [device.number(text) for text in ("[N/A]", "700.00")] == [None, 700]
    tool.write_text("#!/bin/sh\necho 'Driver/library version mismatch'\nexit 18\n")
    with pytest.raises(device.UnknownError, match="nvidia-smi fails: Driver/library version mismatch"):
        device.smi("index")
