"""What surrounds a model in a worker: the objects of triton_python_backend_utils over a Host."""

from __future__ import annotations

import _thread
import asyncio
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import triton_python_backend_utils as pb
from triton_python_backend_utils._errors import ErrorCode
from triton_python_backend_utils._tensor import Tensor

from .host import Answer, Call, Host, HostError, Value

_NOT_NOW = "BLS is only supported during the 'execute' function."
_LET_GO = (
    "the program holds neither this request nor its response sender any more, and has sent no last response. "
    "It must send one with the flag TRITONSERVER_RESPONSE_COMPLETE_FINAL"
)


def value_of(tensor: Tensor) -> Value:
    """Return a tensor as the host takes it."""
    return Value(tensor._name, tensor._number, tensor._array)


def answer_of(response: pb.InferenceResponse) -> Answer:
    """Return a response as the host takes it."""
    error = response._error
    if error is not None:
        return Answer([], error.message(), error.code(), response._parameters)
    return Answer([value_of(t) for t in response._tensors], None, 1, response._parameters)


def response_of(answer: Answer) -> pb.InferenceResponse:
    """Return the answer of another model as a model sees it."""
    error = None if answer.error is None else pb.TritonError(answer.error, ErrorCode(answer.code))
    response = pb.InferenceResponse([Tensor._made(*value) for value in answer.outputs], error)
    response._parameters = answer.parameters
    return response


def call_of(request: pb.InferenceRequest, decoupled: bool) -> Call:
    """Return a request to another model as the host takes it."""
    return Call(
        request._model_name,
        [value_of(t) for t in request._inputs],
        request._outputs,
        request._model_version,
        request._request_id,
        request._correlation_id,
        request._flags,
        request._timeout,
        0,
        request._parameters,
        decoupled,
    )


def failed_text(instance: str, text: str) -> str:
    """Return the error of a request as Triton words it."""
    return f"Failed to process the request(s) for model '{instance}', message: {text}"


class World:
    """The engine, as triton_python_backend_utils uses it."""

    def __init__(self, host: Host, spec: dict[str, Any]) -> None:
        self._host = host
        self.version_dir, self.instance = spec["version_dir"], spec["instance"]
        self.executes = False  # from the end of initialize on
        self.raised = threading.local()  # what ended this thread, as the error of a request
        self.log = host.log
        self.cancelled = host.cancelled
        self.change_metric, self.metric_value = host.change_metric, host.metric_value
        self.drop_metric, self.drop_family = host.drop_metric, host.drop_family

    def send(self, handle: int, response: pb.InferenceResponse | None, final: bool) -> None:
        """Send a response."""
        self._host.send(handle, None if response is None else answer_of(response), final)

    def fail(self, handle: int, text: str) -> None:
        """Answer a request with an error, unless it has its last answer."""
        self._host.send(handle, Answer([], text), True)

    def abandoned(self, handle: int) -> None:
        """Fail a request that nothing in this process can answer any more.

        Python frees objects at any point of a program, also where this thread holds a lock that send needs.
        """
        if self._host.waits(handle):
            why = failed_text(self.instance, getattr(self.raised, "text", _LET_GO))
            _thread.start_new_thread(self.fail, (handle, why))

    def exec(self, request: pb.InferenceRequest, decoupled: bool) -> Any:
        """Call another model."""
        self._now()
        if not decoupled:
            return response_of(self._host.infer(call_of(request, False)))
        return ResponseIterator(self._host.stream(call_of(request, True)))

    def async_exec(self, request: pb.InferenceRequest, decoupled: bool) -> asyncio.Future:
        """Begin to call another model, for a coroutine that waits for the future now or later, or not at all."""
        self._now()
        loop = asyncio.get_running_loop()
        if decoupled:
            return ResponseIterator(self._host.stream(call_of(request, True))).begun(loop)
        future = loop.create_future()

        def settle(answer: Answer | None) -> None:
            if not future.done():
                future.set_result(response_of(answer or ended))

        def arrived(answer: Answer | None) -> None:
            with suppress(RuntimeError):  # the loop is closed: its coroutine waits no more
                loop.call_soon_threadsafe(settle, answer)

        ended = Answer([], f"the model '{request._model_name}' ended without a response")
        self._host.begin(call_of(request, False), arrived)
        return future

    def load_model(self, name: str, config: str, files: dict[str, bytes]) -> None:
        """Load a model."""
        try:
            self._host.load_model(name, config, files)
        except HostError as error:
            raise self._refused("Failed to load model", error) from None

    def unload_model(self, name: str, dependents: bool) -> None:
        """Unload a model."""
        try:
            self._host.unload_model(name, dependents)
        except HostError as error:
            raise self._refused("Failed to unload model", error) from None

    def is_model_ready(self, name: str, version: str) -> bool:
        """Whether a model is ready."""
        try:
            return self._host.is_model_ready(name, version)
        except HostError as error:
            raise self._refused("Failed to check model readiness", error) from None

    def new_family(self, kind: str, name: str, description: str) -> int:
        """Make a metric family."""
        try:
            return self._host.new_family(kind, name, description)
        except HostError as error:
            raise self._refused("Error when creating MetricFamily", error) from None

    def new_metric(self, family: int, labels: dict[str, str], buckets: list[float]) -> int:
        """Make a metric."""
        try:
            return self._host.new_metric(family, labels, buckets)
        except HostError as error:
            raise self._refused("Error when creating Metric", error) from None

    def _refused(self, what: str, error: HostError) -> pb.TritonModelException:
        return pb.TritonModelException(
            f"{what}: Failed to process the request for model '{self.instance}', message: {error}"
        )

    def _now(self) -> None:
        if not self.executes:
            raise pb.TritonModelException(_NOT_NOW)


class ResponseIterator:
    """The responses of a call. A plain loop waits for each; no release of Triton has `async for`."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._first: list[Answer | None] = []  # what begun has taken

    def begun(self, loop: asyncio.AbstractEventLoop) -> asyncio.Future:
        """Return a future of these responses that waits for the first one, while other coroutines run, as in Triton."""

        def wait() -> ResponseIterator:
            self._first.append(self._stream.next())
            return self

        def leave(future: asyncio.Future) -> None:
            if future.cancelled():
                self.cancel()

        future = loop.run_in_executor(None, wait)
        future.add_done_callback(leave)
        return future

    def __iter__(self) -> Iterator[pb.InferenceResponse]:
        return self

    def __next__(self) -> pb.InferenceResponse:
        answer = self._first.pop() if self._first else self._stream.next()
        if answer is None:
            raise StopIteration
        return response_of(answer)

    def cancel(self) -> None:
        """End the call."""
        self._stream.cancel()
