"""FP16, by onnxruntime.transformers.float16. Inputs and outputs keep their types."""

from __future__ import annotations

import difflib
import traceback
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto
from onnxruntime.transformers import float16

from conch_convert import casts, onnx_models, overflow
from conch_convert.events import Events, RefusedError
from conch_convert.job import Job
from conch_convert.kinds import CHOOSE, graphs, is_half, nodes, quantized, with_nan
from conch_convert.overflow import LARGEST_HALF


def make(job: Job, events: Events, made: Path) -> list[str]:
    """Convert the model, and say what people should know."""
    model = onnx_models.load(job.model)
    notes = _worth_knowing(model)
    large_weights = [
        tensor.name
        for tensor in model.graph.initializer
        if tensor.data_type == TensorProto.FLOAT and _too_large(tensor)
    ]
    _known(model, job.keep)
    events.step("turning the model to FP16")
    blocked = [*float16.DEFAULT_OP_BLOCK_LIST, *job.keep]
    large = model.ByteSize() >= onnx_models.LARGEST  # shapes of such a model cannot be inferred in memory
    try:
        converted = float16.convert_float_to_float16(
            model, keep_io_types=True, op_block_list=blocked, disable_shape_infer=large
        )
    except AssertionError as error:  # it says nothing: a weight's name has to be one of the whole file
        raise RefusedError(
            "onnxruntime's converter does not take this model. It needs another name for each weight, also where"
            f" they are in different branches{_twice(model)}"
        ) from error
    casts.tidy(converted.graph)
    notes += _cut(large_weights, converted)
    events.step("writing the new model")
    onnx_models.save(converted, made)
    notes += _kept(converted, job.keep)
    if not large:
        notes += _overflow(job, events, converted)
    elif job.has_requests:
        notes.append("The model is above 2 GB: whether values in the middle of it leave FP16's range was not tried.")
    return notes


def _kept(converted: onnx.ModelProto, asked: list[str]) -> list[str]:
    """Tell what is in FP32 still, and why."""
    count = Counter(node.op_type for node in nodes(converted.graph))
    left = [kind for kind in float16.DEFAULT_OP_BLOCK_LIST if kind not in asked]
    notes = []
    for why, kinds in (
        ("As you asked, these operators stay in FP32", asked),
        ("onnxruntime's converter leaves these operators in FP32", left),
    ):
        if found := ", ".join(f"{count[kind]} {kind}" for kind in sorted({*kinds}) if count[kind]):
            notes.append(f"{why}: {found}.")
    return notes


def _twice(model: onnx.ModelProto) -> str:
    """Name weights of different graphs that have one name; "" where there are none."""
    names = Counter(weight.name for graph in graphs(model.graph) for weight in graph.initializer)
    found = [f"'{name}'" for name, count in sorted(names.items()) if count > 1]
    return f", and there are several of {', '.join(found[:3])}" if found else ""


def _overflow(job: Job, events: Events, converted: onnx.ModelProto) -> list[str]:
    try:
        return overflow.notes(job, events, job.model, converted)
    except (MemoryError, OSError):
        raise
    except Exception as error:
        traceback.print_exc()
        return [f"Whether values in the middle of the model leave FP16's range could not be tried: {job.told(error)}"]


def _known(model: onnx.ModelProto, keep: list[str]) -> None:
    """Refuse an operator to keep that the model does not have: its name is written wrong."""
    kinds = sorted({node.op_type for node in nodes(model.graph)})
    for name in keep:
        if name not in kinds:
            near = _nearest(name, kinds)
            it_has = f"did you mean {near}? It has" if near else "it has"
            raise RefusedError(
                f"the model has no operator '{name}' that could stay in FP32; {it_has} {', '.join(kinds)}"
            )


def _nearest(name: str, kinds: list[str]) -> str:
    """Find the operator that a wrong name most likely means, whatever its capitals; "" where none is similar."""
    small = {kind.lower(): kind for kind in kinds}
    found = difflib.get_close_matches(name.lower(), small, n=1, cutoff=0.7)
    return small[found[0]] if found else ""


def _worth_knowing(model: onnx.ModelProto) -> list[str]:
    """Refuse a model that has nothing in FP32; say which weights are not numbers."""
    weights = list(model.graph.initializer)
    kinds = {tensor.data_type for tensor in weights}
    inputs = {entry.type.tensor_type.elem_type for entry in model.graph.input}
    if found := quantized(model):
        raise RefusedError(f"the model is INT8 already, by {', '.join(found)}, and does not become FP16: {CHOOSE}")
    if is_half(model):
        raise RefusedError(f"the model is FP16 already. To make it once more, {CHOOSE}")
    if TensorProto.FLOAT not in kinds | inputs:
        raise RefusedError("nothing in this model is FP32, so there is nothing to turn to FP16")
    return [f"Weights in {names} hold NaN, in the FP32 model already."] if (names := with_nan(model)) else []


def _cut(large: list[str], converted: onnx.ModelProto) -> list[str]:
    """Name the weights that FP16 cannot hold, but for those that operators in FP32 keep whole."""
    whole = {tensor.name for tensor in converted.graph.initializer if tensor.data_type == TensorProto.FLOAT}
    cut = [name for name in large if name not in whole]
    if not cut:
        return []
    more = f" and {len(cut) - 1} more" if len(cut) > 1 else ""
    return [f"FP16 ends at {LARGEST_HALF}: larger values in '{cut[0]}'{more} were cut to that."]


def _too_large(tensor: TensorProto) -> bool:
    array = onnx.numpy_helper.to_array(tensor)
    return bool(((abs(array) > LARGEST_HALF) & np.isfinite(array)).any())
