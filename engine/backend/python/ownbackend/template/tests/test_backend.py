"""Tests of the backend: the suite that all backends pass, and your own. Run them with `python3 -m pytest`."""

import numpy as np
from conftest import Server
from suite import Subject, Suite, Tensors


def inputs(rows: int, seed: int) -> Tensors:
    """Make the inputs of a request."""
    return {"INPUT": np.random.RandomState(seed).standard_normal((rows, 4)).astype(np.float32)}


def outputs(given: Tensors) -> Tensors:
    """Say what the model makes of them."""
    return {"OUTPUT": given["INPUT"] * np.float32(3)}


class TestBackend(Suite):
    """The suite, on the model in the folder models."""

    subject = Subject(
        model="my_backend_example",
        file="model.json",
        inputs=inputs,
        outputs=outputs,
        rows=8,
        wrong={"INPUT": np.full((1, 4), 2e30, np.float32)},
    )


def test_completion(server: Server) -> None:
    """A config that says nothing is completed from the file."""
    server.load("my_backend_example")
    found = server.infer("my_backend_example", {"INPUT": np.ones((2, 3), np.float32)})
    assert found["OUTPUT"].tolist() == [[3, 3, 3], [3, 3, 3]]
