"""Requests: those that a model gets, and those that it makes to other models."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Any, NoReturn

from ._errors import TritonModelException
from ._native import Constant, Uncopied, elements, integer, need, text, truth
from ._response import Claim, InferenceResponse, InferenceResponseSender, written
from ._tensor import Tensor
from ._world import current

TRITONSERVER_REQUEST_FLAG_SEQUENCE_START = 1
TRITONSERVER_REQUEST_FLAG_SEQUENCE_END = 2
TRITONSERVER_REQUEST_RELEASE_ALL = 1
TRITONSERVER_REQUEST_RELEASE_RESCHEDULE = 2


class MemoryType(Constant):
    """Where a tensor lies."""

    TRITONSERVER_MEMORY_GPU = 0
    TRITONSERVER_MEMORY_CPU = 1


TRITONSERVER_MEMORY_CPU = MemoryType.TRITONSERVER_MEMORY_CPU
TRITONSERVER_MEMORY_GPU = MemoryType.TRITONSERVER_MEMORY_GPU


class PreferredMemory:
    """Where the outputs of a called model should lie. Conch has them in the memory of the processor."""

    def __init__(self, preferred_memory_type: MemoryType, preferred_device_id: int = 0) -> None:
        need("PreferredMemory: preferred_memory_type", preferred_memory_type, MemoryType)
        self._kind = preferred_memory_type
        self._device = integer("PreferredMemory: preferred_device_id", preferred_device_id, 64, signed=True)


class InferenceTrace(Uncopied):
    """The trace of a request."""

    def __init__(self, context: str = "") -> None:
        self._context = context

    def get_context(self) -> str | None:
        """Return the context of OpenTelemetry as JSON, or None."""
        return self._context or None


_CPU = PreferredMemory(TRITONSERVER_MEMORY_CPU)
_NO_TRACE = InferenceTrace()


class InferenceRequest(Uncopied):
    """A request."""

    __slots__ = (
        "_claim",
        "_correlation_id",
        "_decoupled",
        "_flags",
        "_handle",
        "_inputs",
        "_model_name",
        "_model_version",
        "_outputs",
        "_parameters",
        "_release",
        "_request_id",
        "_sender",
        "_timeout",
        "_trace",
    )

    def __init__(
        self,
        request_id: str = "",
        correlation_id: int | str = 0,
        inputs: Iterable[Tensor] | None = None,
        requested_output_names: Iterable[str] | None = None,
        model_name: str | None = None,
        model_version: int = -1,
        flags: int = 0,
        timeout: int = 0,
        preferred_memory: PreferredMemory = _CPU,
        trace: InferenceTrace = _NO_TRACE,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        for argument, given in (
            ("inputs", inputs),
            ("requested_output_names", requested_output_names),
            ("model_name", model_name),
        ):
            if given is None:
                raise TypeError(f"InferenceRequest: the argument {argument} is missing")
        self._request_id = text("InferenceRequest: request_id", request_id)
        self._model_name = text("InferenceRequest: model_name", model_name)
        self._model_version = integer("InferenceRequest: model_version", model_version, 64, signed=True)
        self._flags = integer("InferenceRequest: flags", flags, 32)
        self._timeout = integer("InferenceRequest: timeout", timeout, 64)
        need("InferenceRequest: preferred_memory", preferred_memory, PreferredMemory)
        need("InferenceRequest: trace", trace, InferenceTrace)
        self._correlation_id = _correlation(correlation_id)
        self._inputs = self._given(elements("InferenceRequest: inputs", inputs))
        names = elements("InferenceRequest: requested_output_names", requested_output_names)
        self._outputs = [self._named(name) for name in names]
        self._trace, self._parameters = trace, written(parameters)
        self._handle, self._sender, self._release, self._decoupled = 0, None, TRITONSERVER_REQUEST_RELEASE_ALL, False
        self._claim: Claim | None = None

    @classmethod
    def _made(cls, received: Any, name: str, decoupled: bool) -> InferenceRequest:
        """Return a request that came from the engine."""
        made = Tensor._made
        r = cls.__new__(cls)
        r._request_id, r._correlation_id = received.request_id, received.correlation_id
        r._inputs = [made(*value) for value in received.inputs]
        r._outputs = received.outputs
        r._model_name, r._model_version = name, -1
        r._flags, r._timeout = received.flags, received.timeout
        r._trace, r._parameters = InferenceTrace(received.trace), received.parameters
        r._handle, r._sender, r._release = received.handle, None, TRITONSERVER_REQUEST_RELEASE_ALL
        r._decoupled = decoupled
        r._claim = Claim(received.handle) if decoupled else None  # without a sender, only execute answers others
        return r

    def _given(self, inputs: list[Any]) -> list[Tensor]:
        for tensor in inputs:
            if tensor is None:
                self._refuse("Input tensor")
            need("InferenceRequest: an input", tensor, Tensor)
        return inputs

    def _named(self, output: Any) -> str:
        return text("InferenceRequest: the name of an output", output) or self._refuse("Requested output name")

    def _refuse(self, what: str) -> NoReturn:
        raise TritonModelException(
            f"{what} for request with id '{self._request_id}' and model name '{self._model_name}' should not be empty."
        )

    def __repr__(self) -> str:
        return f"<InferenceRequest '{self._request_id}' to '{self._model_name}' {', '.join(map(repr, self._inputs))}>"

    def inputs(self) -> list[Tensor]:
        """Return the inputs."""
        return list(self._inputs)

    def request_id(self) -> str:
        """Return the ID that the client gave, or ""."""
        return self._request_id

    def correlation_id(self) -> int | str:
        """Return the sequence that the request belongs to; 0 for none."""
        return self._correlation_id

    def flags(self) -> int:
        """Return TRITONSERVER_REQUEST_FLAG_SEQUENCE_START and …_END."""
        return self._flags

    def set_flags(self, flags: int) -> None:
        """Set the flags."""
        self._flags = integer("set_flags: flags", flags, 32)

    def timeout(self) -> int:
        """Return the timeout in microseconds; 0 for none."""
        return self._timeout

    def parameters(self) -> str:
        """Return the parameters as a JSON object."""
        return self._parameters or "{}"

    def trace(self) -> InferenceTrace:
        """Return the trace."""
        return self._trace

    def requested_output_names(self) -> set[str]:
        """Return the names of the outputs that the client asks for."""
        return set(self._outputs)

    def get_response_sender(self) -> InferenceResponseSender:
        """Return what sends the responses of this request."""
        if self._sender is None:
            self._claim = self._claim or Claim(self._handle)
            self._sender = InferenceResponseSender(self._claim, self._decoupled)
        return self._sender

    def is_cancelled(self) -> bool:
        """Whether nobody waits for the request any more."""
        return current().cancelled(self._handle)

    def set_release_flags(self, flags: int) -> None:
        """Say what becomes of the request when execute has returned."""
        self._release = integer("set_release_flags: flags", flags, 32)

    def exec(self, decoupled: bool = False) -> Any:
        """Call the model, and wait: for the response, or with decoupled for each of an iterator's responses."""
        return current().exec(self, truth("exec: decoupled", decoupled))

    def async_exec(self, decoupled: bool = False) -> Awaitable[InferenceResponse | Any]:
        """Begin to call the model, from a coroutine, and return a future of the response."""
        return current().async_exec(self, truth("async_exec: decoupled", decoupled))


def _correlation(value: Any) -> int | str:
    """Return a correlation id."""
    if isinstance(value, str):
        return value
    if not isinstance(value, int):
        raise TritonModelException("Correlation ID must be integer or string")
    return integer("InferenceRequest: correlation_id", value, 64)
