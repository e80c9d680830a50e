"""Starts `conch serve` with the backend in the folder above. CONCH_BINARY names the program if it is not on PATH."""

from __future__ import annotations

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

import client
import numpy as np
import pytest

BACKEND = Path(__file__).resolve().parents[1]
NAME = "my_backend"
PATIENCE = 60.0  # seconds for a start that takes one


class Server:
    """A server over a copy of the folder models."""

    def __init__(self, url: str, repository: Path) -> None:
        self.url, self.repository = url, repository

    def load(self, model: str) -> None:
        """Load a model, or raise Refused with the reason."""
        client.post(f"{self.url}/v2/repository/models/{model}/load", {})

    def unload(self, model: str) -> None:
        """Unload a model."""
        client.post(f"{self.url}/v2/repository/models/{model}/unload", {})

    def add(self, model: str, name: str, more: str = "") -> Path:
        """Copy a model under another name, with more text in its config, and give the copy's folder."""
        folder = self.repository / name
        shutil.copytree(self.repository / model, folder)
        with (folder / "config.pbtxt").open("a") as config:
            config.write(f"\n{more}\n")
        return folder

    def infer(self, model: str, inputs: dict[str, np.ndarray], outputs: list[str] | None = None) -> dict:
        """Run a request, or raise Refused with the reason."""
        return client.infer(self.url, model, inputs, outputs)


def free_ports() -> list[int]:
    """Three ports that nobody has. They are held together, since the same one could be found twice."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(3)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve the models. The Python of these tests runs them, unless CONCH_PYTHON or the backend has another."""
    binary = os.environ.get("CONCH_BINARY") or shutil.which("conch") or shutil.which("conch-headless")
    assert binary, "conch is not on PATH: set CONCH_BINARY to the program"
    folder = tmp_path_factory.mktemp("conch")
    shutil.copytree(BACKEND / "models", folder / "models")
    (folder / "backends").mkdir()
    (folder / "backends" / NAME).symlink_to(BACKEND)
    ports = free_ports()
    command = [binary, "serve", f"--model-repository={folder / 'models'}", f"--backend-directory={folder / 'backends'}"]
    command += [f"--{name}-port={ports[n]}" for n, name in enumerate(("http", "grpc", "metrics"))]
    log = folder / "log.txt"
    environment = {
        **os.environ,
        "CONCH_PYTHON": os.environ.get("CONCH_PYTHON") or sys.executable,
        "CONCH_DATA_DIR": str(folder / "data"),
    }
    with log.open("w") as out:
        command += ["--model-control-mode=explicit"]
        process = subprocess.Popen(command, stdout=out, stderr=out, env=environment)
    try:
        url = f"http://127.0.0.1:{ports[0]}"
        wait(process, url, log)
        yield Server(url, folder / "models")
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait(process: subprocess.Popen, url: str, log: Path) -> None:
    """Wait until the server answers."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        assert process.poll() is None, f"conch serve ended:\n{log.read_text()}"
        try:
            urllib.request.urlopen(f"{url}/v2/health/live", timeout=5).close()
            return
        except OSError:
            time.sleep(0.05)
    pytest.fail(f"conch serve did not answer in {PATIENCE:.0f} s:\n{log.read_text()}")
