"""Tidies the Casts of a model that onnxruntime has turned to FP16 with operators that stay in FP32."""

from __future__ import annotations

from onnx import GraphProto, NodeProto, TensorProto

from conch_convert.kinds import HALF_CASTS, graphs, nodes


def tidy(graph: GraphProto) -> None:
    """Mend what onnxruntime does where two operators that stay in FP32 meet.

    It makes a Cast for each operator that takes a tensor, with the same output, which no runtime takes, and it makes it
    in the outer graph also for an operator in a branch or a loop. And it turns the output of one operator to FP16 and
    back for the next one, which loses what FP16 cannot hold.
    """
    _inward(graph)
    values = [value for one in graphs(graph) for value in [*one.value_info, *one.input]]
    kinds = {value.name: value.type.tensor_type.elem_type for value in values}
    for one in graphs(graph):
        _each_once(one)
        _straight(one, kinds)
        _without_idle(one)


def _without_idle(graph: GraphProto) -> None:
    """Leave out the Casts to FP16 that nothing takes any more."""
    used = {name for node in nodes(graph) for name in node.input} | {value.name for value in graph.output}
    idle = {node.output[0] for node in graph.node if _is_made(node) and node.output[0] not in used}
    _keep(graph, [node for node in graph.node if not idle & set(node.output)])
    known = [value for value in graph.value_info if value.name not in idle]
    del graph.value_info[:]
    graph.value_info.extend(known)


def _inward(graph: GraphProto) -> None:
    """Move each Cast of a tensor that a branch or a loop has of its own into that."""
    left = _foreign(graph, [node for node in graph.node if node.op_type == "Cast"])
    strays = [NodeProto.FromString(node.SerializeToString()) for node in left]
    if not strays:
        return
    outputs = {node.output[0] for node in strays}
    _keep(graph, [node for node in graph.node if node.op_type != "Cast" or node.output[0] not in outputs])
    for inner in reversed(list(graphs(graph))[1:]):  # sorting a graph copies those in it
        away = {name for node in _foreign(inner, strays) for name in node.output}
        inner.node.extend(node for node in strays if node.output[0] not in away)
        _sort(inner)


def _sort(graph: GraphProto) -> None:
    """Put each operator behind those that make what it takes: a runtime wants that of branches and loops."""
    makers = {name: at for at, node in enumerate(graph.node) for name in node.output if name}
    takes = [{makers[name] for name in _taken(node) if name in makers} - {at} for at, node in enumerate(graph.node)]
    order: list[int] = []
    done: set[int] = set()
    while ready := [at for at, before in enumerate(takes) if at not in done and before <= done]:
        order += ready
        done.update(ready)
    _keep(graph, [graph.node[at] for at in order])


def _taken(node: NodeProto) -> set[str]:
    """Give the tensors that an operator takes, also those that its branches and loops take from around it."""
    inner = list(graphs(GraphProto(node=[node])))[1:]
    return {*node.input, *(name for one in inner for each in one.node for name in each.input)}


def _foreign(graph: GraphProto, casts: list[NodeProto]) -> list[NodeProto]:
    """Give those of the Casts whose tensors a graph does not have, also not by another one of them."""
    has = {value.name for value in [*graph.input, *graph.initializer]}
    has.update(name for node in graph.node if node.op_type != "Cast" for name in node.output)
    left = casts
    while here := [node.output[0] for node in left if node.input[0] in has]:
        left = [node for node in left if node.input[0] not in has]
        has.update(here)
    return left


def _each_once(graph: GraphProto) -> None:
    made: set[str] = set()
    kept = []
    for node in graph.node:
        if node.op_type == "Cast" and node.output[0] in made:
            continue
        made.update(node.output)
        kept.append(node)
    _keep(graph, kept)


def _straight(graph: GraphProto, kinds: dict[str, int]) -> None:
    """Give an operator in FP32 the tensor itself that was turned to FP16 and back."""
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
