"""Makes `add_sub`: OUTPUT0 = INPUT0 + INPUT1, OUTPUT1 = INPUT0 - INPUT1, on INT32 vectors of 16."""

from pathlib import Path

from graph import INT32, Graph


def make(repository: Path) -> None:
    """Writes version 1 of the model."""
    g = Graph("add_sub")
    for name in ("INPUT0", "INPUT1"):
        g.input(name, INT32, ["batch", 16])
    g.op("Add", ["INPUT0", "INPUT1"], "OUTPUT0")
    g.op("Sub", ["INPUT0", "INPUT1"], "OUTPUT1")
    for name in ("OUTPUT0", "OUTPUT1"):
        g.output(name, INT32, ["batch", 16])
    g.save(repository / "add_sub" / "1" / "model.onnx", "Sum and difference of two INT32 vectors.")
