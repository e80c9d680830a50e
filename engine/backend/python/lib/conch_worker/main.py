"""The main loop of a worker: it gives what the engine sends to the runner."""

from __future__ import annotations

import faulthandler
import json
import os
import resource
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

from . import debug, stacks, wire
from .bytecode import keep_only_settled
from .connection import Connection
from .engine import EngineHost
from .host import RESCHEDULE, Answer, Failed, Interruptible
from .probes import answer_probes, told
from .segments import Segments
from .signals import Process, install, no_trace

_OWN = Path(__file__).parent
INTERRUPTED = "the request was interrupted"
SOCKET, DESCRIPTORS, PROBES, BREAKS = 3, 4, 5, 6  # the descriptors that the worker inherits


class Worker:
    """One instance of a model, or one run of auto_complete_config."""

    def __init__(self, host: EngineHost, probes: socket.socket) -> None:
        self.host = host
        self.probes = probes
        self.runner: Any = None
        self.is_fork = False  # whether the model has forked this process

    def run(self) -> None:
        """Serve until the engine says that it is the end."""
        host, connection = self.host, self.host.connection
        while True:
            connection.fresh = False
            kind, number, payload = connection.take(host.work)
            if kind == wire.EXECUTE:
                self.execute(number, payload)
            elif kind == wire.SETUP:
                self.finish(number, self.setup, json.loads(payload.decode()))
            elif kind == wire.PROFILE:
                self.profile(number, payload)
            elif kind == wire.DEBUG:
                self.finish(number, debug.listen, int(payload))
            else:
                if self.runner is not None:
                    self.runner.finalize()
                return

    def forked(self) -> None:
        """Take what the engine gives from a process that the model has forked, which can be ended as any other."""
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        let_go()  # before is_fork: a signal that waited may raise here, and is taken as one of the model's own process
        self.is_fork = Process.is_fork = True
        self.host.connection.forked()
        self.probes.close()
        if self.runner is not None:
            self.runner.forked()

    def setup(self, what: dict[str, Any]) -> Any:
        """Make the model, or complete its config."""
        from .runner import Runner

        limit_memory(what["memory"])
        runner = Runner(self.host, what["spec"])
        if what["action"] == "complete":
            return runner.complete(what["config"])
        runner.initialize(what["args"])
        self.runner = runner
        return runner.has_is_ready() and answer_probes(self.probes, runner.is_ready)

    def finish(self, number: int, act: Any, *arguments: Any) -> None:
        """Do something and tell how it ended."""
        self.host.write_json(wire.DONE, number, told(act, *arguments))

    def execute(self, number: int, payload: bytearray) -> None:
        """Run a batch."""
        frame = self.run_batch(number, payload)
        if self.is_fork:
            os._exit(0)  # the model's own process answers
        self.host.connection.write(frame.done())

    def profile(self, number: int, payload: bytearray) -> None:
        """Run a batch, and tell where its time went."""
        from .profile import Profiler

        profiler = Profiler()
        self.runner.profiler = profiler
        try:
            frame = self.run_batch(number, payload)
        finally:
            self.runner.profiler = None
        if self.is_fork:
            os._exit(0)
        try:
            self.host.write_json(wire.PROFILED, number, profiler.told())
        except Exception:  # the answer is there
            with suppress(Exception):  # the model may have closed stderr
                traceback.print_exc()
        self.host.connection.write(frame.done())

    def run_batch(self, number: int, payload: bytearray) -> wire.Writer:
        """Run a batch, and hold nothing of it afterwards: what is free by then is told with the result."""
        host = self.host
        host.connection.catch_up()
        if Interruptible.was:
            Interruptible.was = False
            with suppress(Exception):
                debug.follow()
        Interruptible.number = number
        requests = wire.Reader(payload, host.connection.segments).requests()
        handles = [request.handle for request in requests]
        if host.open(handles):
            return wire.Writer(wire.FAILED, number)
        try:
            return self.results(number, handles, self.runner.execute(requests))
        except BaseException as error:
            for handle in handles:
                host.opened.pop(handle, None)
            text = str(error if isinstance(error, Failed) else self.runner.unreadable(error))
            frame = wire.Writer(wire.FAILED, number)
            frame.frame += text.encode(errors="replace")
            return frame

    def results(self, number: int, handles: list[int], results: list[Any]) -> wire.Writer:
        """Write what became of each request."""
        frame = wire.Writer(wire.EXECUTED, number)
        frame.pair(len(results), 0)
        for i, result in enumerate(results):
            if isinstance(result, Answer):
                self.host.opened.pop(handles[i], None)
                frame.pair(wire.ANSWERED, 0)
                frame.answer(result, self.host.connection.segments)
            elif result == RESCHEDULE:
                self.host.opened.pop(handles[i], None)
                frame.pair(wire.AGAIN, 0)
            else:
                frame.pair(wire.LATER, 0)
        return frame


