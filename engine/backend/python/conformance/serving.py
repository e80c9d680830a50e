"""Starts the server under test: `conch serve`, or the real Triton.

CONCH_TRITON names a command that serves the repository it is given on $HTTP_PORT, $GRPC_PORT and $METRICS_PORT. Where
it is set, that server is tested; otherwise CONCH_BINARY names the conch program.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient
from tritonclient.utils import InferenceServerException

REPOSITORY = Path(__file__).parent / "repository"
TRITON = os.environ.get("CONCH_TRITON", "")
PATIENCE = 60.0  # seconds for what takes a second or two when the machine has nothing else to do


@dataclass
class Server:
    """A running server, with its clients and the repository that it serves."""

    http_address: str
    grpc_address: str
    metrics_address: str
    repository: Path
    log: Path
    pid: int
    loaded: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Make the clients."""
        self.http = httpclient.InferenceServerClient(
            self.http_address, concurrency=8, connection_timeout=PATIENCE, network_timeout=PATIENCE
        )
        self.grpc = grpcclient.InferenceServerClient(self.grpc_address)

    def close(self) -> None:
        """Close the clients."""
        self.http.close()
        self.grpc.close()

    def need(self, *models: str) -> None:
        """Load models, each once."""
        for model in models:
            if model not in self.loaded:
                self.grpc.load_model(model, client_timeout=PATIENCE)
                self.loaded.add(model)

    def load(self, model: str, config: str | None = None, timeout: float = PATIENCE) -> str:
        """Load a model, and give the reason when the server does not take it."""
        try:
            self.grpc.load_model(model, config=config, client_timeout=timeout)
        except InferenceServerException as e:
            return e.message()
        return "loaded"

    def unload(self, model: str) -> None:
        """Unload a model, and wait until it is gone."""
        self.loaded.discard(model)
        self.grpc.unload_model(model, client_timeout=PATIENCE)
        until(lambda: "unloaded" in self.reason(model), f"{model} is unloaded")

    def reason(self, model: str) -> str:
        """Say why a model is in its state; empty for a ready one."""
        index = self.grpc.get_model_repository_index(client_timeout=PATIENCE)
        return next((m.reason for m in index.models if m.name == model and m.version), "unloaded")

    def logged(self) -> str:
        """Read what the server wrote."""
        return self.log.read_text(errors="replace")

    def metrics(self) -> list[str]:
        """Read the lines of the metrics page."""
        with urllib.request.urlopen(f"http://{self.metrics_address}/metrics", timeout=PATIENCE) as page:
            return page.read().decode().splitlines()


def until(holds: object, what: str) -> None:
    """Wait until something holds that no event tells."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > deadline:
            pytest.fail(f"not within {PATIENCE:.0f} s: {what}")
        time.sleep(0.02)


def free_ports() -> list[int]:
    """Three ports that nobody has. They are held together, since the same one could be found twice."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(3)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


def command(repository: Path, ports: list[int], flags: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """Give the command line and the environment of the server."""
    both = ["--model-control-mode=explicit", "--log-verbose=1", "--exit-timeout-secs=5", *flags]
    named = dict(zip(("HTTP_PORT", "GRPC_PORT", "METRICS_PORT"), map(str, ports), strict=True))
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "CONFORMANCE": "seen"}
    if TRITON:
        return [TRITON, str(repository), "--exit-on-error=false", *both], {**environment, **named}
    binary = os.environ.get("CONCH_BINARY")
    if not binary:
        pytest.fail("set CONCH_BINARY to the conch program to test, or CONCH_TRITON to a command that runs Triton")
    flags = [f"--{name.lower().replace('_', '-')}={port}" for name, port in named.items()]
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"  # a Python that has numpy
    flags.append("--allow-external-paths")  # load requests may bring programs, as they may to the real server
    return [binary, "serve", f"--model-repository={repository}", *flags, *both], environment


def wait_live(process: subprocess.Popen, address: str, log: Path) -> None:
    """Wait until the server answers."""

    def answers() -> bool:
        if process.poll() is not None:
            pytest.fail(f"the server ended with {process.returncode}:\n{log.read_text()}")
        try:
            with urllib.request.urlopen(f"http://{address}/v2/health/live", timeout=5):
                return True
        except OSError:
            return False

    until(answers, f"the server is live:\n{log.read_text()}")


def end(process: subprocess.Popen) -> None:
    """End the server. The real one may keep processes and shared memory, which go with it here."""
    process.terminate()
    if not TRITON:
        assert process.wait(timeout=30) == 0, "conch serve did not end well"
        return
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=15)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for left in Path("/dev/shm").glob(f"*_{process.pid}*"):
        left.unlink()


@contextmanager
def serving(folder: Path, *flags: str, repository: Path = REPOSITORY) -> Iterator[Server]:
    """A server over a copy of a repository."""
    copy = folder / "repository"
    shutil.copytree(repository, copy, ignore=shutil.ignore_patterns("__pycache__"))
    ports = free_ports()
    log = folder / "log.txt"
    line, environment = command(copy, ports, flags)
    with log.open("w") as out:
        process = subprocess.Popen(line, stdout=out, stderr=out, env=environment, start_new_session=True)
    addresses = [f"127.0.0.1:{port}" for port in ports]
    try:
        wait_live(process, addresses[0], log)
        server = Server(*addresses, copy, log, process.pid)
        yield server
        server.close()
    finally:
        end(process)


@cache
def python_version() -> tuple[int, ...]:
    """Give the version of the Python that runs the models; the real server brings its own, which is new enough."""
    if TRITON or "CONCH_PYTHON" not in os.environ:
        return sys.version_info[:2]
    program = "import sys; print(*sys.version_info[:2])"
    told = subprocess.run([os.environ["CONCH_PYTHON"], "-c", program], capture_output=True, text=True, check=True)
    return tuple(int(number) for number in told.stdout.split())
