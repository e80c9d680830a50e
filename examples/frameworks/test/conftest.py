"""Serves examples/frameworks/repository, which `make examples-frameworks` makes, and asks its models.

CONCH_BINARY names the program, CONCH_TORCH a Python that has PyTorch. The Python that runs these tests has the other
frameworks.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import tritonclient.grpc as grpcclient
from tritonclient.utils import np_to_triton_dtype

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "engine" / "backend" / "python" / "conformance"))

from serving import Server, serving

FRAMEWORKS = Path(__file__).resolve().parents[1]
REPOSITORY = FRAMEWORKS / "repository"


def served(folder: Path, python: str) -> Iterator[Server]:
    """Serve the repository; its Python models, and its frameworks, run in this Python."""
    assert REPOSITORY.is_dir(), "run `make examples-frameworks` first"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CONCH_PYTHON", python)
        patch.setenv("CONCH_DATA_DIR", str(folder / "data"))
        with serving(folder, repository=REPOSITORY) as server:
            yield server


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve with TensorFlow and CTranslate2."""
    yield from served(tmp_path_factory.mktemp("frameworks"), sys.executable)


@pytest.fixture(scope="session")
def torch_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve with PyTorch."""
    yield from served(tmp_path_factory.mktemp("torch"), os.environ["CONCH_TORCH"])


def infer(server: Server, model: str, **inputs: np.ndarray) -> dict[str, np.ndarray]:
    """Send a request; give the outputs."""
    server.need(model)
    given = []
    for name, values in inputs.items():
        given.append(grpcclient.InferInput(name, values.shape, np_to_triton_dtype(values.dtype)))
        given[-1].set_data_from_numpy(values)
    answer = server.grpc.infer(model, given)
    return {output.name: answer.as_numpy(output.name) for output in answer.get_response().outputs}
