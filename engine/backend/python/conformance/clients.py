"""Requests to the server under test, the same over HTTP and gRPC."""

import json
import queue
from collections.abc import Iterable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import tritonclient.grpc as grpcclient
import tritonclient.http as httpclient
from serving import PATIENCE, Server
from tritonclient.utils import InferenceServerException, np_to_triton_dtype

Arrays = dict[str, np.ndarray]


@dataclass
class Answer:
    """What came back: the outputs in their order, and the response's other fields."""

    outputs: Arrays
    types: dict[str, str]
    id: str
    parameters: dict[str, Any]


class Client:
    """Asks models over one protocol."""

    def __init__(self, server: Server, protocol: str) -> None:
        self.server, self.protocol = server, protocol
        self.kind = httpclient if protocol == "http" else grpcclient
        self.stub = server.http if protocol == "http" else server.grpc

    def infer(self, model: str, arrays: Arrays, outputs: Iterable[str] | None = None, **more: object) -> Answer:
        """Send a request and wait for its answer."""
        wanted = None if outputs is None else [self.kind.InferRequestedOutput(name) for name in outputs]
        if self.protocol == "grpc":
            more.setdefault("client_timeout", PATIENCE)
        result = self.stub.infer(model, inputs(self.kind, arrays), outputs=wanted, **more)
        return answer(result, self.protocol)

    def fails(self, model: str, arrays: Arrays, **more: object) -> str:
        """Send a request, and give the text of its error with the status before it."""
        try:
            got = self.infer(model, arrays, **more)
        except InferenceServerException as e:
            return f"{e.status()}: {e.message()}"
        return f"no error: {sorted(got.outputs)}"

    def ask(self, model: str, /, **what: object) -> Any:
        """Ask a model that takes JSON in ASK and gives JSON in SAID; an error gives its text."""
        more = {name: what.pop(name) for name in ("parameters", "client_timeout") if name in what}
        try:
            got = self.infer(model, {"ASK": text(json.dumps(what))}, **more)
        except InferenceServerException as e:
            if "connect" in e.message() or "Socket closed" in e.message():
                raise  # the server has gone
            return f"{e.status()}: {e.message()}"
        if "SAID" not in got.outputs:
            return f"no answer: {sorted(got.outputs)}"
        return json.loads(got.outputs["SAID"].flatten()[0])


def text(value: str | bytes) -> np.ndarray:
    """Make a tensor of one text."""
    return np.array([value.encode() if isinstance(value, str) else value], dtype=object)


def answer(result: httpclient.InferResult | grpcclient.InferResult, protocol: str) -> Answer:
    """Read a result of either client."""
    response = result.get_response()
    if protocol == "http":
        outputs = response.get("outputs", [])
        names = [o["name"] for o in outputs]
        types = {o["name"]: o["datatype"] for o in outputs}
        fields = response.get("parameters", {})
        return Answer({n: result.as_numpy(n) for n in names}, types, response.get("id", ""), fields)
    types = {o.name: o.datatype for o in response.outputs}
    fields = {k: getattr(v, v.WhichOneof("parameter_choice")) for k, v in response.parameters.items()}
    fields.pop("triton_final_response", None)
    return Answer({o.name: result.as_numpy(o.name) for o in response.outputs}, types, response.id, fields)


@dataclass
class Streamed:
    """One message of a stream: an answer or an error's text, and whether it is the request's last."""

    outputs: Arrays
    error: str
    final: bool
    id: str


class Stream:
    """A bidirectional stream of requests to decoupled models."""

    def __init__(self, server: Server) -> None:
        self.client = grpcclient.InferenceServerClient(server.grpc_address)
        self.came: queue.Queue[Streamed] = queue.Queue()
        self.client.start_stream(callback=self.take)

    def __enter__(self) -> "Stream":
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the stream, and cancel what still runs."""
        self.client.stop_stream(cancel_requests=True)
        self.client.close()

    def take(self, result: grpcclient.InferResult | None, error: InferenceServerException | None) -> None:
        """Keep what came."""
        if error is not None:
            self.came.put(Streamed({}, error.message(), False, ""))
            return
        response = result.get_response()
        final = "triton_final_response" in response.parameters and response.parameters["triton_final_response"]
        outputs = {o.name: result.as_numpy(o.name) for o in response.outputs}
        self.came.put(Streamed(outputs, "", bool(final and final.bool_param), response.id))

    def send(self, model: str, arrays: Arrays, **more: object) -> None:
        """Send a request."""
        self.client.async_stream_infer(model, inputs(grpcclient, arrays), enable_empty_final_response=True, **more)

    def next(self) -> Streamed:
        """Wait for one message."""
        return self.came.get(timeout=PATIENCE)

    def all(self) -> list[Streamed]:
        """Wait for all messages of one request, up to its last or an error."""
        came = [self.next()]
        while not came[-1].final and not came[-1].error:
            came.append(self.next())
        return came


def inputs(kind: ModuleType, arrays: Arrays) -> list:
    """Make the inputs of a request for the client library of one protocol."""
    made = []
    for name, array in arrays.items():
        one = kind.InferInput(name, list(array.shape), np_to_triton_dtype(array.dtype))
        one.set_data_from_numpy(array)
        made.append(one)
    return made
