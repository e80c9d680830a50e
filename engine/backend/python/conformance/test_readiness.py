"""Models that say themselves whether they are ready."""

from collections.abc import Iterator

import pytest
from answers import Says
from clients import Client
from serving import Server, serving


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give a server on which no other test has models, because each has a say in the server's readiness."""
    with serving(tmp_path_factory.mktemp("apart")) as running:
        yield running


@pytest.mark.parametrize("protocol", ["http", "grpc"])
@pytest.mark.parametrize("way", ["yes", "no", "raise"])
def test_is_ready(apart: Server, says: Says, protocol: str, way: str) -> None:
    """The model has a say in its readiness, and so in that of the server."""
    client = Client(apart, protocol)
    apart.need("ready")
    client.ask("ready", ready=way)
    try:
        says(way, [client.stub.is_model_ready("ready"), client.stub.is_server_ready()], of=apart)
    finally:
        client.ask("ready", ready="yes")
