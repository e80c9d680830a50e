"""Tidies the Casts of a model that onnxruntime has turned to FP16 with operators that stay in FP32."""

from __future__ import annotations

from onnx import GraphProto, NodeProto, TensorProto

from conch_convert.kinds import HALF_CASTS, nodes


def tidy(graph: GraphProto) -> None:
    """Mend what onnxruntime does where two operators that stay in FP32 meet.

    It makes a Cast for each operator that takes a tensor, with the same output, which no runtime takes. And it turns
    the output of one operator to FP16 and back for the next one, which loses what FP16 cannot hold.
    """
    _each_once(graph)
    _straight(graph)
    used = {name for node in nodes(graph) for name in node.input} | {value.name for value in graph.output}
    idle = {node.output[0] for node in graph.node if _is_made(node) and node.output[0] not in used}
    _keep(graph, [node for node in graph.node if not idle & set(node.output)])
    known = [value for value in graph.value_info if value.name not in idle]
    del graph.value_info[:]
    graph.value_info.extend(known)


def _each_once(graph: GraphProto) -> None:
    made: set[str] = set()
    kept = []
    for node in graph.node:
        if node.op_type == "Cast" and node.output[0] in made:
            continue
        made.update(node.output)
        kept.append(node)
    _keep(graph, kept)


def _straight(graph: GraphProto) -> None:
    """Give an operator in FP32 the tensor itself that was turned to FP16 and back."""
    kinds = {value.name: value.type.tensor_type.elem_type for value in [*graph.value_info, *graph.input]}
    halves = {node.output[0]: node.input[0] for node in graph.node if _is_cast(node, TensorProto.FLOAT16)}
    for node in graph.node:
        source = halves.get(node.input[0]) if _is_cast(node, TensorProto.FLOAT) else None
        if source is not None and kinds.get(source) == TensorProto.FLOAT:
            node.op_type = "Identity"
            node.input[0] = source
            del node.attribute[:]


def _is_cast(node: NodeProto, kind: int) -> bool:
    return node.op_type == "Cast" and any(entry.name == "to" and entry.i == kind for entry in node.attribute)


def _is_made(node: NodeProto) -> bool:
    """Tell whether a Cast to FP16 may go that nothing uses. Those of the inputs tell what the model is."""
    return _is_cast(node, TensorProto.FLOAT16) and not node.name.startswith(HALF_CASTS)


def _keep(graph: GraphProto, kept: list[NodeProto]) -> None:
    del graph.node[:]
    graph.node.extend(kept)
