"""Starts `conch serve` for the tests of this folder.

CONCH_BINARY names the program; the models are those of examples/repository.
"""

import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient

EXAMPLES = Path(__file__).parents[3] / "examples" / "repository"


@dataclass(frozen=True)
class Server:
    """Where a running server answers, and the repository it serves."""

    http: str
    grpc: str
    metrics: str
    repository: Path


def free_ports() -> list[int]:
    """Three ports that nobody has. They are held together, since the same one could be found twice."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(3)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def client_context(certificates: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=certificates / "root.crt")
    context.load_cert_chain(certificates / "client.crt", certificates / "client.key")
    return context


def wait_ready(process: subprocess.Popen, address: str, log: Path, tls: Path | None) -> None:
    context = client_context(tls) if tls else None
    url = f"{'https' if tls else 'http'}://{address}/v2/health/ready"
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if process.poll() is not None:
            pytest.fail(f"conch serve ended with {process.returncode}:\n{log.read_text()}")
        try:
            with urllib.request.urlopen(url, timeout=5, context=context):
                return
        except OSError:
            time.sleep(0.02)
    pytest.fail(f"conch serve was not ready in 30 s:\n{log.read_text()}")


def command(binary: str, repository: Path, ports: list[int]) -> list[str]:
    http, grpc, metrics = ports
    return [
        binary,
        "serve",
        f"--model-repository={repository}",
        "--model-control-mode=explicit",
        "--load-model=*",
        f"--http-port={http}",
        f"--grpc-port={grpc}",
        f"--metrics-port={metrics}",
        f"--trace-config=triton,file={repository.parent / 'trace.json'}",
    ]


@contextmanager
def serving(folder: Path, *flags: str, tls: Path | None = None) -> Iterator[Server]:
    """A server over a copy of the examples, with more flags. tls is the folder of its certificates, if it uses TLS."""
    binary = os.environ.get("CONCH_BINARY")
    if not binary:
        pytest.fail("set CONCH_BINARY to the conch program to test")
    repository = folder / "repository"
    shutil.copytree(EXAMPLES, repository)
    ports = free_ports()
    log = folder / "log.txt"
    environment = {**os.environ, "CONCH_PYTHON": sys.executable}
    with log.open("w") as out:
        process = subprocess.Popen(
            [*command(binary, repository, ports), *flags], stdout=out, stderr=out, env=environment
        )
    try:
        addresses = [f"127.0.0.1:{port}" for port in ports]
        wait_ready(process, addresses[0], log, tls)
        yield Server(*addresses, repository)
    finally:
        process.terminate()
        code = process.wait(timeout=20)
    assert code == 0, log.read_text()
    assert not re.search(r"panic:|fatal error:", log.read_text())


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("serve")) as running:
        yield running


@pytest.fixture
def http(server: Server) -> Iterator[httpclient.InferenceServerClient]:
    client = httpclient.InferenceServerClient(server.http, concurrency=4)
    yield client
    client.close()


@pytest.fixture
def grpc(server: Server) -> Iterator[grpcclient.InferenceServerClient]:
    client = grpcclient.InferenceServerClient(server.grpc)
    yield client
    client.close()
