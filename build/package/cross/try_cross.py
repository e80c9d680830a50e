"""Tries conch-headless for other systems where this machine can: Linux on arm64 with qemu-user, Windows with Wine.

python -m pytest build/package/cross/try_cross.py, after `make package-cross`. What the program answers is held against
the program of this machine. Nothing runs a program of macOS: of that one only the file is looked at.
"""

import contextlib
import json
import os
import shutil
import socket
import struct
import subprocess
import tarfile
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[3]
PACKAGES = TREE / "build/packages"
HERE = TREE / "build/package/cross"
HOST = TREE / "build/bin/conch-headless"
ARM = Path("/usr/aarch64-linux-gnu")  # the C library of Debian's libc6-arm64-cross
START_S = 120
MESSY = 'name:   "m"\nmax_batch_size:8 # as many\ninput [ {name:"A" data_type:TYPE_FP32 dims:[1]} ]\n'

Program = Callable[..., subprocess.CompletedProcess]


def unpacked(system: str, to: Path) -> Path:
    """The folder of the archive for a system, with what every archive has."""
    (archive,) = PACKAGES.glob(f"conch-headless-*-{system}.*")
    if archive.suffix == ".zip":
        with zipfile.ZipFile(archive) as packed:
            packed.extractall(to)
    else:
        with tarfile.open(archive) as packed:
            packed.extractall(to, filter="data")
        assert len(list(to.rglob("conch.1.gz"))) == 1
    (folder,) = to.iterdir()
    assert "Apache License" in (folder / "LICENSE").read_text()
    assert "ONNX Runtime" in (folder / "NOTICES").read_text()
    return folder


def run(words: list, variables: dict[str, str]) -> subprocess.CompletedProcess:
    """Runs a program in the root of the tree."""
    return subprocess.run(
        [str(w) for w in words], cwd=TREE, env={**os.environ, **variables}, capture_output=True, text=True, timeout=300
    )


@pytest.fixture(scope="module")
def arm(tmp_path_factory: pytest.TempPathFactory) -> list:
    """How to start the program for arm64."""
    emulator = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if not emulator or not ARM.exists():
        pytest.skip(
            "linux-arm64 was only built: qemu-user-static, libc6-arm64-cross or libstdc++6-arm64-cross is missing"
        )
    folder = unpacked("linux-arm64", tmp_path_factory.mktemp("arm"))
    root = tmp_path_factory.mktemp("root")
    (root / "lib").symlink_to(ARM / "lib")
    # ONNX Runtime reads this file, and qemu shows that of the host, which has other lines and ends the library.
    (root / "proc").mkdir()
    lines = ["Features	: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics", "CPU implementer	: 0x41"]
    lines += ["CPU architecture: 8", "CPU variant	: 0x3", "CPU part	: 0xd08", "CPU revision	: 3"]
    (root / "proc/cpuinfo").write_text("".join(f"processor\t: {n}\n" + "\n".join(lines) + "\n\n" for n in range(2)))
    return [emulator, "-L", root, folder / "conch-headless"]


@pytest.fixture(scope="module")
def wine(tmp_path_factory: pytest.TempPathFactory) -> tuple[list, dict[str, str]]:
    """How to start the program for Windows, and with which variables."""
    program = shutil.which("wine")
    if not program:
        pytest.skip("windows-amd64 was only built: Debian's wine64 and wine are not here")
    folder = unpacked("windows-amd64", tmp_path_factory.mktemp("windows"))
    assert (folder / "onnxruntime.dll").read_bytes()[:2] == b"MZ"
    variables = {"WINEPREFIX": str(tmp_path_factory.mktemp("wine") / "prefix"), "WINEDEBUG": "-all", "DISPLAY": ""}
    run([program, "wineboot", "--init"], variables)
    system = Path(variables["WINEPREFIX"]) / "drive_c/windows/system32"
    if not (system / "bcryptprimitives.dll").exists():
        zig("x86_64-windows-gnu", "-shared", HERE / "prng.c", "-o", system / "bcryptprimitives.dll", "-ladvapi32")
    return [program, folder / "conch-headless.exe"], variables


