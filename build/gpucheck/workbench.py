"""The workbench, asked as its page asks it."""

import base64
import http.client
import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import models
from library import Conch
from server import RefusedError, end
from steps import CHANNELS, DEPTH, PICTURE, SIDE, TOLERANCE, Place

PATIENCE = 300  # seconds for the first load, which reads CUDA from a disk


class Workbench:
    """A running `conch web`."""

    def __init__(self, url: str) -> None:
        """Takes the address that the program prints."""
        parts = urlsplit(url)
        self.host, self.token = parts.netloc, parts.fragment.removeprefix("token=")

    def ask(self, method: str, message: dict) -> dict:
        """Asks for one answer."""
        return json.loads(self.send(method, json.dumps(message).encode(), "application/json"))

    def last(self, method: str, message: dict) -> dict:
        """Asks for a stream, and returns the last message before its end."""
        body = json.dumps(message).encode()
        data = self.send(method, b"\0" + len(body).to_bytes(4, "big") + body, "application/connect+json")
        frames = []
        while data:
            size = int.from_bytes(data[1:5], "big")
            frames.append(json.loads(data[5 : 5 + size]))
            data = data[5 + size :]
        if error := frames[-1].get("error"):
            raise RefusedError(error.get("message", error["code"]))
        return frames[-2]

    def engine(self) -> dict:
        """What the workbench tells of its engine: the first message of a stream that has no end."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        try:
            reply = self.begin(connection, "WorkspaceService/Watch", b"\0\0\0\0\2{}", "application/connect+json")
            return json.loads(reply.read(int.from_bytes(reply.read(5)[1:], "big")))["engine"]
        finally:
            connection.close()

    def log(self) -> list[str]:
        """What the engines of this workbench have written."""
        return [line["text"] for line in self.ask("WorkspaceService/ListLog", {}).get("lines", [])]

    def begin(self, to: http.client.HTTPConnection, method: str, body: bytes, kind: str) -> http.client.HTTPResponse:
        """Sends a message over a connection."""
        headers = {"Content-Type": kind, "Connect-Protocol-Version": "1", "Authorization": f"Bearer {self.token}"}
        to.request("POST", f"/api/conch.v1.{method}", body, headers)
        return to.getresponse()

    def send(self, method: str, body: bytes, kind: str) -> bytes:
        """Sends a message, and returns what comes."""
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        reply = self.begin(connection, method, body, kind)
        data = reply.read()
        connection.close()
        if reply.status != http.client.OK:
            raise RefusedError(f"{method}: {reply.status} {data.decode(errors='replace')}")
        return data

    def ready(self, model: str) -> None:
        """Waits until a model serves."""
        end = time.monotonic() + PATIENCE
        while True:
            told = self.ask("ModelService/GetModel", {"name": model}).get("summary", {})
            state = told.get("state")
            if state == "MODEL_STATE_READY":
                return
            if state == "MODEL_STATE_FAILED" or time.monotonic() > end:
                raise AssertionError(f"{model} does not serve: {told.get('reason', state)}")
            time.sleep(0.1)


@contextmanager
def opened(conch: Conch, repository: Path, *flags: str) -> Iterator[Workbench]:
    """The workbench over a repository, on the usual ports, or free ones."""
    command = [str(conch.binary), "web", *flags, str(repository)]
    log = repository.parent / f"{repository.name}.log"
    with log.open("w") as out:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=out, env=conch.environment, text=True)
    try:
        line = process.stdout.readline()
        if " http" not in line:
            raise RefusedError(f"conch web does not start: {line}{log.read_text()[-1000:]}")
        yield Workbench(line.split()[-1])
    finally:
        end(process)
        process.stdout.close()


def compare(p: Place) -> str:
    """Compare of one request: the model as it serves, and once more on the CPU."""
    on_gpu = p.kind == "KIND_GPU"
    repository = p.folder.parent / "compared"
    exact = models.accelerator("cuda", {"use_tf32": "0"}) if on_gpu else ""
    models.write(repository, "network", models.convolutions(SIDE, CHANNELS, DEPTH), models.config(p.kind, 8, exact))
    data = base64.b64encode(models.floats(4 * PICTURE, 13)).decode()
    given = {"name": "X", "datatype": "FP32", "shape": [4, 3, SIDE, SIDE], "raw": data}
    with opened(p.conch, repository) as workbench:
        workbench.ready("network")
        order = {"request": {"model": "network", "inputs": [given]}, "provider": "cpu" if on_gpu else "cpu-unoptimized"}
        return judged(workbench.last("TryService/CompareAnswers", order), "GPU" if on_gpu else "CPU")


def judged(told: dict, first: str) -> str:
    """Says what a comparison told; fails when the outputs differ, or the first side did not run where it should."""
    sides = [told["first"], told["second"]]
    for side in sides:
        if error := side.get("error"):
            raise AssertionError(f"{side.get('runsOn')}: {error}")
    if first not in sides[0].get("runsOn", ""):
        raise AssertionError(f"the model runs on {sides[0].get('runsOn')}, not on the {first}")
    for output in told["outputs"]:
        worst = float(output.get("absolute", 0))
        if output.get("trouble") or output.get("odd") or not worst <= TOLERANCE:
            raise AssertionError(f"{output['name']} differs by {worst:.2g}: {json.dumps(output)}")
    times = " and ".join(f"{side['runsOn']} {side['medianMs']:.2f} ms" for side in sides)
    return f"{times}; largest difference {max(float(o.get('absolute', 0)) for o in told['outputs']):.2g}"
