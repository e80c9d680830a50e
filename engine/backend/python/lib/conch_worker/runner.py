"""What Triton promises a model: loading its class, calling it, and judging what comes back."""

from __future__ import annotations

import importlib.util
import inspect
import json
import resource
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import triton_python_backend_utils as pb
from triton_python_backend_utils import _world

from .coroutines import COROUTINES
from .host import RESCHEDULE, Answer, Failed, Host, Interruptible, Received
from .imports import Imports
from .tracebacks import shortened, shown, write
from .world import World, answer_of, failed_text

_LIMITED = (
    "the memory of this process is limited to {:,} bytes, by the parameter MEMORY_LIMIT of the config or "
    "--backend-config=python,memory-limit"
)
_ASYNC_FOR = "'async for' requires an object with __aiter__ method, got ResponseIterator"
_PLAIN_FOR = (
    "read the responses of a call with a plain `for`, as in Triton; where other coroutines should run meanwhile, each "
    "with `await asyncio.to_thread(next, responses, None)`, which gives None at the end"
)
_RESCHEDULE_FLAG = pb.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE


class Runner:
    """One model in this process."""

    def __init__(self, host: Host, spec: dict[str, Any]) -> None:
        self._spec = spec
        self._world = World(host, spec)
        self._host = host
        self._imports: Imports | None = Imports(spec["model_dir"])
        self._model: Any = None
        self._decoupled: bool = spec["decoupled"]
        self.profiler: Any = None  # of the next execution
        _world.surround(self._world)
        threading.excepthook = partial(self._thread_raised, threading.excepthook)

    def complete(self, config: str) -> str:
        """Run auto_complete_config."""
        try:
            complete = getattr(self._class(), "auto_complete_config", None)
            if complete is None:
                return config
            completed = complete(pb.ModelConfig(json.loads(config)))
        except BaseException as error:
            self._tell_imports(error)
            raise Failed(described(error)) from error
        if not isinstance(completed, pb.ModelConfig):
            raise Failed(
                f"auto_complete_config function in model '{self._spec['name']}' must return a valid "
                "pb.ModelConfig object."
            )
        return json.dumps(completed.as_dict())

    def initialize(self, args: dict[str, str]) -> None:
        """Make the model."""
        try:
            self._model = self._class()()
            if hasattr(self._model, "initialize"):
                self._model.initialize(args)
        except BaseException as error:
            self._tell_imports(error)
            raise Failed(described(error)) from error
        self._tell_imports()
        self._world.executes = True

    def _tell_imports(self, error: BaseException | None = None) -> None:
        """Tell the engine which files outside of the model's folder the model came from."""
        if self._imports is not None:
            with suppress(Exception):  # what the model has put into sys.modules may be anything
                news = self._imports.news(error)
                if news:
                    self._host.imported(news)

    def execute(self, requests: list[Received]) -> list[Any]:
        """Run a batch."""
        execute = getattr(self._model, "execute", None)
        if execute is None:
            raise self._failed(f"Python model {self._spec['file']} does not implement `execute` method.")
        name, decoupled = self._spec["name"], self._decoupled
        given = [pb.InferenceRequest._made(received, name, decoupled) for received in requests]
        ended: list[Any] = [Failed] * len(given)
        try:
            ended = self._executed(execute, given)
        finally:
            for request, result in zip(given, ended):
                if result is not None and request._claim is not None:
                    request._claim.is_open = False  # the result of the batch says what becomes of it
        return ended

    def _executed(self, execute: Any, given: list[pb.InferenceRequest]) -> list[Any]:
        Interruptible.is_open = True
        try:
            results = self._results(execute, given)
        except BaseException as error:
            raise self._failed(described(error)) from error
        finally:
            Interruptible.is_open = False
        self._tell_imports()
        if self._decoupled:
            if results is not None:
                raise self._failed(
                    f"Python model '{self._spec['instance']}' is using the decoupled mode and the execute function "
                    "must return None."
                )
            return [RESCHEDULE if r._release == _RESCHEDULE_FLAG else None for r in given]
        return self._judged(given, results)

    def _results(self, execute: Any, given: list[pb.InferenceRequest]) -> Any:
        profiler = self.profiler
        results = execute(given) if profiler is None else profiler.run(execute, given)
        if not inspect.iscoroutine(results):
            return results
        if self._decoupled and profiler is None:  # the next requests need not wait for it
            return COROUTINES.start(results, partial(self._fail, given))
        return COROUTINES.run(results, profiler)

    def _fail(self, given: list[pb.InferenceRequest], error: BaseException) -> None:
        """Fail the requests of a coroutine that ran on, as far as they have no last answer."""
        failed = str(self._failed(described(error)))
        write(error)
        for request in given:
            self._world.fail(request._handle, failed)

    def _thread_raised(self, tell: Callable, raised: Any) -> None:
        """Keep what ends a thread of the model: requests that it alone could answer fail with it."""
        if raised.exc_value is not None:
            self._world.raised.text = described(raised.exc_value)
            kept = shortened(raised.exc_value)
            raised = threading.ExceptHookArgs((raised.exc_type, raised.exc_value, kept, raised.thread))
        tell(raised)

    def _judged(self, given: list[pb.InferenceRequest], results: Any) -> list[Any]:
        if not isinstance(results, list):
            raise self._failed(f"Expected a list in the execute return, found type '{type(results)}'.")
        if len(results) != len(given):
            raise self._failed(
                "Number of InferenceResponse objects do not match the number of InferenceRequest objects. "
                f"InferenceRequest(s) size is:{len(given)}, and InferenceResponse(s) size is:{len(results)}\n"
            )
        return [self._result(request, result) for request, result in zip(given, results)]

    def _result(self, request: pb.InferenceRequest, result: Any) -> Any:
        if request._release == _RESCHEDULE_FLAG:
            if result is not None:
                raise self._failed(
                    "Expected a None object in the execute function return list for reschduled request, "
                    f"found type '{type(result)}'."
                )
            return RESCHEDULE
        if result is None:
            if request._sender is None:
                return Answer([], "the model returned None for this request, and has not asked for its response sender")
            return None
        if not isinstance(result, pb.InferenceResponse):
            raise self._failed(
                "Expected an 'InferenceResponse' object in the execute function return list, "
                f"found type '{type(result)}'."
            )
        return answer_of(result)

    def unreadable(self, error: BaseException) -> Failed:
        """Describe an exception of an object that the model has returned, such as an element whose __str__ fails."""
        return self._failed(described(error))

    def has_is_ready(self) -> bool:
        """Whether the model has an is_ready."""
        return hasattr(self._model, "is_ready")

    def is_ready(self) -> bool:
        """Ask the model."""
        try:
            ready = self._model.is_ready()
            if inspect.iscoroutine(ready):
                ready = COROUTINES.run(ready)
        except BaseException as error:
            raise Failed(described(error)) from error
        if not isinstance(ready, bool):
            raise Failed("is_ready() must return a boolean value")
        return ready

    def finalize(self) -> None:
        """Let the model clean up."""
        finalize = getattr(self._model, "finalize", None)
        if finalize is None:
            return
        try:
            finalize()
        except BaseException as error:
            write(error)

    def forked(self) -> None:
        """Give a process that the model has forked a world without an engine."""
        _world.surround(_world.Forked(self._world))
        self._imports = None
        COROUTINES.forget()

    def _failed(self, text: str) -> Failed:
        return Failed(failed_text(self._spec["instance"], text))

    def _class(self) -> Any:
        """Load the program as the module VERSION.model, as Triton does."""
        spec = self._spec
        package, stem = str(spec["version"]), Path(spec["file"]).stem
        sys.path += spec["paths"]
        parent = ModuleType(package)
        parent.__path__ = spec["paths"][:1]
        sys.modules[package] = parent
        name = f"{package}.{stem}"
        found = importlib.util.spec_from_file_location(name, spec["file"])
        if found is None or found.loader is None:
            raise ImportError(f"{spec['file']} is no Python program")
        module = importlib.util.module_from_spec(found)
        sys.modules[name] = module
        found.loader.exec_module(module)
        self._tell_imports()  # now: initialize may take minutes, while somebody edits one of the files
        return module.TritonPythonModel


