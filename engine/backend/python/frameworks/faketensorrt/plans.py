"""Writes plans for the fake of TensorRT."""

import json
from pathlib import Path
from typing import Any

Shape = tuple[int, ...]


def tensor(name: str, mode: str, kind: str, shape: Shape, **more: Any) -> dict[str, Any]:
    """Describe a tensor."""
    return {"name": name, "mode": mode, "type": kind, "shape": shape, **more}


def put(folder: Path, kind: str = "FLOAT", shape: Shape = (-1, 3), **more: Any) -> None:
    """Write a plan with an input x and an output y that is a copy of it, unless something else is said."""
    plan: dict[str, Any] = {
        "compute": "8.6",
        "tensors": [tensor("x", "INPUT", kind, shape), tensor("y", "OUTPUT", kind, shape, what="copy")],
        "profiles": [{"x": [[1, 3], [4, 3], [8, 3]]}],
        **more,
    }
    head = b"ftrt" + bytes(20) + bytes(more.get("version", (10, 3, 0, 26)))
    (folder / "1").mkdir(parents=True, exist_ok=True)
    (folder / "1" / more.get("file", "model.plan")).write_bytes(head + json.dumps(plan).encode())
