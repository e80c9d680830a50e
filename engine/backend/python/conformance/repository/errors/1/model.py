"""Fails in the way that the request names, or gives what is odd."""

from __future__ import annotations

import json
import sys

import numpy as np
import triton_python_backend_utils as pb_utils


class Own(Exception):
    """An exception of the model's."""


class Unreadable(Exception):
    """An exception whose text cannot be had."""

    def __str__(self) -> str:
        """Fail."""
        raise RuntimeError("in __str__")


def tensor(name: str, value: str) -> pb_utils.Tensor:
    """Make a tensor of one text."""
    return pb_utils.Tensor(name, np.array([value.encode()], dtype=object))


def fine() -> pb_utils.InferenceResponse:
    """Make an ordinary answer."""
    return pb_utils.InferenceResponse([tensor("SAID", '"fine"'), tensor("OTHER", "other")])


def raises(error: BaseException) -> None:
    """Raise from a function of its own."""
    raise error


def failed(code: str) -> list:
    """Answer with an error of a code."""
    if code == "none":
        return [pb_utils.InferenceResponse(error=pb_utils.TritonError("without a code"))]
    return [pb_utils.InferenceResponse(error=pb_utils.TritonError(f"as {code}", getattr(pb_utils.TritonError, code)))]


def both() -> list:
    """Give tensors and an error."""
    return [pb_utils.InferenceResponse([tensor("SAID", '"both"')], pb_utils.TritonError("both of them"))]


ODD = {
    "fine": lambda: [fine()],
    "raise": lambda: raises(Exception("boom from execute")),
    "raise own": lambda: raises(Own("an exception of the model's")),
    "raise model exception": lambda: raises(pb_utils.TritonModelException("a model exception")),
    "raise unreadable": lambda: raises(Unreadable()),
    "raise without text": lambda: raises(ValueError()),
    "raise unicode": lambda: raises(ValueError("schön 漢字")),
    "raise long": lambda: raises(ValueError("x" * 3000)),
    "raise in made code": lambda: eval("absent"),
    "key error": lambda: {}["absent"],
    "exit": lambda: sys.exit(3),
    "interrupt": lambda: raises(KeyboardInterrupt()),
    "from another": lambda: raises(ValueError("the outer")),
    "short": lambda: [],
    "long": lambda: [fine(), fine()],
    "nothing": lambda: None,
    "number": lambda: 7,
    "number in list": lambda: [7],
    "tuple": lambda: (fine(),),
    "no outputs": lambda: [pb_utils.InferenceResponse([])],
    "fewer outputs": lambda: [pb_utils.InferenceResponse([tensor("OTHER", "other")])],
    "unknown output": lambda: [pb_utils.InferenceResponse([tensor("SAID", '"and one"'), tensor("ZZ", "unknown")])],
    "same output twice": lambda: [pb_utils.InferenceResponse([tensor("SAID", '"1"'), tensor("SAID", '"2"')])],
    "wrong type": lambda: [pb_utils.InferenceResponse([pb_utils.Tensor("OTHER", np.array([1.5], np.float32))])],
    "wrong shape": lambda: [pb_utils.InferenceResponse([pb_utils.Tensor("OTHER", np.full([2, 3], b"x", object))])],
    "both": both,
    **{
        f"error {code}": (lambda code=code: failed(code))
        for code in [
            "none",
            "UNKNOWN",
            "INTERNAL",
            "NOT_FOUND",
            "INVALID_ARG",
            "UNAVAILABLE",
            "UNSUPPORTED",
            "ALREADY_EXISTS",
            "CANCELLED",
        ]
    },
}


class TritonPythonModel:
    """Does what is asked."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> object:
        """Do it."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(requests[0], "ASK").as_numpy()[0])
        return ODD[ask["do"]]()
