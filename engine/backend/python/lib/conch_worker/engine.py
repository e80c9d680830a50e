"""What a model can ask of the engine: the Host that the runner gets."""

from __future__ import annotations

import json
import math
import threading
from collections import deque
from collections.abc import Callable
from itertools import count
from queue import SimpleQueue
from typing import Any

from . import wire
from .answers import AnswerStream, read_part
from .connection import Connection, Pump
from .host import Answer, Call, HostError

WINDOW = 16  # responses of a request that the engine has not taken yet, at most
LONGEST_TEXT = 8 << 10  # of a call of the logger
MOST_FILES = 1023 << 20  # bytes of the files of load_model: they pass in a message, and take twice as much there
FOR_MAIN = frozenset((wire.EXECUTE, wire.SETUP, wire.END, wire.PROFILE, wire.DEBUG))
_LEVELS = {"verbose": 0, "info": 1, "warning": 2, "error": 3}


def _json_number(value: float) -> float | str:
    """Return a number as JSON can have it, which knows neither infinity nor NaN."""
    return value if math.isfinite(value) else str(value)


class Open:
    """A request without its final response."""

    __slots__ = ("cancelled", "ended", "pending", "sending", "taken")

    def __init__(self) -> None:
        self.sending = threading.Lock()  # guards pending: several threads may send
        self.pending = 0  # responses that the engine has not taken yet
        self.taken: SimpleQueue = SimpleQueue()
        self.cancelled = self.ended = False


