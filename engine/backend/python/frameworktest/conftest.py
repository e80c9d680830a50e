"""Runs models of frameworks in `conch serve`, and asks them as a client does.

CONCH_BINARY names the program. The interpreter that runs these tests has the frameworks and runs the models as well.
"""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from client import Client

Serve = Callable[..., Client]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder


@pytest.fixture
def serve(tmp_path: Path, repository: Path) -> Iterator[Serve]:
    """Start a server over the test's repository, and wait until its models are loaded or have failed."""
    started: list[tuple[subprocess.Popen, Path]] = []

    def start(*flags: str) -> Client:
        ports = [free_port() for _ in range(3)]
        log = tmp_path / "log.txt"
        binary = os.environ["CONCH_BINARY"]
        command = [binary, "serve", f"--model-repository={repository}", "--exit-on-error=false"]
        command += [f"--{name}-port={port}" for name, port in zip(("http", "grpc", "metrics"), ports, strict=True)]
        env = {**os.environ, "CONCH_PYTHON": sys.executable, "CONCH_DATA_DIR": str(tmp_path / "data")}
        with log.open("w") as out:
            started.append((subprocess.Popen([*command, *flags], stdout=out, stderr=out, env=env), log))
        client = Client(f"http://127.0.0.1:{ports[0]}")
        wait(client, started[-1][0], log)
        return client

    yield start
    for process, log in started:
        process.terminate()
        assert process.wait(timeout=30) == 0, log.read_text()
        assert not re.search(r"panic:|fatal error:", log.read_text())


def wait(client: Client, process: subprocess.Popen, log: Path) -> None:
    """Wait until no model is being loaded."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"conch serve ended with {process.returncode}:\n{log.read_text()}")
        with suppress(OSError):
            urllib.request.urlopen(client.url + "/v2/health/live", timeout=5).close()
            states = [row.get("state") for row in client.index()]
            if states and all(state in ("READY", "UNAVAILABLE") for state in states):
                return
        time.sleep(0.05)
    pytest.fail(f"the models were not loaded in 120 s:\n{log.read_text()}")
