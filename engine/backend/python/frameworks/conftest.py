"""Fixtures of the tests of frameworks: a `conch serve` over models that each file of tests writes."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))

from serving import Server, serving

Start = Callable[..., Server]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Give what serves a folder of models; the servers end with the tests of the file."""
    with ExitStack() as stack:

        def serve(repository: Path, *flags: str) -> Server:
            folder = tmp_path_factory.mktemp("server")
            os.environ["CONCH_DATA_DIR"] = str(folder / "data")
            return stack.enter_context(serving(folder, *flags, repository=repository))

        yield serve
