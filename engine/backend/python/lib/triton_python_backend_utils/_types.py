"""Data types: their names in configs, their numbers, and NumPy's types."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from ._errors import TritonModelException

STRING = 13
BF16 = 14

TRITON_STRING_TO_NUMPY = {
    "TYPE_BOOL": bool,
    "TYPE_UINT8": np.uint8,
    "TYPE_UINT16": np.uint16,
    "TYPE_UINT32": np.uint32,
    "TYPE_UINT64": np.uint64,
    "TYPE_INT8": np.int8,
    "TYPE_INT16": np.int16,
    "TYPE_INT32": np.int32,
    "TYPE_INT64": np.int64,
    "TYPE_FP16": np.float16,
    "TYPE_FP32": np.float32,
    "TYPE_FP64": np.float64,
    "TYPE_STRING": np.object_,
}

NAMES = [name.removeprefix("TYPE_") for name in ("TYPE_INVALID", *TRITON_STRING_TO_NUMPY, "TYPE_BF16")]  # by number
_NUMBERS = {np.dtype(kind): number for number, kind in enumerate(TRITON_STRING_TO_NUMPY.values(), 1)}
_KINDS = {**dict(enumerate(TRITON_STRING_TO_NUMPY.values(), 1)), 1: np.bool_}


def triton_string_to_numpy(triton_type_string: str) -> Any:
    """Return the NumPy type of a config's name: "TYPE_FP32". KeyError for TYPE_BF16, which NumPy lacks."""
    return TRITON_STRING_TO_NUMPY[triton_type_string]


def triton_to_numpy_type(data_type: int) -> Any:
    """Return the NumPy type of a number of Triton's; None for one that NumPy lacks."""
    return _KINDS.get(data_type)


def numpy_to_triton_type(data_type: Any) -> int | None:
    """Return Triton's number of a NumPy type; None for one that Triton lacks."""
    if data_type is np.bytes_:
        return STRING
    is_numpy = isinstance(data_type, np.dtype) or (isinstance(data_type, type) and issubclass(data_type, np.generic))
    return _NUMBERS.get(np.dtype(data_type)) if is_numpy else None


def number_of(array: np.ndarray) -> int:
    """Return Triton's number of an array's type."""
    number = _NUMBERS.get(array.dtype)
    if number is not None:
        return number
    if array.dtype.kind == "S":
        return STRING
    raise TritonModelException("NumPy dtype is not supported.")  # also for numbers in the other order of bytes


def serialize_byte_tensor(input_tensor: np.ndarray) -> bytes | tuple[()] | None:
    """Write the elements of an array of bytes behind each other, each after its length in four bytes.

    As in Triton, an empty array gives an empty tuple, and an array of another type None.
    """
    if input_tensor.size == 0:
        return ()
    if input_tensor.dtype != np.object_ and input_tensor.dtype.type != np.bytes_:
        return None
    parts = []
    for item in input_tensor.ravel().tolist():
        data = item if type(item) is bytes else str(item).encode()
        parts += (struct.pack("<I", len(data)), data)
    return b"".join(parts)


def deserialize_bytes_tensor(encoded_tensor: Any) -> np.ndarray:
    """Read what serialize_byte_tensor writes, as a flat array of bytes."""
    data, at, items = bytes(encoded_tensor), 0, []
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at)
        items.append(struct.unpack_from(f"<{length}s", data, at + 4)[0])
        at += 4 + length
    array = np.empty(len(items), np.object_)
    array[:] = items
    return array
