"""Serves the ONNX files in the packages of requirements.txt, and the example repository, with `conch serve`.

CONCH_BINARY names the program.
"""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import graphs
import onnxruntime
import pytest
import tritonclient.grpc as grpcclient

CONFIGS = Path(__file__).parent / "repository"
EXAMPLES = Path(__file__).parents[2] / "examples" / "repository"


def package(name: str) -> Path:
    """Find a package's folder without importing it: what it needs beside its models is not installed."""
    return Path(importlib.util.find_spec(name).submodule_search_locations[0])


def recognition() -> Path:
    """Find the model that knows the characters."""
    return package("rapidocr_onnxruntime") / "models" / "ch_PP-OCRv4_rec_infer.onnx"


def model_files() -> dict[str, bytes]:
    """Collect every model file by the name of its model."""
    ocr = package("rapidocr_onnxruntime") / "models"
    files = {
        "ocr_detect": (ocr / "ch_PP-OCRv4_det_infer.onnx").read_bytes(),
        "ocr_direction": (ocr / "ch_ppocr_mobile_v2.0_cls_infer.onnx").read_bytes(),
        "ocr_recognize": recognition().read_bytes(),
        "ocr_prepare": graphs.prepare(),
        "ocr_decode": graphs.decode(graphs.characters(str(recognition()))),
    }
    for file in (package("silero_vad") / "data").glob("*.onnx"):
        files[file.stem] = file.read_bytes()
    return files


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay the models out beside their configs."""
    root = tmp_path_factory.mktemp("real") / "repository"
    shutil.copytree(CONFIGS, root)
    for name, content in model_files().items():
        assert (root / name / "config.pbtxt").exists(), f"no config for {name}"
        (root / name / "1").mkdir()
        (root / name / "1" / "model.onnx").write_bytes(content)
    (root / "ocr_read" / "1").mkdir()
    shutil.copytree(EXAMPLES, root, dirs_exist_ok=True)
    return root


def free_ports() -> list[int]:
    """Three ports that nobody has. They are held together, since the same one could be found twice."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(3)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def wait_ready(process: subprocess.Popen, port: int, log: Path) -> None:
    """Wait until every model serves."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/health/ready", timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"conch serve did not get ready:\n{log.read_text()}")


@pytest.fixture(scope="session")
def address(repository: Path) -> Iterator[str]:
    """Serve the repository; give the gRPC address."""
    binary = os.environ.get("CONCH_BINARY")
    if not binary:
        pytest.fail("set CONCH_BINARY to the conch program to test")
    http, grpc, metrics = free_ports()
    log = repository.parent / "log.txt"
    environment = {**os.environ, "CONCH_DATA_DIR": str(repository.parent / "data"), "CONCH_PYTHON": sys.executable}
    ports = [f"--http-port={http}", f"--grpc-port={grpc}", f"--metrics-port={metrics}"]
    with log.open("w") as out:
        process = subprocess.Popen(
            [binary, "serve", f"--model-repository={repository}", *ports], stdout=out, stderr=out, env=environment
        )
    try:
        wait_ready(process, http, log)
        yield f"127.0.0.1:{grpc}"
    finally:
        process.terminate()
        code = process.wait(timeout=20)
    assert code == 0, log.read_text()


@pytest.fixture
def client(address: str) -> Iterator[grpcclient.InferenceServerClient]:
    """Connect to the server."""
    connected = grpcclient.InferenceServerClient(address)
    yield connected
    connected.close()


@pytest.fixture(scope="session")
def session(repository: Path):  # noqa: ANN201
    """Open a model's file in onnxruntime itself."""

    def open_model(name: str) -> onnxruntime.InferenceSession:
        return onnxruntime.InferenceSession(str(repository / name / "1" / "model.onnx"))

    return open_model