def described(error: BaseException) -> str:
    """Describe an exception as Triton does: type and text, then where it was raised, innermost first."""
    try:
        return placed(error, str(error) or "<EMPTY MESSAGE>")
    except BaseException as second:  # its __str__ is the model's
        try:
            why = placed(second, str(second))
        except BaseException:
            why = type(second).__name__
    told = placed(error, "<MESSAGE UNAVAILABLE DUE TO ANOTHER EXCEPTION>").rstrip("\n")
    return f"{told}\n\nMESSAGE UNAVAILABLE DUE TO EXCEPTION: {why}"


def placed(error: BaseException, said: str) -> str:
    """Describe an exception that has this text."""
    text = f"{type(error).__name__}: {said}"
    if isinstance(error, MemoryError) and resource.getrlimit(resource.RLIMIT_DATA)[0] != resource.RLIM_INFINITY:
        text += f" ({_LIMITED.format(resource.getrlimit(resource.RLIMIT_DATA)[0])})"
    if isinstance(error, TypeError) and said == _ASYNC_FOR:
        text += f" ({_PLAIN_FOR})"
    places = [f"  {file}({line}): {name}\n" for file, line, name in callers(error) if shown(file, name)]
    if not places and isinstance(error, pb.TritonModelException):
        return said  # a backend of Conch: Triton's are libraries, whose errors name no class
    return f"{text}\n\nAt:\n{''.join(places)}" if places else text


def callers(error: BaseException) -> Iterator[tuple[str, int, str]]:
    """Give where an exception was raised, and its callers up to the call of the model.

    A coroutine that has ended has no caller. Some Pythons still know who ran it, others do not.
    """
    lines = dict(traceback.walk_tb(error.__traceback__))
    frame = next(reversed(lines), None)
    while frame is not None and frame.f_code.co_filename != __file__:
        yield frame.f_code.co_filename, lines.get(frame, frame.f_lineno), frame.f_code.co_name
        frame = None if frame.f_code.co_flags & inspect.CO_COROUTINE else frame.f_back