def zig(target: str, *words: object) -> None:
    """Compiles C for another system."""
    python = TREE / "build/cache/venv-cross/bin/python"
    subprocess.run([python, "-m", "ziglang", "cc", "-target", target, *words], check=True)


def test_linux_arm64(arm: list, tmp_path: Path) -> None:
    """The language, `check`, `fmt` and `explain` on arm64 answer as here."""
    language(lambda *words: run([*arm, *words], {}), tmp_path, str)


def test_windows(wine: tuple[list, dict[str, str]], tmp_path: Path) -> None:
    """The same on Windows."""
    language(
        lambda *words: run([*wine[0], *words], wine[1]), tmp_path, lambda path: "Z:" + str(path).replace("/", "\\")
    )


def test_windows_tells_of_gpus(wine: tuple[list, dict[str, str]], tmp_path: Path) -> None:
    """The program for Windows reads NVIDIA's GPUs by the driver's own library, and tells when that is damaged."""
    library = Path(wine[1]["WINEPREFIX"]) / "drive_c/windows/system32/nvml.dll"
    machine = tmp_path / "machine"
    gpus = (("0", "H100"), ("15", "T4"), ("0", "L4"))  # the second one is lost
    machine.write_text("".join(f"gpu {80 << 30} 0 0 0 40 {reached} NVIDIA {name}\n" for reached, name in gpus))

    def told() -> str:
        variables = {**wine[1], "FAKE_NVML": "Z:" + str(machine).replace("/", "\\")}
        return run([*wine[0], "runtime", "list"], variables).stdout.splitlines()[0]

    left = "NVIDIA H100, NVIDIA L4; the driver 580.65 runs CUDA up to 13.0; it has lost GPU 1, "
    assert told() == "This machine: no NVIDIA GPU, or no driver for it"
    try:
        zig("x86_64-windows-gnu", "-shared", "-w", TREE / "engine/device/testdata/nvml.c", "-o", library)
        assert told().startswith(f"This machine: {left}")
        library.write_bytes(library.read_bytes()[:100_000])
        assert "nvml.dll is damaged, or no library of this system" in told()
    finally:
        library.unlink()


def test_windows_another_drive(wine: tuple[list, dict[str, str]], tmp_path: Path) -> None:
    """What is deleted on another drive than the trash is copied there, and back when that is undone."""
    memory = Path("/dev/shm")
    prefix = Path(wine[1]["WINEPREFIX"])
    if not memory.is_dir() or memory.stat().st_dev == prefix.stat().st_dev:
        pytest.skip("another drive was not tried: /dev/shm is no other file system here")
    tests = tmp_path / "trash.exe"
    build = {"CGO_ENABLED": "0", "GOOS": "windows", "GOARCH": "amd64"}
    built = run(["go", "test", "-c", "-o", tests, "./repo/trash"], build)
    assert built.returncode == 0, built.stderr
    with tempfile.TemporaryDirectory(dir=memory) as drive:
        (prefix / "dosdevices/d:").symlink_to(drive)
        done = run([wine[0][0], tests, "-test.v", "-test.run=AnotherDrive"], {**wine[1], "CONCH_OTHER_DRIVE": "D:\\"})
    assert "--- PASS: TestAnotherDrive" in done.stdout, done.stdout + done.stderr


