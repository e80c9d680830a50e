"""Tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._dlpack import Capsule, bf16_capsule, can_be_taken, writable
from ._errors import TritonModelException
from ._native import Uncopied, text
from ._types import BF16, NAMES, STRING, number_of


class Tensor(Uncopied):
    """A named array."""

    __slots__ = ("_array", "_name", "_number")

    def __init__(self, name: str, array: np.ndarray, /) -> None:
        if type(name) is not str:
            name = text("Tensor(name, array): the name", name)
        if not name:
            raise TritonModelException("Tensor name cannot be an empty string.")
        if not isinstance(array, np.ndarray):
            raise TypeError(
                f"Tensor(name, array): the array of '{name}' is a {type(array).__name__}, not a numpy.ndarray"
            )
        if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):
            raise TypeError(f"Tensor(name, array): the array of '{name}' has a mask; give its filled()")
        self._name = name
        self._number = number_of(array)
        self._array = array

    @classmethod
    def _made(cls, name: str, number: int, array: np.ndarray) -> Tensor:
        """Return a tensor whose data type is known."""
        tensor = cls.__new__(cls)
        tensor._name, tensor._number, tensor._array = name, number, array
        return tensor

    def __repr__(self) -> str:
        return f"<Tensor '{self._name}' {NAMES[self._number]} {self.shape()}>"

    def name(self) -> str:
        """Return the name."""
        return self._name

    def as_numpy(self) -> np.ndarray:
        """Return the array. Elements of BYTES are bytes objects. NumPy has no type for BF16."""
        if self._number == BF16:
            raise TritonModelException(
                "Tensor dtype is BF16 and cannot be converted to NumPy. Use to_dlpack() and from_dlpack() instead."
            )
        return self._array

    def triton_dtype(self) -> int:
        """Return the number of the data type."""
        return self._number

    def shape(self) -> list[int]:
        """Return the shape."""
        return list(self._array.shape)

    def is_cpu(self) -> bool:
        """Return True: tensors lie in the memory of the processor."""
        return True

    def to_dlpack(self) -> Any:
        """Return a DLPack capsule of the memory, without a copy."""
        if self._number == STRING:
            raise TritonModelException("DLPack does not have support for string tensors.")
        return bf16_capsule(self._array) if self._number == BF16 else writable(self._array).__dlpack__()

    def __dlpack__(self, *, stream: Any = None, **options: Any) -> Any:
        if self._number == BF16:
            return bf16_capsule(self._array)
        return writable(self._array).__dlpack__(stream=stream, **options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)

    @staticmethod
    def from_dlpack(name: str, tensor: Any) -> Tensor:
        """Make a tensor of a DLPack capsule or of an object with __dlpack__, without a copy where NumPy can."""
        if isinstance(tensor, Tensor):
            return Tensor._made(name, tensor._number, tensor._array)
        if not can_be_taken(tensor):
            raise TritonModelException(
                "Provided tensor is not supported. Tensor must be a DLPack capsule or have `__dlpack__` and "
                f"`__dlpack_device__` attributes; this is a {type(tensor).__name__}."
            )
        try:
            is_object = hasattr(tensor, "__dlpack__")
            if is_object and tuple(tensor.__dlpack_device__()) != (1, 0):
                array, is_bf16 = np.from_dlpack(tensor), False  # which says why it cannot
            else:
                source = Capsule(tensor.__dlpack__() if is_object else tensor)
                array, is_bf16 = np.from_dlpack(source), source.is_bf16
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise TritonModelException(f"Failed to make the tensor '{name}' of a DLPack tensor: {error}") from error
        if not array.flags.c_contiguous:
            raise TritonModelException(
                "DLPack tensor is not contiguous. Only contiguous DLPack tensors that are stored in C-Order are "
                f"supported. Give a copy, such as contiguous() of PyTorch, for '{name}'."
            )
        array = writable(array)
        return Tensor._made(name, BF16, array) if is_bf16 else Tensor(name, array)
