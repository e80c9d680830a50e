"""Fixtures of the tests of frameworks: a `conch serve` over models that each file of tests writes.

The Python of these tests runs the models, but those of PyTorch: they have the one that CONCH_TORCH names, since torch
is small in Debian alone.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format, text_format

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


COMPLETED = """
import json, sys, types
sys.path[:0] = sys.argv[1:3]
from triton_python_backend_utils import ModelConfig, _world
_world.surround(types.SimpleNamespace(version_dir=sys.argv[3]))
from model import TritonPythonModel
print(json.dumps(TritonPythonModel.auto_complete_config(ModelConfig(sys.stdin.read())).as_dict()))
"""


def known_before_a_load(server: Server, model: str) -> None:
    """Hold what `conch config` reads from a model's file against what is served, and what the framework says."""
    server.need(model)
    served = server.grpc.get_model_config(model).config
    printed = subprocess.check_output([os.environ["CONCH_BINARY"], "config", str(server.repository / model)])
    known = text_format.Parse(printed.decode(), type(served)())
    for field in ("max_batch_size", "input", "output", "dynamic_batching"):
        assert getattr(known, field) == getattr(served, field), field
    found = completed(server.repository / model, known)
    assert found.max_batch_size == served.max_batch_size
    assert found.HasField("dynamic_batching") == served.HasField("dynamic_batching")
    for field in ("input", "output"):
        assert list(getattr(found, field)) == list(getattr(served, field)), field


def completed(folder: Path, known: Any) -> Any:
    """Let the program of the backend complete the config that a model's folder has; the file is where `known` says."""
    config = type(known)()
    written = folder / "config.pbtxt"
    text_format.Parse(written.read_text() if written.exists() else "", config)
    config.name, config.backend, config.platform = known.name, known.backend, known.platform
    config.default_model_filename = known.default_model_filename
    lib = Path(__file__).parents[1] / "lib"
    given = json_format.MessageToDict(config, preserving_proto_field_name=True)
    program = [sys.executable, "-c", COMPLETED, lib, lib / "backends" / known.backend, folder / "1"]
    printed = subprocess.run(program, input=json.dumps(given), capture_output=True, text=True, check=True).stdout
    return json_format.ParseDict(json.loads(printed.splitlines()[-1]), type(known)())
