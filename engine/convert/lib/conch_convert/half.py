"""FP16, by onnxruntime.transformers.float16. Inputs and outputs keep their types."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import onnx
from onnx import TensorProto
from onnxruntime.transformers import float16

from conch_convert import onnx_models
from conch_convert.events import Events, RefusedError
from conch_convert.job import Job
from conch_convert.kinds import CHOOSE, is_half, quantized

LARGEST_HALF = 65504


def make(job: Job, events: Events, made: Path) -> list[str]:
    """Convert the model, and say what people should know."""
    model = onnx_models.load(job.model)
    notes = _worth_knowing(model)
    events.step("turning the model to FP16")
    blocked = [*float16.DEFAULT_OP_BLOCK_LIST, *job.keep]
    large = model.ByteSize() >= onnx_models.LARGEST  # shapes of such a model cannot be inferred in memory
    converted = float16.convert_float_to_float16(
        model, keep_io_types=True, op_block_list=blocked, disable_shape_infer=large
    )
    events.step("writing the new model")
    onnx_models.save(converted, made)
    kept = Counter(node.op_type for node in converted.graph.node if node.op_type in blocked)
    if kept:
        named = ", ".join(f"{count} {kind}" for kind, count in sorted(kept.items()))
        notes.append(f"Stays in FP32: {named}. FP16 is not kept by these, or you asked for it.")
    return notes


def _worth_knowing(model: onnx.ModelProto) -> list[str]:
    """Refuse a model that has nothing in FP32; say what FP16 cannot hold."""
    weights = list(model.graph.initializer)
    kinds = {tensor.data_type for tensor in weights}
    inputs = {entry.type.tensor_type.elem_type for entry in model.graph.input}
    if found := quantized(model):
        raise RefusedError(f"the model is INT8 already, by {', '.join(found)}, and does not become FP16: {CHOOSE}")
    if is_half(model):
        raise RefusedError(f"the model is FP16 already: none of its weights is FP32. To make it once more, {CHOOSE}")
    if TensorProto.FLOAT not in kinds | inputs:
        raise RefusedError("nothing in this model is FP32, so there is nothing to turn to FP16")
    large = [tensor.name for tensor in weights if tensor.data_type == TensorProto.FLOAT and _too_large(tensor)]
    if not large:
        return []
    more = f" and {len(large) - 1} more" if len(large) > 1 else ""
    return [f"FP16 ends at {LARGEST_HALF}: larger values in '{large[0]}'{more} were cut to that."]


def _too_large(tensor: TensorProto) -> bool:
    array = onnx.numpy_helper.to_array(tensor)
    return bool(array.size) and bool((abs(array) > LARGEST_HALF).any())
