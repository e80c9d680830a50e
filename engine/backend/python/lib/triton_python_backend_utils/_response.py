"""Responses, and how they are sent."""

from __future__ import annotations

import json
import threading
from typing import Any

from ._errors import TritonError, TritonModelException
from ._tensor import Tensor
from ._world import current

TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1


class InferenceResponse:
    """The answer to a request: outputs, or an error."""

    __slots__ = ("_error", "_parameters", "_tensors")

    def __init__(
        self,
        output_tensors: list[Tensor] | None = None,
        error: TritonError | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self._tensors = [] if output_tensors is None else list(output_tensors)
        if error is not None and not isinstance(error, TritonError):
            raise TypeError(f"InferenceResponse: the error is a {type(error).__name__}, not a TritonError")
        self._error = error
        self._parameters = written(parameters)
        for tensor in self._tensors:
            if not isinstance(tensor, Tensor):
                raise TypeError(f"InferenceResponse: an output is a {type(tensor).__name__}, not a Tensor")

    def output_tensors(self) -> list[Tensor]:
        """Return the outputs."""
        return self._tensors

    def has_error(self) -> bool:
        """Whether it is an error."""
        return self._error is not None

    def error(self) -> TritonError | None:
        """Return the error, or None."""
        return self._error

    def parameters(self) -> str:
        """Return the parameters as a JSON object."""
        return self._parameters or "{}"


def written(parameters: dict[str, Any] | None) -> str:
    """Write parameters as JSON; "" for none."""
    if not parameters:
        return ""
    for value in parameters.values():
        if not isinstance(value, (bool, int, str)):
            raise TritonModelException(f"Expect parameters values to have type bool/int/str, found type {type(value)}")
    return json.dumps(parameters)


class InferenceResponseSender:
    """Sends the responses of one request, also after execute has returned."""

    __slots__ = ("_closed", "_decoupled", "_handle", "_sent")

    def __init__(self, handle: int, decoupled: bool) -> None:
        self._handle = handle
        self._decoupled = decoupled
        self._closed = self._sent = False

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the request any more."""
        return current().cancelled(self._handle)

    def send(self, response: InferenceResponse | None = None, flags: int = 0) -> None:
        """Send a response. The last one has the flag TRITONSERVER_RESPONSE_COMPLETE_FINAL, or it is sent alone."""
        if flags not in (0, TRITONSERVER_RESPONSE_COMPLETE_FINAL):
            raise _refused("Unsupported flag provided.")
        with _TURN:
            self._take_turn(response, bool(flags))
        current().send(self._handle, response, bool(flags))

    def _take_turn(self, response: InferenceResponse | None, final: bool) -> None:
        if self._closed and (self._decoupled or response is None):
            raise _refused("Response sender has been closed.")
        if response is None and not final:
            raise TritonModelException(
                "Inference Response object must be provided when the response flags is set to zero."
            )
        if not self._decoupled:
            if self._sent and response is not None:
                raise _refused("Non-decoupled model cannot send more than one response.")
            if not self._sent and response is None:
                raise _refused("Non-decoupled model cannot send complete final before sending a response.")
        if response is not None and not isinstance(response, InferenceResponse):
            raise TypeError(f"send: the response is a {type(response).__name__}, not an InferenceResponse")
        self._sent = self._sent or response is not None
        self._closed = final


_TURN = threading.Lock()  # several threads may use one sender


def _refused(why: str) -> TritonModelException:
    return TritonModelException(f"Unable to send response. {why}")