def limit_memory(limit: int) -> None:
    """Let allocations fail that would give the process more private memory than so many bytes; 0 for no limit."""
    if limit:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


class Breaks:
    """Which execution a signal of the engine is to end: another one may run when the signal arrives."""

    number = 0

    @classmethod
    def newest(cls) -> int:
        """Return the one that the engine named last."""
        with suppress(BlockingIOError):
            while data := os.read(BREAKS, 8):
                cls.number = int.from_bytes(data, "little")
        return cls.number


def interrupt(_signal: int, frame: Any) -> None:
    """End the execution that the engine means by KeyboardInterrupt, once; code of this package is finished first.

    A thread that waits for a coroutine of the model ends that instead.
    """
    if not Interruptible.is_open or Breaks.newest() != Interruptible.number:
        return
    inner, coroutines = frame, sys.modules.get(f"{__package__}.coroutines")
    waits = coroutines is not None and frame.f_code is coroutines.End.wait.__code__
    while not waits and frame is not None and Path(frame.f_code.co_filename).parent == _OWN:
        frame = frame.f_back
    if frame is inner:
        Interruptible.is_open, Interruptible.was = False, True
        with suppress(Exception):  # debugpy may be of any version
            debug.release()
        raise KeyboardInterrupt(INTERRUPTED)
    if frame is not None and sys.gettrace() is None:
        frame.f_trace = interrupt_line
        sys.settrace(no_trace)


def interrupt_line(*_event: Any) -> None:
    """End the execution at the next line of the model."""
    sys.settrace(None)
    if Interruptible.is_open:
        Interruptible.is_open = False
        raise KeyboardInterrupt(INTERRUPTED)


def unheard(_number: int, _frame: Any) -> None:
    """Do nothing: the engine ends its workers itself."""


_ENDING = (signal.SIGINT, signal.SIGTERM)
_held = threading.local()  # the signals that this thread held back before


def hold() -> None:
    """Hold signals back until a fork is done: in its first moment the new process has the handlers of this one."""
    _held.before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDING)


def let_go() -> None:
    """Let the signals that were held back come."""
    signal.pthread_sigmask(signal.SIG_SETMASK, _held.before)


def main() -> None:
    """Run a worker."""
    for asked_to_end in _ENDING:  # the engine ends its workers itself
        signal.signal(asked_to_end, unheard)  # programs that the model starts would inherit SIG_IGN
    faulthandler.enable(all_threads=True)
    stacks.install()
    signal.signal(signal.SIGUSR1, interrupt)
    install()
    keep_only_settled()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="backslashreplace")
    sock = socket.socket(fileno=SOCKET)
    segments = Segments(socket.socket(fileno=DESCRIPTORS))
    probes = socket.socket(fileno=PROBES)
    for descriptor in (SOCKET, DESCRIPTORS, PROBES, BREAKS):
        os.set_inheritable(descriptor, False)
    os.set_blocking(BREAKS, False)
    host = EngineHost(lambda dispatch: Connection(sock, segments, dispatch))
    worker = Worker(host, probes)
    os.register_at_fork(before=hold, after_in_parent=let_go, after_in_child=worker.forked)
    worker.run()
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):  # the model may have closed it
            stream.flush()
    os._exit(0)  # threads of the model do not keep the process
