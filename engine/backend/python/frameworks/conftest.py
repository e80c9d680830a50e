"""Fixtures of the tests of frameworks: a `conch serve` over models that each file of tests writes.

The Python of these tests runs the models, but those of PyTorch: they have the one that CONCH_TORCH names, since torch
is small in Debian alone.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from google.protobuf import text_format

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))

from serving import Server, serving

Start = Callable[..., Server]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    """Give what serves a folder of models; the servers end with the tests of the file."""
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patch:

        def serve(repository: Path, *flags: str, python: Path | str = sys.executable, **variables: str) -> Server:
            folder = tmp_path_factory.mktemp("server")
            values = {"CONCH_DATA_DIR": folder / "data", "CONCH_PYTHON": python, **variables}
            for name, value in values.items():
                patch.setenv(name, str(value))
            return stack.enter_context(serving(folder, *flags, repository=repository))

        yield serve


@pytest.fixture(scope="session")
def torch_python() -> Path:
    """Give the Python that has torch."""
    python = Path(os.environ.get("CONCH_TORCH") or "/usr/bin/python3")
    has = subprocess.run([python, "-c", "import torch, numpy"], capture_output=True, text=True, check=False)
    assert has.returncode == 0, f"{python} has no torch: name one that has in CONCH_TORCH. {has.stderr}"
    return python


def torch_models(python: Path, repository: Path, silero: Path | None = None) -> None:
    """Write the models of torch_models.py, or the one made of silero-vad's."""
    program = Path(__file__).parent / "torch_models.py"
    subprocess.run([python, program, repository, str(silero or "")], check=True)


def known_before_a_load(server: Server, model: str) -> None:
    """Hold what `conch config` reads from a model's file against what the backend completes with its framework."""
    server.need(model)
    served = server.grpc.get_model_config(model).config
    printed = subprocess.check_output([os.environ["CONCH_BINARY"], "config", str(server.repository / model)])
    known = text_format.Parse(printed.decode(), type(served)())
    for field in ("max_batch_size", "input", "output", "dynamic_batching"):
        assert getattr(known, field) == getattr(served, field), field
