"""DLPack capsules, and what NumPy lacks there.

NumPy has no BF16: the bits are uint16 in NumPy, and the capsule says BF16. It makes no capsule of an array that cannot
be written, and what it makes of a capsule cannot be written. Triton knows no such arrays.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

_UNSIGNED, _BFLOAT = 1, 4  # DLDataTypeCode
_CPU = 1  # DLDeviceType

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_is_capsule = ctypes.pythonapi.PyCapsule_IsValid
_is_capsule.restype, _is_capsule.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


class _Head(ctypes.Structure):
    """The beginning of a DLManagedTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    )


def _head(capsule: Any) -> _Head | None:
    """Return the head of a capsule, which nobody has taken; None for anything else."""
    if not _is_capsule(capsule, b"dltensor"):
        return None
    return _Head.from_address(_pointer(capsule, b"dltensor"))


class _Memory:
    """The memory of an array, which it keeps, as one that can be written."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        interface = array.__array_interface__
        self.__array_interface__ = {**interface, "data": (interface["data"][0], False)}


def writable(array: np.ndarray) -> np.ndarray:
    """Return the array, or one of the same memory that can be written."""
    return array if array.flags.writeable else np.asarray(_Memory(array))


def can_be_taken(tensor: Any) -> bool:
    """Whether it is a capsule, or makes one."""
    is_capsule = type(tensor).__name__ == "PyCapsule"
    return is_capsule or (hasattr(tensor, "__dlpack__") and hasattr(tensor, "__dlpack_device__"))


def bf16_capsule(bits: np.ndarray) -> Any:
    """Return a capsule of BF16 numbers, whose bits are given."""
    capsule = writable(bits).__dlpack__()
    head = _head(capsule)
    if head is None:
        raise BufferError("this NumPy makes no DLPack capsules that can be marked as BF16")
    head.code = _BFLOAT
    return capsule


class Capsule:
    """A capsule as an object that NumPy takes. The numbers of one of BF16 become bits."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        head = _head(capsule)
        self.is_bf16 = head is not None and (head.device_type, head.code, head.bits) == (_CPU, _BFLOAT, 16)
        if self.is_bf16:
            head.code = _UNSIGNED

    def __dlpack__(self, **_: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (_CPU, 0)
