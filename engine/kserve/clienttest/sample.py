"""Requests that the tests send over both protocols."""

from types import ModuleType
from typing import Protocol

import numpy as np

FIRST = np.arange(32, dtype=np.int32).reshape(2, 16)
SECOND = np.full((2, 16), 3, dtype=np.int32)


class Result(Protocol):
    """What both protocols' results can do."""

    def as_numpy(self, name: str) -> np.ndarray:
        """An output as an array."""
        ...


def add_sub_inputs(module: ModuleType, **data_options: bool) -> list:
    """Inputs of add_sub for a client module, tritonclient.http or tritonclient.grpc."""
    inputs = []
    for name, values in (("INPUT0", FIRST), ("INPUT1", SECOND)):
        tensor = module.InferInput(name, list(values.shape), "INT32")
        tensor.set_data_from_numpy(values, **data_options)
        inputs.append(tensor)
    return inputs


def check_add_sub(result: Result) -> None:
    np.testing.assert_array_equal(result.as_numpy("OUTPUT0"), FIRST + SECOND)
    np.testing.assert_array_equal(result.as_numpy("OUTPUT1"), FIRST - SECOND)


def drawing() -> np.ndarray:
    """A vertical stroke: a one, more or less."""
    image = np.zeros((1, 28, 28), dtype=np.uint8)
    image[:, 4:24, 13:16] = 255
    return image


def image_input(module: ModuleType) -> object:
    tensor = module.InferInput("IMAGE", [1, 28, 28], "UINT8")
    tensor.set_data_from_numpy(drawing())
    return tensor
