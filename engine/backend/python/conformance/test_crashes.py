"""What clients see when a model's process ends; a server for each, since the real one may not recover."""

import os
import time
from pathlib import Path

import pytest
from answers import Says
from clients import Client
from serving import Server, serving, until

WAYS = ["exit", "kill", "segfault", "abort"]


def processes(session: int) -> set[int]:
    """List the processes of a server's session, but for itself."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != session:
            try:
                if os.getsid(int(entry.name)) == session:
                    found.add(int(entry.name))
            except ProcessLookupError:
                continue
    return found


def after_a_crash(client: Client) -> object:
    """Ask until the answer is no error, for some seconds; give the last answer, a process being a process."""
    deadline = time.monotonic() + 5
    while True:
        said = client.ask("crash", do="nothing")
        if isinstance(said, int):
            return "served by another process"
        if time.monotonic() > deadline:
            return said
        time.sleep(0.1)


@pytest.mark.parametrize("way", WAYS)
def test_a_crash(tmp_path: Path, says: Says, way: str) -> None:
    with serving(tmp_path) as server:
        client = Client(server, "grpc")
        server.need("crash", "add_sub")
        says(f"{way}: the request", client.ask("crash", do=way).split("; its last lines: the last word")[0], of=server)
        says(f"{way}: requests after it", after_a_crash(client), of=server)
        says(f"{way}: ready", server.grpc.is_model_ready("crash"), of=server)
        until(lambda: "the last word before " + way in server.logged(), "its last word is in the log")


def test_terminate_is_ignored(server: Server, grpc: Client, says: Says) -> None:
    """A signal that asks a model's process to end goes past it, since the server ends it."""
    server.need("crash")
    says("the request", type(grpc.ask("crash", do="terminate")).__name__)
    says("the one after it", type(grpc.ask("crash", do="nothing")).__name__)


def test_nothing_is_left(tmp_path: Path) -> None:
    """All processes end with the server."""
    with serving(tmp_path) as server:
        server.need("crash", "add_sub", "stream")
        begun = processes(server.pid)
        assert len(begun) >= 3
    until(lambda: not processes(server.pid), "the server's processes have ended")
