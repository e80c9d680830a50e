"""Fixtures of the conformance suite of the Python contract; serving.py says which server is tested."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from answers import Book, Says, plain
from clients import Client
from serving import TRITON, Server, serving


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add --record."""
    parser.addoption("--record", action="store_true", help="record what the server says instead of checking it")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give the server that the tests of a file share; they load what they need. The real one may crash."""
    with serving(tmp_path_factory.mktemp("server")) as running:
        yield running


@pytest.fixture(params=["http", "grpc"])
def client(request: pytest.FixtureRequest, server: Server) -> Client:
    """Give a client, once for each protocol."""
    return Client(server, request.param)


@pytest.fixture
def grpc(server: Server) -> Client:
    """Give a client where the protocol does not matter."""
    return Client(server, "grpc")


@pytest.fixture(scope="module")
def book(request: pytest.FixtureRequest) -> Iterator[Book]:
    """Give the recorded answers of a file of tests."""
    made = Book(Path(request.path), "triton" if TRITON else "conch", request.config.getoption("record"))
    yield made
    made.save(whole=not request.config.getoption("keyword") and "::" not in "".join(request.config.args))


@pytest.fixture
def says(request: pytest.FixtureRequest, book: Book) -> Says:
    """Hold what a server said against what the real Triton said."""

    def check(key: str, value: object, of: Server | None = None) -> None:
        running = of or request.getfixturevalue("server")
        book.check(request.node.originalname, key, plain(value, running.repository))

    return check


@pytest.fixture(scope="session")
def real() -> bool:
    """Tell whether the server is the real Triton."""
    return bool(TRITON)
