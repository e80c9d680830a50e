"""INT8, by onnxruntime.quantization: calibrated on requests, or without them for weights alone."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import onnx
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

from conch_convert import onnx_models
from conch_convert.calibration import Requests
from conch_convert.events import Events, RefusedError
from conch_convert.job import Job
from conch_convert.kinds import CHOOSE, is_half, quantized, with_nan

# Operators whose INT8 form ONNX Runtime runs on a CPU with ranges that it takes while it runs. Convolutions with
# signed weights have none.
DYNAMIC = ["MatMul", "Gemm", "Attention", "LSTM", "Gather", "EmbedLayerNormalization"]
CHANNELS_OPSET = 13  # ranges for each channel of a weight are there since


def make(job: Job, events: Events, made: Path) -> list[str]:
    """Convert the model, and say what people should know."""
    model = onnx_models.load(job.model)
    feeds = [] if job.dynamic else job.feeds()
    _supported(model, bool(feeds))
    by_weights = sorted({node.op_type for node in model.graph.node} & set(DYNAMIC))
    events.step("preparing the model")
    notes: list[str] = []
    large = model.ByteSize() >= onnx_models.LARGEST
    source = _prepared(job, model, large, notes)
    del model  # its weights are in the file
    options: dict[str, Any] = {"use_external_data_format": large}
    opset = next((entry.version for entry in onnx.load(str(source), load_external_data=False).opset_import
                  if entry.domain in ("", "ai.onnx")), 0)  # fmt: skip
    options["per_channel"] = opset >= CHANNELS_OPSET
    if feeds:
        events.step("turning the model to INT8")
        quantization.quantize_static(source, made, Requests(feeds, events, "calibrating on the requests"), **options)
    else:
        events.step("turning the weights to INT8")
        quantization.quantize_dynamic(source, made, op_types_to_quantize=DYNAMIC, **options)
        notes.append(
            "Not calibrated: weights are INT8, and the ranges of other tensors are taken while the model runs."
        )
    _changed(made, bool(feeds), by_weights)
    return notes


def _supported(model: onnx.ModelProto, calibrated: bool) -> None:
    if found := quantized(model):
        raise RefusedError(f"the model is quantized already, by {', '.join(found)}. To make it once more, {CHOOSE}")
    if is_half(model):
        raise RefusedError(f"the model is FP16, and INT8 is made of FP32: {CHOOSE}")
    if names := with_nan(model):
        raise RefusedError(f"weights in {names} hold NaN, which INT8 does not have: mend the model first")
    if calibrated and not model.graph.input:
        raise RefusedError("the model has no inputs, so there is nothing to calibrate on: convert its weights alone")


def _prepared(job: Job, model: onnx.ModelProto, large: bool, notes: list[str]) -> Path:
    """Infer shapes and fold constants, for good results. Where that fails, the model is used as it is.

    The tools read a copy: they look for external data beside the files that they write themselves.
    """
    folder = job.folder / "prepared"
    (folder / "copy").mkdir(parents=True)
    copy, path = folder / "copy" / "model.onnx", folder / "model.onnx"
    onnx_models.save(model, copy)
    try:
        quant_pre_process(
            str(copy),
            str(path),
            skip_symbolic_shape=True,
            save_as_external_data=large,
            all_tensors_to_one_file=large,
        )
        return path
    except OSError:
        raise
    except Exception as error:
        traceback.print_exc()
        notes.append(
            f"The model was quantized without being prepared, because ONNX Runtime could not: {job.told(error)}"
        )
        return copy


def _changed(made: Path, calibrated: bool, by_weights: list[str]) -> None:
    """Refuse a model that is the same as before."""
    model = onnx.load(str(made), load_external_data=False)
    if quantized(model):
        return
    why = ""
    if not calibrated:
        why = ": without requests only matrix products and the like are; send requests, then calibrate on them"
    elif by_weights:
        why = f" by calibration, but {', '.join(by_weights)} can without: convert the weights alone"
    raise RefusedError(f"nothing in this model can be turned to INT8{why}")
