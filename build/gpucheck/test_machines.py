"""Machines on which something is missing, late or in another place: that is a row, and no fault of the program."""

import gzip
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import check as gpucheck
import device
import library
import lost
import order
import outcome
import pytest
import server
import steps
from outcome import FAILED, NOT_RUN, OK, Clock, NotRunError
from server import Server

ENGINE = Path(__file__).parents[2] / "engine"
DRIVER = "int cuInit(unsigned f) {{ return {0}; }} int cuDeviceGetCount(int *n) {{ *n = {1}; return 0; }}\n"
SAYS = 'int cuGetErrorString(int e, const char **t) { *t = "system not yet initialized"; return e != 802; }\n'
IPC = "int cuIpcGetMemHandle(void *h, void *m) { return 801; }\n"


def compiled(path: Path, source: str, *flags: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-x", "c", "-o", path, "-", "-x", "none", *flags],
        input=source,
        text=True,
        check=True,
    )
    return path


@pytest.mark.parametrize(
    ("init", "gpus", "want"),
    [
        (0, 2, (2, "")),
        (0, 0, (0, "no NVIDIA GPU: its driver finds none")),
        (100, 0, (0, "no NVIDIA GPU: its driver finds none")),
        (802, 0, (0, "CUDA's driver does not start: system not yet initialized (CUDA error 802)")),
        (999, 0, (0, "CUDA's driver does not start: CUDA error 999")),
    ],
)
def test_a_driver_in_a_folder_of_its_own(
    init: int, gpus: int, want: tuple[int, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled(tmp_path / "lib" / device.LIBRARY, DRIVER.format(init, gpus) + SAYS)
    monkeypatch.setattr(device, "FOLDERS", (tmp_path / "nowhere", tmp_path / "lib"))
    assert device.count() == want


def test_a_driver_that_shares_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled(tmp_path / device.LIBRARY, DRIVER.format(0, 1) + SAYS + IPC)
    monkeypatch.setattr(device, "FOLDERS", (tmp_path,))
    memory = object.__new__(device.Memory)
    memory.driver, memory.at = device.driver(), None
    with pytest.raises(NotRunError, match="the driver of this machine has no cuIpcGetMemHandle: CUDA error 801"):
        memory.handle()


def test_nvidia_smi_in_a_folder_of_the_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho '0, NVIDIA H200'\n")
    tool.chmod(0o700)
    monkeypatch.setattr(device, "FOLDERS", (tmp_path,))
    monkeypatch.setenv("PATH", "/nowhere")
    assert device.smi("index", "name") == [["0", "NVIDIA H200"]]


def test_one_wheel_of_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = f"cp{sys.version_info.major}{sys.version_info.minor}"
    best = f"onnxruntime_gpu-1.30.0-{here}-{here}-manylinux_2_28_x86_64.whl"
    for name in (best, "onnxruntime_gpu-1.30.0-cp27-cp27m-x.whl", f"onnxruntime_gpu-1.9.0-{here}-{here}-x.whl"):
        shutil.copyfile(packed(tmp_path), tmp_path / name)
    shutil.copyfile(packed(tmp_path), tmp_path / "tritonclient-2.60.0-py3-none-any.whl")
    assert library.wheel_in(tmp_path, tmp_path).name == best
    parts, joined = tmp_path / "parts", tmp_path / "joined"
    joined.mkdir()
    monkeypatch.setattr(library, "PART", 50)
    library.split(tmp_path / "tritonclient-2.60.0-py3-none-any.whl", parts)
    with pytest.raises(library.NotUsableError, match="neither a wheel of onnxruntime-gpu"):
        library.wheel_in(parts, joined)
    library.split(tmp_path / best, parts)
    assert library.wheel_in(parts, joined) == joined / best


def packed(folder: Path) -> Path:
    made = folder / "archive"
    if not made.exists():
        shutil.make_archive(str(made), "zip", Path(__file__).parent, "order.py")
        made.with_suffix(".zip").rename(made)
    return made


def test_cudnn_for_another_cuda(tmp_path: Path) -> None:
    old, new, bare = (tmp_path / name for name in ("old", "new", "bare"))
    for packages, major in ((old, "12"), (new, "13"), (bare, "")):
        for part in ("cudnn", f"cu{major}"):
            (packages / f"nvidia/{part}/lib").mkdir(parents=True)
        if major:
            (packages / f"nvidia_cudnn_cu{major}-9.13.0.dist-info").mkdir()
    got = [f.relative_to(tmp_path) for f in library.cuda_folders([old, new, bare], 13) if f.is_relative_to(tmp_path)]
    assert [str(f) for f in got if "cudnn" in str(f)] == ["new/nvidia/cudnn/lib", "bare/nvidia/cudnn/lib"]
    assert Path("old/nvidia/cu12/lib") in got
    made = compiled(tmp_path / "libcudart.so.12", "", "-Wl,-soname,libcudart.so.12")
    provider = compiled(tmp_path / "libonnxruntime_providers_cuda.so", "", "-Wl,--no-as-needed", str(made))
    assert library.cuda_of(str(provider.with_name("libonnxruntime.so"))) == 12
    provider.write_bytes(b"")
    assert library.cuda_of(str(provider)) == library.cuda_of("/nowhere/libonnxruntime.so") == 0


def test_packages_of_another_python(conch: library.Conch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    packages, python = tmp_path / "packages", tmp_path / "python"
    (packages / "nvidia/cudnn/lib").mkdir(parents=True)
    python.write_text(f"#!/bin/sh\necho {packages}\n")
    python.chmod(0o700)
    monkeypatch.setenv("CONCH_PYTHON", str(python))
    monkeypatch.setenv("LD_LIBRARY_PATH", "/first:")
    other = library.Conch(conch.binary, tmp_path / "home")
    assert packages / "nvidia/cudnn/lib" in other.find_cuda()
    folders = other.environment["LD_LIBRARY_PATH"].split(":")
    assert folders[0] == "/first"
    assert str(packages / "nvidia/cudnn/lib") in folders
    assert "" not in folders
    monkeypatch.setenv("CONCH_PYTHON", str(tmp_path / "no Python"))
    assert packages not in library.Conch(conch.binary, tmp_path / "home").packages


def test_a_packed_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binary, work = tmp_path / "conch-headless", tmp_path / "work"
    work.mkdir()
    assert library.unpacked(binary, work) == binary
    with gzip.open(tmp_path / "conch-headless.gz", "wb") as out:
        out.write(b"#!/bin/sh\necho conch 7\n")
    packed = library.Conch(binary, work)
    assert packed.run("--version") == "conch 7\n"
    (tmp_path / "gpucheck-breaks.so").write_bytes(b"brought")
    monkeypatch.setenv("PATH", "")
    assert lost.breaker(packed, tmp_path).read_bytes() == b"brought"


def table_of(check: gpucheck.Check) -> dict[str, tuple[str, str]]:
    return {name: (outcome, said) for name, outcome, said in check.table.rows}


Make = Callable[..., gpucheck.Check]


@pytest.fixture
def make(conch: library.Conch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """Makes a run on a machine with one GPU, as its driver's stand-in tells, and with a build that has CUDA."""
    driver = tmp_path / "driver"
    driver.mkdir()
    for source, name in (
        ("cuda/cudatest/testdata/driver", "libcuda.so.1"),
        ("device/testdata/nvml", "libnvidia-ml.so.1"),
    ):
        subprocess.run(["cc", "-shared", "-fPIC", "-o", driver / name, ENGINE / f"{source}.c"], check=True)
    tool, machine = driver / "nvidia-smi", tmp_path / "machine"
    tool.write_text("#!/bin/sh\necho '0, NVIDIA H200, GPU-1, 580.159, 143771'\n")
    tool.chmod(0o700)
    machine.write_text(f"gpu {140 << 30} {1 << 30} 50 60000 40 0 NVIDIA H200\n")
    conch.environment["FAKE_NVML"] = str(machine)
    monkeypatch.setattr(device, "FOLDERS", (driver,))
    monkeypatch.setattr(device, "count", lambda: (1, ""))

    def made(folder: Path, minutes: float = 30) -> gpucheck.Check:
        check = gpucheck.Check(conch, str(folder), tmp_path, Clock(minutes))
        check.library = lambda: setattr(check, "build", conch.install(folder)) or "has CUDA"
        return check

    return made


def build(conch: library.Conch, folder: Path, needs: str) -> Path:
    """A build whose provider of CUDA is none, and needs a library."""
    shutil.copytree(conch.binary.parents[1] / "cache/onnxruntime", folder)
    stub = compiled(folder / needs, "", f"-Wl,-soname,{needs}")
    compiled(folder / "libonnxruntime_providers_cuda.so", "", "-Wl,--no-as-needed", str(stub))
    return stub


def test_cuda_that_is_missing(make: Make, conch: library.Conch, tmp_path: Path) -> None:
    build(conch, tmp_path / "build", "libcudart.so.13").unlink()
    check = make(tmp_path / "build")
    assert gpucheck.run(check) == 77
    rows = table_of(check)
    assert "Conch: NVIDIA H200; the driver" in rows["devices"][1]
    assert rows["libraries that it needs"][0] == NOT_RUN
    assert "CUDA needs libraries that are not found: libcudart.so.13" in rows["libraries that it needs"][1]
    assert "pip install 'nvidia-cuda-runtime~=13.0'" in rows["libraries that it needs"][1]
    assert {rows[name] for name in order.STEPS} == {(NOT_RUN, "CUDA does not start here: see above")}


def test_cuda_that_does_not_start(make: Make, conch: library.Conch, tmp_path: Path) -> None:
    check = make(tmp_path / "build")
    build(conch, tmp_path / "build", "libcudart.so.13").rename(tmp_path / "driver/libcudart.so.13")
    compiled(tmp_path / "driver/libcudnn.so.9", "")
    check.wheel = packed(tmp_path)
    assert gpucheck.run(check) == 1
    assert table_of(check)[gpucheck.ALONE] == (NOT_RUN, "ONNX Runtime's CUDA provider did not start")
    came, said = table_of(check)[order.START]
    assert came == FAILED
    assert steps.CANNOT in said
    assert [one for one, _ in table_of(check).values()].count(FAILED) == 1


def test_a_machine_without_nvml(make: Make, tmp_path: Path) -> None:
    (tmp_path / "driver/libnvidia-ml.so.1").unlink()
    check = make(tmp_path)
    check.row("devices", check.devices)
    came, said = table_of(check)["devices"]
    assert came == NOT_RUN
    assert "NVIDIA_DRIVER_CAPABILITIES=compute,utility" in said


def test_a_gpu_that_conch_does_not_see(make: Make, conch: library.Conch, tmp_path: Path) -> None:
    conch.environment["FAKE_NVML"] = "/nowhere"
    check = make(tmp_path)
    check.row("devices", check.devices)
    assert table_of(check)["devices"][0] == FAILED


def test_a_program_that_does_not_start(conch: library.Conch, tmp_path: Path) -> None:
    conch.binary = tmp_path / "nothing"
    check = gpucheck.Check(conch, "", tmp_path, Clock(30))
    assert gpucheck.run(check) == 1
    assert "Make it with `make build-headless`" in table_of(check)["program"][1]
    conch.binary.write_text("\x7fELF of another processor")
    conch.binary.chmod(0o700)
    with pytest.raises(library.NotUsableError, match="does not start: Exec format error"):
        conch.run("--version")


def test_a_check_that_hangs(conch: library.Conch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "LONGEST", 0.05)
    forever = threading.Event()
    check = gpucheck.Check(conch, "", tmp_path, Clock(30))
    assert check.row("hangs", lambda: str(forever.wait())) == FAILED
    assert table_of(check)["hangs"][1] == "it has not ended within 0 s"
    assert check.row("goes on", lambda: "yes") == OK
    monkeypatch.setattr(outcome, "LONGEST", 100)
    check.clock.minutes = (time.monotonic() - check.clock.begun + 0.05) / 60
    assert check.row("is cut off", lambda: str(forever.wait())) == NOT_RUN
    assert check.row("is not begun", forever.wait) == NOT_RUN
    assert "minutes of --minutes are over" in table_of(check)["is not begun"][1]


def test_a_program_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PATIENCE", 0.1)
    program = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(1000)"
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    process.stdout.readline()
    with pytest.raises(AssertionError, match=r"did not end in 0\.1 s"):
        server.end(process)
    assert process.poll() == -9
    process.stdout.close()


def test_a_compiler_that_compiles_nothing(
    conch: library.Conch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conch.brought = tmp_path / "bin"
    conch.brought.mkdir()
    cc = tmp_path / "cc"
    cc.write_text("#!/bin/sh\necho stdio.h: No such file >&2\nexit 1\n")
    cc.chmod(0o700)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(NotRunError, match=r"does not compile breaks\.c: stdio\.h: No such file, and there is no "):
        lost.breaker(conch, tmp_path)
    (tmp_path / "bin/gpucheck-breaks.so").write_bytes(b"brought")
    assert lost.breaker(conch, tmp_path).read_bytes() == b"brought"


@pytest.mark.parametrize("said", ["cuModuleLoadData (221)", "cuModuleLoadData (222)"])
def test_a_driver_that_compiles_no_kernel(said: str, tmp_path: Path) -> None:
    (tmp_path / "breaks.so.did").write_text(said)
    with pytest.raises(NotRunError, match="does not compile the kernel"):
        lost.break_gpu(tmp_path / "breaks.so")


def test_figures_of_one_gpu_of_several(monkeypatch: pytest.MonkeyPatch) -> None:
    page = [f'nv_gpu_{what}{{gpu_uuid="GPU-{gpu}"}} {n}' for gpu, n in (("a", 1), ("b", 2)) for what in ("x", "y")]
    of = Server(0, 0, None, None)
    monkeypatch.setattr(of, "page", lambda: page)
    assert of.metrics("GPU-a") == {"nv_gpu_x": 1, "nv_gpu_y": 1}