class EngineHost:
    """The engine behind a connection."""

    def __init__(self, connect: Callable[[Callable], Connection]) -> None:
        self.work: SimpleQueue = SimpleQueue()  # frames for the main thread
        self.opened: dict[int, Open] = {}
        self._begun = 0  # the newest request that was opened
        self._withdrawn: set[int] = set()  # later ones that nobody waits for
        self._waits: dict[int, Any] = {}  # what waits for the answers of calls and asks
        self.unread: deque[bytearray] = deque()  # answers that the model has left, whose segments are given back later
        self._numbers = count(1)
        self._pump: Pump | None = None
        self._starting = threading.Lock()
        self.connection = connect(self._dispatch)

    def _dispatch(self, kind: int, number: int, payload: bytearray) -> None:
        while self.unread:
            read_part(self.unread.popleft(), self.connection.segments)
        if kind in FOR_MAIN:
            self.work.put((kind, number, payload))
        elif kind in (wire.ANSWER, wire.RESULT):
            wait = self._waits.get(number)
            if wait is not None:
                wait(payload)
        elif kind == wire.FREED:
            self.connection.segments.back(wire.Reader(payload).all_numbers())
        elif kind == wire.FORGET:
            self.connection.segments.forget(wire.Reader(payload).all_numbers())
            if self.connection.segments.dropped:
                self.connection.write(bytearray())
        elif kind == wire.CANCEL:
            if number > self._begun:
                self._withdrawn.add(number)
            request = self.opened.get(number)  # it may have been opened by now
            if request is not None:
                request.cancelled = True
        elif kind == wire.SENT:
            request = self.opened.get(number)
            if request is not None:
                taken, ended = wire.Reader(payload).pair()
                request.ended = request.ended or bool(ended)
                request.taken.put(taken)

    def open(self, handles: list[int]) -> bool:
        """Note that a batch begins. Return whether nobody waits for any of its requests: then it has not begun."""
        for handle in handles:
            self.opened[handle] = Open()
        self._begun = handles[-1]
        if not self._withdrawn:
            return False
        left = [handle for handle in handles if handle in self._withdrawn]
        for handle in left:
            self.opened[handle].cancelled = True
        self._withdrawn.difference_update([n for n in list(self._withdrawn) if n <= self._begun])
        if len(left) < len(handles):
            return False
        for handle in handles:
            del self.opened[handle]
        return True

    def send(self, handle: int, answer: Answer | None, final: bool) -> None:
        """Send a response of a request. It waits while the client is slow."""
        request = self.opened.get(handle)
        if request is None or request.ended:
            return
        with request.sending:
            while request.pending >= WINDOW and not request.ended:
                request.pending -= self.connection.take(request.taken)
            request.pending += 1
        if request.ended:
            return
        if final:
            self.opened.pop(handle, None)
        frame = wire.Writer(wire.SEND, handle)
        frame.pair(final, answer is not None)
        if answer is not None:
            frame.answer(answer, self.connection.segments)
        self.connection.write(frame.done())

    def cancelled(self, handle: int) -> bool:
        """Whether nobody waits for the request any more."""
        self.connection.poll()
        request = self.opened.get(handle)
        return request is not None and (request.cancelled or request.ended)

    def waits(self, handle: int) -> bool:
        """Whether the request has no last answer yet."""
        return handle in self.opened

    def infer(self, call: Call) -> Answer:
        """Call another model and wait for its only answer."""
        stream = AnswerStream(self, call)
        first = stream.next()
        if first is None:
            return Answer([], f"the model '{call.model}' ended without a response")
        stream.rest()
        return first

    def stream(self, call: Call) -> AnswerStream:
        """Call another model for any number of answers."""
        return AnswerStream(self, call)

    def begin(self, call: Call, each: Callable[[Answer | None], None]) -> Callable[[], None]:
        """Call another model; its answers come in another thread."""
        with self._starting:
            if self._pump is None:
                self._pump = Pump(self.connection)
        pump, number = self._pump, next(self._numbers)

        def arrived(payload: bytearray) -> None:
            answer, final = read_part(payload, self.connection.segments)
            if final:
                del self._waits[number]
            if answer is not None:
                self.took(number, final)
                each(answer)
            if final:
                each(None)
                pump.end()

        self._waits[number] = arrived
        self.call(number, call)
        pump.begin()
        return lambda: self.quit(number)

    def call(self, number: int, call: Call) -> None:
        """Send a call."""
        frame = wire.Writer(wire.CALL, number)
        frame.call(call, self.connection.segments)
        self.connection.write(frame.done())

    def took(self, number: int, final: bool) -> None:
        """Say that one more answer of a call has been taken."""
        if not final:
            frame = wire.Writer(wire.TOOK, number)
            frame.frame += (1).to_bytes(4, "little")
            self.connection.write(frame.done())

    def quit(self, number: int) -> None:
        """End a call, unless it has ended."""
        if number in self._waits:
            self.connection.write(wire.Writer(wire.QUIT, number).done())

    def wait(self, arrived: Callable[[bytearray], None]) -> int:
        """Give what waits for answers a number."""
        number = next(self._numbers)
        self._waits[number] = arrived
        return number

    def forget(self, number: int) -> None:
        """Wait for no more answers."""
        self._waits.pop(number, None)

    def log(self, level: str, text: str, file: str, line: int) -> None:
        """Write to the model's log. It keeps a long text up to a bound, as it does with what is printed."""
        if len(text) > LONGEST_TEXT:
            text = f"{text[:LONGEST_TEXT]} … ({len(text) - LONGEST_TEXT:,} more characters)"
        name = file.encode(errors="replace")
        frame = wire.Writer(wire.LOG, 0)
        frame.pair(_LEVELS.get(level, 1), line)
        frame.frame += len(name).to_bytes(4, "little") + name + text.encode(errors="replace")
        self.connection.write(frame.done())

    def imported(self, files: list[tuple[str, int, int]]) -> None:
        """Tell files that the model's code came from."""
        self._tell("imported", imports=files)

    def load_model(self, name: str, config: str, files: dict[str, bytes]) -> None:
        """Load a model."""
        if sum(map(len, files.values())) > MOST_FILES:
            raise HostError(f"the files have more than {MOST_FILES:,} bytes; put them into the repository instead")
        self._ask("load", name=name, config=config, files={k: v.hex() for k, v in files.items()})

    def unload_model(self, name: str, dependents: bool) -> None:
        """Unload a model."""
        self._ask("unload", name=name, dependents=dependents)

    def is_model_ready(self, name: str, version: str) -> bool:
        """Whether a model is ready."""
        return bool(self._ask("ready", name=name, version=version))

    def new_family(self, kind: str, name: str, description: str) -> int:
        """Make a metric family."""
        return self._ask("family", kind=kind, name=name, description=description)

    def new_metric(self, family: int, labels: dict[str, str], buckets: list[float]) -> int:
        """Make a metric of a family."""
        return self._ask("metric", family=family, labels=labels, buckets=[_json_number(b) for b in buckets])

    def change_metric(self, metric: int, change: str, value: float) -> None:
        """Change a metric."""
        self._tell("change", metric=metric, change=change, value=_json_number(value))

    def metric_value(self, metric: int) -> float:
        """Read a counter or a gauge."""
        return float(self._ask("value", metric=metric))

    def drop_metric(self, metric: int) -> None:
        """Remove a metric."""
        self._tell("drop_metric", metric=metric)

    def drop_family(self, family: int) -> None:
        """Remove a family."""
        self._tell("drop_family", family=family)

    def _tell(self, what: str, **arguments: Any) -> None:
        self.write_json(wire.TELL, 0, {"what": what, **arguments})

    def _ask(self, what: str, **arguments: Any) -> Any:
        results: SimpleQueue = SimpleQueue()
        number = self.wait(results.put)
        try:
            self.write_json(wire.ASK, number, {"what": what, **arguments})
            result = json.loads(self.connection.take(results).decode())
        finally:
            self.forget(number)
        if result.get("error"):
            raise HostError(result["error"])
        return result.get("value")

    def write_json(self, kind: int, number: int, value: Any) -> None:
        """Send a frame whose payload is JSON."""
        frame = wire.Writer(kind, number)
        frame.frame += json.dumps(value).encode()
        self.connection.write(frame.done())
