"""A small client of Triton's HTTP protocol: Python's library alone, so that every interpreter runs it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import numpy as np

TYPES = {
    "bool": "BOOL",
    "uint8": "UINT8",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "float32": "FP32",
    "float64": "FP64",
    "object": "BYTES",
}


class Refused(Exception):
    """The server answered with an error."""


class Client:
    """A server."""

    def __init__(self, url: str) -> None:
        self.url = url

    def post(self, path: str, body: Any) -> Any:
        """Send JSON and return the JSON of the answer."""
        request = urllib.request.Request(self.url + path, json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.loads(answer.read() or b"null")
        except urllib.error.HTTPError as error:
            raise Refused(json.loads(error.read())["error"]) from None

    def index(self) -> list[dict[str, str]]:
        """Return the repository index."""
        return self.post("/v2/repository/index", {})

    def reason(self, model: str) -> str:
        """Return why a model is not ready."""
        return next(row.get("reason", "") for row in self.index() if row["name"] == model)

    def infer(self, model: str, outputs: list[str] | None = None, **inputs: Any) -> dict[str, np.ndarray]:
        """Run a request. Arrays of Python strings are BYTES."""
        body: dict[str, Any] = {"inputs": [described(name, np.asarray(value)) for name, value in inputs.items()]}
        if outputs is not None:
            body["outputs"] = [{"name": name} for name in outputs]
        answer = self.post(f"/v2/models/{model}/infer", body)
        return {one["name"]: np.array(one["data"]).reshape(one["shape"]) for one in answer["outputs"]}


def described(name: str, value: np.ndarray) -> dict[str, Any]:
    """Return an input as JSON."""
    if value.dtype.kind in "US":
        value = value.astype(object)
    datatype = TYPES[value.dtype.name]
    return {"name": name, "datatype": datatype, "shape": list(value.shape), "data": value.reshape(-1).tolist()}
