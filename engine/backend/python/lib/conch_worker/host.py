"""The boundary between what runs a model (`runner`) and what speaks with the engine.

The transport decodes each batch into `Received` requests and gives them to the runner. The runner answers with
`Answer` values, and asks the engine for everything else through a `Host`.

Arrays: an array of a `Received` or of an answer to a call is a view of memory of the transport. It is writable, it
stays valid as long as Python keeps it, and its elements have the NumPy type of its data type: BYTES is an object
array of `bytes`, BF16 is a `uint16` array of the bits. An array of an `Answer` or a `Call` may have any memory layout;
the transport copies it before the call returns. Data types are the numbers of Triton's `inference.DataType`:
BOOL 1, UINT8 2, ... FP64 12, STRING (BYTES) 13, BF16 14.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np


class Value(NamedTuple):
    """A tensor."""

    name: str
    data_type: int
    array: np.ndarray


class Received(NamedTuple):
    """A request of a batch."""

    handle: int  # names the request to the host; never used twice
    inputs: list[Value]
    outputs: list[str]  # the outputs that the client asks for, in its order; all of the config where it names none
    request_id: str = ""
    correlation_id: int | str = 0
    flags: int = 0  # TRITONSERVER_REQUEST_FLAG_*
    timeout: int = 0  # microseconds; 0 is none
    priority: int = 0
    parameters: str = ""  # a JSON object, or "" for none
    trace: str = ""  # the trace's context as JSON, or ""


class Answer(NamedTuple):
    """A response, of this model or of another one that it called."""

    outputs: list[Value]
    error: str | None = None
    code: int = 1  # TRITONSERVER_Error_Code of the error: UNKNOWN 0, INTERNAL 1, ... CANCELLED 7
    parameters: str = ""  # a JSON object, or ""


class Call(NamedTuple):
    """A request to another model."""

    model: str
    inputs: list[Value]
    outputs: list[str]  # [] asks for all
    version: int = -1
    request_id: str = ""
    correlation_id: int | str = 0
    flags: int = 0
    timeout: int = 0
    priority: int = 0
    parameters: str = ""
    decoupled: bool = False  # more than one answer is welcome
    parent: int = 0  # handle of the request for which it is made, 0 where that is unknown


class HostError(Exception):
    """What the engine says when it refuses something; the text is the engine's."""


class Stream(Protocol):
    """The answers to a call."""

    def next(self) -> Answer | None:
        """Wait for the next answer; None after the last. A final flag alone is an answer without outputs."""

    def cancel(self) -> None:
        """End the call. Answers that are under way may still come."""


class Host(Protocol):
    """What a model can ask of the engine. Every method may be called from any thread."""

    def send(self, handle: int, answer: Answer | None, final: bool) -> None:
        """Send a response of a request; without an answer it is the final flag alone."""

    def cancelled(self, handle: int) -> bool:
        """Whether nobody waits for the request any more."""

    def waits(self, handle: int) -> bool:
        """Whether the request has no last answer yet."""

    def infer(self, call: Call) -> Answer:
        """Call another model and wait for its only answer. A failure is an Answer with an error."""

    def stream(self, call: Call) -> Stream:
        """Call another model for any number of answers."""

    def begin(self, call: Call, each: Callable[[Answer | None], None]) -> Callable[[], None]:
        """Call another model. `each` gets every answer, and None after the last, in a thread of the transport.

        The function that is returned ends the call.
        """

    def log(self, level: str, text: str, file: str, line: int) -> None:
        """Write to the model's log; level is "verbose", "info", "warning" or "error"."""

    def imported(self, files: list[tuple[str, int, int]]) -> None:
        """Tell files outside of the model's folder that its code came from: path, size, time in nanoseconds."""

    def load_model(self, name: str, config: str, files: dict[str, bytes]) -> None:
        """Load a model; HostError when that fails."""

    def unload_model(self, name: str, dependents: bool) -> None:
        """Unload a model; HostError when that fails."""

    def is_model_ready(self, name: str, version: str) -> bool:
        """Whether a model is ready; an unknown one is not."""

    def new_family(self, kind: str, name: str, description: str) -> int:
        """Make a metric family of the kind "counter", "gauge" or "histogram"; HostError when it clashes."""

    def new_metric(self, family: int, labels: dict[str, str], buckets: list[float]) -> int:
        """Make a metric of a family; HostError when the engine refuses it."""

    def change_metric(self, metric: int, change: str, value: float) -> None:
        """Change a metric: "increment", "set" or "observe". The caller has checked that its kind allows it."""

    def metric_value(self, metric: int) -> float:
        """Read a counter or a gauge."""

    def drop_metric(self, metric: int) -> None:
        """Remove a metric that Python holds no more."""

    def drop_family(self, family: int) -> None:
        """Remove a family that Python holds no more."""


# What Runner.execute returns for a request that runs again (TRITONSERVER_REQUEST_RELEASE_RESCHEDULE).
RESCHEDULE = "reschedule"


class Interruptible:
    """Whether code of the model runs that a signal may interrupt; the main thread alone changes it."""

    is_open = False
    number = 0  # of the batch that the code runs for
    was = False  # whether a batch was interrupted since the last one


class Failed(Exception):
    """Raised by a Runner: the model failed.

    The text is the whole sentence for the client or the load, in Triton's words where there are some; the transport
    adds nothing.
    """


class Runner(Protocol):
    """What `runner.Runner(host, spec)` offers. The main thread calls all of it but is_ready, one call at a time.

    `spec` has the keys "file" (path of model.py), "paths" (folders to import from), "model_dir", "version_dir",
    "version", "name" (of the model),
    "instance" ("add_sub_0_0"), and "decoupled" (whether the config says so; False before completion).
    Making a Runner imports nothing of the model. Every method may raise Failed.
    """

    def complete(self, config: str) -> str:
        """Load the class, run its auto_complete_config over the config, and return the new one; both are JSON."""

    def initialize(self, args: dict[str, str]) -> None:
        """Load the class, make the object, and call its initialize with Triton's seven arguments."""

    def execute(self, requests: list[Received]) -> list[Any]:
        """Run a batch. For each request the result is an Answer, RESCHEDULE, or None: responses come by Host.send."""

    def has_is_ready(self) -> bool:
        """Whether the model has an is_ready."""

    def is_ready(self) -> bool:
        """What the model's is_ready says. Another thread than the main thread calls it."""

    def finalize(self) -> None:
        """Call the model's finalize; an exception is logged and raises nothing."""
