"""Small helpers to write ONNX graphs by hand."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

# Old enough for every Triton release of the last years, new enough for GridSample.
OPSET = 17
IR_VERSION = 8


class Graph:
    """Collects nodes and constants, and writes them as one model file."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[onnx.ValueInfoProto] = []

    def input(self, name: str, dtype: int, shape: list[int | str]) -> str:
        """Declares a graph input; a word in the shape is a symbolic dimension."""
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def output(self, name: str, dtype: int, shape: list[int | str]) -> None:
        """Declares a graph output, made by the node output of the same name."""
        self.outputs.append(helper.make_tensor_value_info(name, dtype, shape))

    def constant(self, name: str, value: np.ndarray) -> str:
        """Adds an initialiser."""
        self.constants.append(numpy_helper.from_array(value, name))
        return name

    def op(self, kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        """Adds a node with one output and gives that output's name back."""
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def save(self, path: Path, doc: str) -> None:
        """Checks the model and writes it; the bytes depend on the graph alone."""
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.constants)
        model = helper.make_model(
            graph,
            producer_name="conch examples",
            doc_string=doc,
            opset_imports=[helper.make_opsetid("", OPSET)],
            ir_version=IR_VERSION,
        )
        onnx.checker.check_model(model, full_check=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(model.SerializeToString(deterministic=True))


FLOAT = TensorProto.FLOAT
INT32 = TensorProto.INT32
INT64 = TensorProto.INT64
UINT8 = TensorProto.UINT8
