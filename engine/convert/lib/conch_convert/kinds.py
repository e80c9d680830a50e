"""Finds out what a model is made of: which operators it has, and of which types its weights are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from onnx import AttributeProto, GraphProto, ModelProto, NodeProto, TensorProto, numpy_helper

# How ONNX Runtime's converter to FP16 names the Casts at the inputs and outputs. Conch's version list knows that too
# (configedit/modelfile/onnx_graph.go).
HALF_CASTS = ("graph_input_cast", "graph_output_cast")

# How the names of those quantized operators of ONNX Runtime begin that do not say so.
QUANTIZED = ("QLinear", "QAttention", "QEmbed", "QGemm", "QMoE", "QOrdered")

CHOOSE = "convert the FP32 version that it was made of"


def graphs(graph: GraphProto) -> Iterator[GraphProto]:
    """Go through a graph and those of its branches and loops."""
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.type == AttributeProto.GRAPH else attribute.graphs:
                yield from graphs(inner)


def nodes(graph: GraphProto) -> Iterator[NodeProto]:
    """Go through all operators, also those of branches and loops."""
    for one in graphs(graph):
        yield from one.node


def weights(model: ModelProto) -> set[int]:
    """Tell the types of the weights, also of those that are written as constants."""
    kinds = {tensor.data_type for tensor in model.graph.initializer}
    constants = (node.attribute for node in nodes(model.graph) if node.op_type == "Constant")
    return kinds | {one.t.data_type for attributes in constants for one in attributes if one.name == "value"}


def quantized(model: ModelProto) -> list[str]:
    """Name the operators that a quantized model has."""
    return sorted({node.op_type for node in nodes(model.graph) if _computes_integers(node.op_type)})


def _computes_integers(kind: str) -> bool:
    """Tell a quantized operator by its name, as Conch's version list does (configedit/modelfile/external.go)."""
    return "quantize" in kind.lower() or "Integer" in kind or kind.startswith(QUANTIZED)


def is_half(model: ModelProto) -> bool:
    """Tell whether there are FP16 weights and no FP32 ones, or ONNX Runtime's converter made the model.

    What that made may have no weights, or FP32 ones of operators that stay in FP32. It does not take its own again.
    """
    if any(node.op_type == "Cast" and node.name.startswith(HALF_CASTS) for node in model.graph.node):
        return True
    kinds = weights(model)
    return TensorProto.FLOAT16 in kinds and TensorProto.FLOAT not in kinds


def with_nan(model: ModelProto) -> str:
    """Name the FP32 weights that hold NaN: "'w' and 2 more"; "" for none."""
    names = [
        tensor.name
        for tensor in model.graph.initializer
        if tensor.data_type == TensorProto.FLOAT and np.isnan(numpy_helper.to_array(tensor)).any()
    ]
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    return f"'{names[0]}'{more}" if names else ""
