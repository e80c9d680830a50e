"""What the tests of `make gpu-check` share."""

import os
from pathlib import Path

import library
import pytest


@pytest.fixture
def conch(tmp_path: Path) -> library.Conch:
    """The program, with a data folder of its own."""
    binary = os.environ.get("CONCH_BINARY")
    if not binary:
        pytest.fail("set CONCH_BINARY to the conch program to test")
    return library.Conch(Path(binary), tmp_path / "home")
