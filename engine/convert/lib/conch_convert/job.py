"""What Conch asks for: a model, what it should become, and the requests to try it with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from conch_convert.events import RefusedError

TYPES = {
    "BOOL": np.bool_,
    "UINT8": np.uint8,
    "UINT16": np.uint16,
    "UINT32": np.uint32,
    "UINT64": np.uint64,
    "INT8": np.int8,
    "INT16": np.int16,
    "INT32": np.int32,
    "INT64": np.int64,
    "FP16": np.float16,
    "FP32": np.float32,
    "FP64": np.float64,
}
NAMES = {np.dtype(kind): name for name, kind in TYPES.items()}

Feed = dict[str, np.ndarray]


class Job:
    """A job, as job.json describes it."""

    def __init__(self, text: dict[str, Any], folder: Path) -> None:
        self.folder = folder
        self.to: str = text["to"]
        self.model = Path(text["model"])
        self.name: str = text["name"]
        self.seconds: float = text.get("seconds", 3)
        self.keep: list[str] = text.get("keep") or []
        self.dynamic: bool = text.get("dynamic", False)
        self.plan: dict[str, Any] = text.get("plan") or {}
        self.more: dict[str, Any] = text.get("more") or {}
        self._requests: list[list[dict[str, Any]]] = text.get("requests") or []

    @property
    def out(self) -> Path:
        """The folder of what is made."""
        return self.folder / "made"

    @property
    def has_requests(self) -> bool:
        """Tell whether there are requests to try."""
        return bool(self._requests)

    def told(self, error: Exception) -> str:
        """Tell an error without where Conch keeps the files of the job, which nobody needs to know."""
        return str(error).replace(f"{self.folder}/", "")

    def feeds(self) -> list[Feed]:
        """Read the requests."""
        return [{tensor["name"]: self._tensor(tensor) for tensor in request} for request in self._requests]

    def _tensor(self, tensor: dict[str, Any]) -> np.ndarray:
        raw = (self.folder / tensor["file"]).read_bytes()
        name, shape = tensor["name"], tensor["shape"]
        if tensor["datatype"] == "BYTES":
            return np.array(list(_texts(raw)), dtype=object).reshape(shape)
        kind = TYPES.get(tensor["datatype"])
        if kind is None:
            raise RefusedError(f"input '{name}' has type {tensor['datatype']}, which is not tried here")
        return np.frombuffer(raw, kind).reshape(shape)

    def write(self, place: str, tensors: Feed) -> list[dict[str, Any]]:
        """Write the outputs of a request, and describe them."""
        folder = self.folder / "outputs" / place
        folder.mkdir(parents=True, exist_ok=True)
        return [self._written(folder, number, name, array) for number, (name, array) in enumerate(tensors.items())]

    def _written(self, folder: Path, number: int, name: str, array: np.ndarray) -> dict[str, Any]:
        kind = NAMES.get(array.dtype, "BYTES")
        file = folder / str(number)
        file.write_bytes(_raw(array) if kind == "BYTES" else np.ascontiguousarray(array).tobytes())
        where = str(file.relative_to(self.folder))
        return {"name": name, "datatype": kind, "shape": list(array.shape), "file": where}


def _raw(texts: np.ndarray) -> bytes:
    """Write a tensor of text, as _texts reads it."""
    elements = [str(text).encode("utf-8", "surrogateescape") for text in texts.flat]
    return b"".join(len(element).to_bytes(4, "little") + element for element in elements)


def _texts(raw: bytes) -> list[str]:
    """Read the elements of a tensor of text: each is a length and its bytes."""
    found, at = [], 0
    while at < len(raw):
        size = int.from_bytes(raw[at : at + 4], "little")
        found.append(raw[at + 4 : at + 4 + size].decode("utf-8", "replace"))
        at += 4 + size
    return found
