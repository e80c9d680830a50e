"""A small client of Triton's HTTP protocol. It needs NumPy alone."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import Any

import numpy as np


class Refused(Exception):
    """The server answered with an error."""


def post(url: str, body: Any) -> Any:
    """Send JSON, and give the JSON of the answer."""
    request = urllib.request.Request(url, json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        raise Refused(json.loads(error.read())["error"]) from None


def infer(
    url: str, model: str, inputs: dict[str, np.ndarray], outputs: list[str] | None = None
) -> dict[str, np.ndarray]:
    """Run a request. Texts are arrays of str objects."""
    body: dict[str, Any] = {"inputs": [_described(name, array) for name, array in inputs.items()]}
    if outputs is not None:
        body["outputs"] = [{"name": name} for name in outputs]
    answer = post(f"{url}/v2/models/{model}/infer", body)
    return {
        one["name"]: np.array(one["data"], _numpy(one["datatype"])).reshape(one["shape"]) for one in answer["outputs"]
    }


def _described(name: str, array: np.ndarray) -> dict[str, Any]:
    data = array.reshape(-1).tolist()
    return {"name": name, "datatype": _triton(array.dtype), "shape": list(array.shape), "data": data}


def _numpy(datatype: str) -> np.dtype:
    return np.dtype("object" if datatype == "BYTES" else datatype.lower().replace("fp", "float"))


def _triton(kind: np.dtype) -> str:
    return "BYTES" if kind == np.object_ else kind.name.upper().replace("FLOAT", "FP")
