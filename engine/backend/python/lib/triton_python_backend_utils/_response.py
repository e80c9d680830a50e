"""Responses, and how they are sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from typing import Any

from ._errors import TritonError, TritonModelException
from ._native import Uncopied, elements, integer, need
from ._tensor import Tensor
from ._world import current

TRITONSERVER_RESPONSE_COMPLETE_FINAL = 1


class InferenceResponse(Uncopied):
    """The answer to a request: outputs, or an error."""

    __slots__ = ("_error", "_parameters", "_tensors")

    def __init__(
        self,
        output_tensors: Iterable[Tensor] = (),
        error: TritonError | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        self._tensors = elements("InferenceResponse: output_tensors", output_tensors)
        if error is not None:
            need("InferenceResponse: error", error, TritonError)
        self._error = error
        self._parameters = written(parameters)
        for tensor in self._tensors:
            if tensor is None:
                raise TritonModelException("Output tensor for inference response should not be empty.")
            need("InferenceResponse: an output", tensor, Tensor)

    def __repr__(self) -> str:
        said = [f"error {str(self._error)!r}"] if self._error is not None else []
        return f"<InferenceResponse {', '.join([*said, *map(repr, self._tensors)])}>"

    def output_tensors(self) -> list[Tensor]:
        """Return the outputs."""
        return list(self._tensors)

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
    if parameters is None:
        return ""
    if not isinstance(parameters, dict):
        raise TritonModelException(f"Expect dict, got {type(parameters)}")
    for name, value in parameters.items():
        if not isinstance(name, str):
            raise TritonModelException(f"Expect parameters keys to have type str, found type {type(name)}")
        if not isinstance(value, (bool, int, str)):
            raise TritonModelException(f"Expect parameters values to have type bool/int/str, found type {type(value)}")
    return json.dumps(parameters) if parameters else ""


class Claim:
    """What can still answer a request. It and its sender share this; Python frees it with the last of them."""

    __slots__ = ("handle", "is_open")

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self.is_open = True

    def __del__(self) -> None:
        if self.is_open:
            current().abandoned(self.handle)


class InferenceResponseSender(Uncopied):
    """Sends the responses of one request, also after execute has returned."""

    __slots__ = ("_claim", "_closed", "_decoupled", "_handle", "_sent")

    def __init__(self, claim: Claim, decoupled: bool) -> None:
        self._claim = claim
        self._handle = claim.handle
        self._decoupled = decoupled
        self._closed = self._sent = False

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the request any more."""
        return current().cancelled(self._handle)

    def send(self, response: InferenceResponse | None = None, flags: int = 0) -> None:
        """Send a response. The last one has the flag TRITONSERVER_RESPONSE_COMPLETE_FINAL, or it is sent alone."""
        if response is not None:
            need("send: response", response, InferenceResponse)
        if integer("send: flags", flags, 32) not in (0, TRITONSERVER_RESPONSE_COMPLETE_FINAL):
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
        self._sent = self._sent or response is not None
        self._closed = final


_TURN = threading.Lock()  # several threads may use one sender


def _refused(why: str) -> TritonModelException:
    return TritonModelException(f"Unable to send response. {why}")
