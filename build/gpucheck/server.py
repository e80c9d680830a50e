"""`conch serve` over a repository, and requests to it."""

import http.client
import json
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from library import Conch

PATIENCE = 45  # seconds for the end of a program, which bounds it itself


class RefusedError(Exception):
    """The server's answer to a request that failed."""


def free_ports() -> list[int]:
    """Three ports that nobody has. They are held together, since the same one could be found twice."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(3)]
        for s in sockets:
            s.bind(("127.0.0.1", 0))
        return [s.getsockname()[1] for s in sockets]


class Server:
    """A running server."""

    def __init__(self, port: int, metrics: int, process: subprocess.Popen, log: Path) -> None:
        """Is made by serving."""
        self.port, self.metrics_port, self.process, self.log = port, metrics, process, log

    def ask(self, method: str, path: str, body: bytes | None = None, headers: dict | None = None) -> bytes:
        """Sends a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            return send(connection, method, path, body, headers)
        finally:
            connection.close()

    def load(self, model: str) -> None:
        """Loads a model."""
        self.ask("POST", f"/v2/repository/models/{model}/load", b"{}")

    def infer(self, model: str, name: str, shape: list[int], data: bytes) -> list[float]:
        """Sends floats to a model with one input, and returns its output."""
        answer = self.ask("POST", f"/v2/models/{model}/infer", *body_of(name, shape, data))
        return json.loads(answer)["outputs"][0]["data"]

    def infer_binary(self, model: str, name: str, output: str, shape: list[int], data: bytes) -> bytes:
        """Sends floats to a model with one input, and returns its output's bytes."""
        body, headers = body_of(name, shape, data, [{"name": output, "parameters": {"binary_data": True}}])
        answer = self.ask("POST", f"/v2/models/{model}/infer", body, headers)
        return answer[len(answer) - len(data) :]

    def page(self) -> list[str]:
        """The lines of the metrics page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=30)
        lines = send(connection, "GET", "/metrics").decode().splitlines()
        connection.close()
        return lines

    def uuids(self, name: str) -> set[str]:
        """The GPUs and instances of GPUs of which a metric tells."""
        return {line.split('gpu_uuid="')[1].split('"')[0] for line in self.page() if line.startswith(name + "{")}

    def metrics(self, uuid: str) -> dict[str, float]:
        """The figures of a GPU, by their names."""
        found = {}
        for line in self.page():
            if line.startswith(("nv_gpu_", "nv_energy_")) and f'"{uuid}"' in line:
                found[line.split("{")[0]] = float(line.split()[-1])
        return found


def send(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict | None = None,
) -> bytes:
    """Sends a request over a connection."""
    connection.request(method, path, body, headers or {})
    reply = connection.getresponse()
    data = reply.read()
    if reply.status != http.client.OK:
        raise RefusedError(f"{reply.status} {data.decode(errors='replace')}")
    return data


def body_of(name: str, shape: list[int], data: bytes, outputs: list[dict] | None = None) -> tuple[bytes, dict]:
    """A request with binary data, and its headers."""
    given = {"name": name, "shape": shape, "datatype": "FP32", "parameters": {"binary_data_size": len(data)}}
    head = json.dumps({"inputs": [given], **({"outputs": outputs} if outputs else {})}).encode()
    return head + data, {"Inference-Header-Content-Length": str(len(head))}


def numbers(data: bytes) -> list[float]:
    """A tensor's bytes as numbers."""
    return list(struct.unpack(f"<{len(data) // 4}f", data))


@contextmanager
def serving(conch: Conch, repository: Path, *flags: str) -> Iterator[Server]:
    """Serves a repository whose models are loaded on request."""
    port, grpc, metrics = free_ports()
    log = repository.parent / f"{repository.name}-{port}.log"
    command = [str(conch.binary), "serve", f"--model-repository={repository}", "--model-control-mode=explicit"]
    command += [f"--http-port={port}", f"--grpc-port={grpc}", f"--metrics-port={metrics}", "--allow-client-shm=true"]
    command += ["--log-verbose=1"]
    with log.open("w") as out:
        process = subprocess.Popen([*command, *flags], stdout=out, stderr=out, env=conch.environment)
    server = Server(port, metrics, process, log)
    try:
        for _ in range(600):
            if process.poll() is not None:
                raise RefusedError(f"conch serve ended with {process.returncode}: {log.read_text()[-2000:]}")
            try:
                server.ask("GET", "/v2/health/live")
                break
            except OSError:
                time.sleep(0.05)
        else:
            raise RefusedError(f"conch serve does not answer: {log.read_text()[-2000:]}")
        yield server
    finally:
        end(process)


def end(process: subprocess.Popen) -> None:
    """Ends a program. One that does not end by itself is killed, and is a fault."""
    process.terminate()
    try:
        process.wait(timeout=PATIENCE)
    except subprocess.TimeoutExpired as late:
        process.kill()
        process.wait()
        raise AssertionError(f"{Path(process.args[0]).name} {process.args[1]} did not end in {PATIENCE} s") from late