def language(there: Program, folder: Path, shown: Callable[[Path], str]) -> None:
    """Holds a program against the one of this machine."""

    def here(*words: object) -> subprocess.CompletedProcess:
        return run([HOST, *words], {})

    for words in [["--version"], ["explain"], ["explain", "L5"], ["check", "examples/repository"]]:
        ours, others = here(*words), there(*words)
        assert others.returncode == ours.returncode, f"{words}: {others.stderr}"
        assert others.stdout.replace("\r\n", "\n") == ours.stdout, words
    ours, others = (ask("check", "--format=json", "examples/broken") for ask in (here, there))
    assert others.returncode == ours.returncode == 1, others.stderr
    assert verdicts(others.stdout) == verdicts(ours.stdout) != []
    for ask, name, place in ((here, str, "here"), (there, shown, "there")):
        config = folder / place / "config.pbtxt"
        config.parent.mkdir()
        config.write_text(MESSY)
        done = ask("fmt", "--write", name(config))
        assert done.returncode == 0, done.stderr
    texts = {file.read_bytes() for file in folder.glob("*/config.pbtxt")}
    assert len(texts) == 1
    assert b"as many" in texts.pop()


def verdicts(text: str) -> list[tuple]:
    """Each finding of `conch check`, without how the system writes paths."""
    found = json.loads(text)["diagnostics"]
    return [(d["file"].replace("\\", "/"), d["line"], d["column"], d["code"], d["message"]) for d in found]


def free_ports() -> list[int]:
    """Three ports that nobody has. They are held together, since the same one could be found twice."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(3)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def test_linux_arm64_serves(arm: list, tmp_path: Path) -> None:
    """`conch serve` on arm64 runs an ONNX model, and calls a library of NVML that it finds when it starts."""
    command = arm
    zig("aarch64-linux-gnu", "-shared", "-fPIC", HERE / "nvml_fake.c", "-o", tmp_path / "libnvidia-ml.so.1")
    http, grpc, metrics = free_ports()
    words = [*command[:-1], "-E", f"LD_LIBRARY_PATH={tmp_path}", command[-1], "serve", "--model-control-mode=explicit"]
    words += [f"--model-repository={TREE}/examples/repository", "--load-model=add_sub"]
    words += [f"--http-port={http}", f"--grpc-port={grpc}", f"--metrics-port={metrics}"]
    log = tmp_path / "log"
    with log.open("w") as out, subprocess.Popen([str(w) for w in words], stdout=out, stderr=out) as process:
        try:
            answer = asked(process, http, log)
        finally:
            process.terminate()
    assert answer["outputs"][0]["data"] == [7] * 16
    assert "nvmlInit_v2 was called" in log.read_text()


def asked(process: subprocess.Popen, port: int, log: Path) -> dict:
    """What the server answers to 3 + 4, as soon as it does."""
    inputs = [{"name": f"INPUT{n}", "datatype": "INT32", "shape": [1, 16], "data": [n + 3] * 16} for n in (0, 1)]
    deadline = time.monotonic() + START_S
    while True:
        assert process.poll() is None and time.monotonic() < deadline, log.read_text()[-3000:]
        with contextlib.suppress(OSError):
            body = json.dumps({"inputs": inputs}).encode()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/models/add_sub/infer", body, timeout=20) as answer:
                return json.load(answer)
        time.sleep(0.5)


def test_macos_was_only_built(tmp_path: Path) -> None:
    """The file is a signed program of arm64 that needs libraries of the system alone. Nothing here can start it."""
    folder = unpacked("darwin-arm64", tmp_path)
    assert (folder / "libonnxruntime.dylib").read_bytes()[:4] == b"\xcf\xfa\xed\xfe"
    program = (folder / "conch-headless").read_bytes()
    magic, processor, _, kind, count = struct.unpack_from("<IIIII", program)
    assert (magic, processor, kind) == (0xFEEDFACF, 0x0100000C, 2)
    at, signed, libraries = 32, False, []
    for _ in range(count):
        command, size = struct.unpack_from("<II", program, at)
        signed = signed or command == 0x1D
        if command in (0xC, 0x80000018):
            name = at + struct.unpack_from("<I", program, at + 8)[0]
            libraries.append(program[name : program.index(b"\0", name)].decode())
        at += size
    assert signed and libraries
    assert [x for x in libraries if not x.startswith(("/usr/lib/", "/System/Library/Frameworks/"))] == []
