"""Reads the files in which Hugging Face keeps weights, without torch: safetensors, and archives of torch.save."""

from __future__ import annotations

import json
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np


class CheckpointError(Exception):
    """A checkpoint that cannot be read."""


def read_json(file: Path) -> dict[str, Any]:
    """Read a file that holds an object."""
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{file} cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise CheckpointError(f"{file} holds no object")
    return found


def bfloat(bits: np.ndarray) -> np.ndarray:
    """Return BF16 values, given by their bits, as float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


_SAFE = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def safetensors(file: Path) -> dict[str, np.ndarray]:
    """Read a .safetensors file."""
    raw = np.memmap(file, np.uint8, "r") if file.stat().st_size else np.empty(0, np.uint8)
    size = int(raw[:8].view("<u8")[0]) if raw.size >= 8 else 0
    broken = CheckpointError(f"{file} is no safetensors file, or is cut off")
    if not 0 < size <= raw.size - 8:
        raise broken
    try:
        header: dict[str, Any] = json.loads(raw[8 : 8 + size].tobytes())
    except ValueError:
        raise broken from None
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        kind = entry["dtype"]
        if kind not in _SAFE:
            raise CheckpointError(f"{file}: the weight '{name}' has the type {kind}, which a T5 cannot have")
        begin, end = (8 + size + offset for offset in entry["data_offsets"])
        if end > raw.size:
            raise broken
        values = np.frombuffer(raw[begin:end].tobytes(), _SAFE[kind])
        found[name] = _as_float(values, kind == "BF16").reshape(entry["shape"])
    return found


def _as_float(values: np.ndarray, is_bfloat: bool) -> np.ndarray:
    return bfloat(values) if is_bfloat else values.astype(np.float32)


_STORAGES = {"DoubleStorage": "<f8", "FloatStorage": "<f4", "HalfStorage": "<f2", "BFloat16Storage": "<u2"}


def pickled(file: Path) -> dict[str, np.ndarray]:
    """Read an archive of torch.save. Only the weights are taken: nothing that it names is called."""
    try:
        with zipfile.ZipFile(file) as archive:
            listed = [name for name in archive.namelist() if name.endswith("/data.pkl")]
            if not listed:
                raise CheckpointError(f"{file} is no archive of torch.save")
            with archive.open(listed[0]) as program:
                found = _Unpickler(program, archive, listed[0][: -len("data.pkl")], file).load()
    except (zipfile.BadZipFile, pickle.UnpicklingError) as error:
        raise CheckpointError(f"{file} cannot be read ({error}): save the model again, as model.safetensors") from error
    return dict(found)


class _Storage:
    """The type of a storage, as it is named in the archive."""

    def __init__(self, name: str) -> None:
        self.name = name


def _tensor(storage: Any, offset: int, size: tuple[int, ...], stride: tuple[int, ...], *_: Any) -> np.ndarray:
    values, is_bfloat = storage
    last = offset + sum((n - 1) * s for n, s in zip(size, stride)) if all(size) else offset - 1
    if offset < 0 or min(stride, default=0) < 0 or last >= values.size:
        raise pickle.UnpicklingError("a tensor reaches beyond its storage")
    steps = [step * values.itemsize for step in stride]
    return _as_float(np.lib.stride_tricks.as_strided(values[offset:], size, steps), is_bfloat)


def _parameter(data: np.ndarray, *_: Any) -> np.ndarray:
    return data


class _Unpickler(pickle.Unpickler):
    """Makes arrays, and nothing else."""

    def __init__(self, program: Any, archive: zipfile.ZipFile, prefix: str, file: Path) -> None:
        super().__init__(program)
        self._archive, self._prefix, self._file = archive, prefix, file

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) in (("torch._utils", "_rebuild_tensor_v2"), ("torch._utils", "_rebuild_tensor")):
            return _tensor
        if (module, name) == ("torch._utils", "_rebuild_parameter"):
            return _parameter
        if module == "torch" and name in _STORAGES:
            return _Storage(name)
        raise pickle.UnpicklingError(f"it holds {module}.{name}, and weights hold no such thing")

    def persistent_load(self, pid: Any) -> Any:
        _, storage, key, _, _ = pid
        raw = self._archive.read(f"{self._prefix}data/{key}")
        return np.frombuffer(raw, _STORAGES[storage.name]), storage.name == "BFloat16Storage"
