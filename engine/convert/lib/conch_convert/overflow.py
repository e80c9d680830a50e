"""Finds the tensors in the middle of an FP32 model that leave the range of FP16.

A processor computes FP16 in FP32, so the answers that are compared do not show it. A GPU gets infinity there.
"""

from __future__ import annotations

import math
from pathlib import Path

import onnx
from onnx import ModelProto, TensorProto
from onnxruntime.quantization import calibrate

from conch_convert import onnx_models
from conch_convert.calibration import Requests
from conch_convert.events import Events
from conch_convert.job import Feed, Job
from conch_convert.kinds import nodes

LARGEST_HALF = 65504
MOST_NAMED = 3


def notes(job: Job, events: Events, model: Path, half: ModelProto) -> list[str]:
    """Say which tensors of the FP32 model leave FP16's range on the requests, of those that are FP16 in the new one."""
    feeds = [feed for feed in job.feeds() if feed]
    if not feeds:
        return []
    names = _halves(half)
    inside = _inside(half)
    largest = {name: value for name, value in _largest(job, events, model, feeds).items() if name in names}
    over = sorted(
        (name for name, value in largest.items() if LARGEST_HALF < value < math.inf), key=lambda n: -largest[n]
    )
    if not over:
        return inside
    kinds = sorted(_touching(half, {names[name] for name in over}) | set(job.keep))
    named = ", ".join(f"'{name}' ({largest[name]:.4g})" for name in over[:MOST_NAMED])
    more = f" and {len(over) - MOST_NAMED} more" if len(over) > MOST_NAMED else ""
    keep = f" What can help: keep {', '.join(kinds)} in FP32." if kinds else ""
    return [
        f"FP16 ends at {LARGEST_HALF}, and on these requests larger values come in {named}{more}."
        " A GPU gets infinity there. The answers that are compared here do not show it,"
        f" since a processor computes FP16 in FP32.{keep}",
        *inside,
    ]


def _inside(half: ModelProto) -> list[str]:
    """Say that nothing is known of branches and loops: no run gives their tensors."""
    if len(list(nodes(half.graph))) == len(half.graph.node):
        return []
    return [
        f"Whether values leave FP16's range, which ends at {LARGEST_HALF}, was not tried within branches and loops"
        " (If, Loop, Scan). Compare the new version with the FP32 one on a GPU."
    ]


def _touching(half: ModelProto, tensors: set[str]) -> set[str]:
    """Give the types of the operators that make or take these tensors.

    All of them have to stay in FP32: one that does not gets the value by a Cast to FP16. Branches and loops as a whole
    cannot: the converter makes no Casts for what is in them.
    """
    computing = [node for node in half.graph.node if node.op_type not in {"Cast", "If", "Loop", "Scan"}]
    return {node.op_type for node in computing if tensors & {*node.input, *node.output}}


def _largest(job: Job, events: Events, model: Path, feeds: list[Feed]) -> dict[str, float]:
    """Run the requests, and take the largest absolute value of each tensor.

    The calibrator gets a copy: it writes NAME-inferred.onnx beside the model that it is given, over any file of that
    name, and removes it.
    """
    folder = job.folder / "ranges"
    (folder / "copy").mkdir(parents=True)
    copy = folder / "copy" / "model.onnx"
    onnx_models.save(onnx_models.load(model), copy)
    calibrator = calibrate.create_calibrator(copy, augmented_model_path=str(folder / "model.onnx"))
    calibrator.collect_data(Requests(feeds, events, "looking for values that FP16 cannot hold"))
    ranges = {name: data.range_value for name, data in calibrator.compute_data().items()}
    return {name: max(abs(float(end.item())) for end in ends) for name, ends in ranges.items()}


def _halves(half: ModelProto) -> dict[str, str]:
    """Map the tensors that are FP16 to what carries their values in the new model.

    Inputs and outputs keep their type there: a Cast stands between.
    """
    graph = onnx.shape_inference.infer_shapes(half).graph
    kinds = {value.name: value.type.tensor_type.elem_type for value in [*graph.value_info, *graph.input, *graph.output]}
    found = {name: name for name, kind in kinds.items() if kind == TensorProto.FLOAT16}
    inputs, outputs = ({value.name for value in values} for values in (graph.input, graph.output))
    for node in graph.node:
        if node.op_type != "Cast":
            continue
        source, target = node.input[0], node.output[0]
        if source in inputs and kinds.get(target) == TensorProto.FLOAT16:
            found[source] = target
        if target in outputs and kinds.get(source) == TensorProto.FLOAT16:
            found[target] = source
    return found
