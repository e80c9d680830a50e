"""INT8, by onnxruntime.quantization: calibrated on requests, or without them for weights alone."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Any

import onnx
from onnxruntime import quantization
from onnxruntime.quantization.shape_inference import quant_pre_process

from conch_convert import onnx_models
from conch_convert.events import Events, RefusedError
from conch_convert.job import Feed, Job
from conch_convert.kinds import CHOOSE, is_half, quantized

# Operators whose INT8 form ONNX Runtime runs on a CPU with ranges that it takes while it runs. Convolutions with
# signed weights have none.
DYNAMIC = ["MatMul", "Gemm", "Attention", "LSTM", "Gather", "EmbedLayerNormalization"]
CHANNELS_OPSET = 13  # ranges for each channel of a weight are there since


class Requests(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Gives the requests to ONNX Runtime's calibration, one after the other."""

    def __init__(self, feeds: list[Feed], events: Events) -> None:
        self._feeds, self._events, self._at = feeds, events, 0

    def get_next(self) -> Feed | None:
        """Give the next request; None after the last one."""
        if self._at == len(self._feeds):
            return None
        self._events.progress("calibrating on the requests", self._at, len(self._feeds))
        self._at += 1
        return self._feeds[self._at - 1]


def make(job: Job, events: Events, made: Path) -> list[str]:
    """Convert the model, and say what people should know."""
    _supported(onnx_models.load(job.model))
    events.step("preparing the model")
    notes: list[str] = []
    source = _prepared(job, notes)
    feeds = [] if job.dynamic else job.feeds()
    options: dict[str, Any] = {"use_external_data_format": _size(source) >= onnx_models.LARGEST}
    opset = next((entry.version for entry in onnx.load(str(source), load_external_data=False).opset_import
                  if entry.domain in ("", "ai.onnx")), 0)  # fmt: skip
    options["per_channel"] = opset >= CHANNELS_OPSET
    if feeds:
        events.step("turning the model to INT8")
        quantization.quantize_static(source, made, Requests(feeds, events), **options)
    else:
        events.step("turning the weights to INT8")
        quantization.quantize_dynamic(source, made, op_types_to_quantize=DYNAMIC, **options)
        notes.append(
            "Not calibrated: weights are INT8, and the ranges of other tensors are taken while the model runs."
        )
    _changed(made, bool(feeds))
    return notes


def _supported(model: onnx.ModelProto) -> None:
    if found := quantized(model):
        raise RefusedError(f"the model is quantized already, by {', '.join(found)}. To make it once more, {CHOOSE}")
    if is_half(model):
        raise RefusedError(f"the model is FP16, and INT8 is made of FP32: {CHOOSE}")


def _size(path: Path) -> int:
    return sum(file.stat().st_size for file in path.parent.glob(path.name + "*"))


def _prepared(job: Job, notes: list[str]) -> Path:
    """Infer shapes and fold constants, for good results. Where that fails, the model is used as it is."""
    folder = job.folder / "prepared"
    folder.mkdir()
    path = folder / "model.onnx"
    try:
        large = _size(job.model) >= onnx_models.LARGEST
        quant_pre_process(
            str(job.model),
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
        notes.append(f"The model was quantized without being prepared, because ONNX Runtime could not: {error}")
        return job.model


def _changed(made: Path, calibrated: bool) -> None:
    """Refuse a model that is the same as before."""
    model = onnx.load(str(made), load_external_data=False)
    if not quantized(model):
        why = (
            ""
            if calibrated
            else ": without requests only matrix products and the like are; send requests, then calibrate on them"
        )
        raise RefusedError(f"nothing in this model can be turned to INT8{why}")
