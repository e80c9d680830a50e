"""Turns an ONNX model to FP16 or INT8 with the tools of ONNX Runtime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort

from conch_convert import half, integers
from conch_convert.events import Events, RefusedError
from conch_convert.job import Feed, Job
from conch_convert.kinds import nodes
from conch_convert.measure import Run, alone, answers, compare

# Above this size a file of ONNX needs its tensors beside it: a message of protobuf has 2 GiB at most.
LARGEST = 1_900_000_000
LEAST_BESIDE = 1024


def make(job: Job, events: Events) -> dict[str, Any]:
    """Convert the model, try it, and say what came of it."""
    job.out.mkdir()
    events.step("opening the model")
    before = session(job.model, "the model as it is")
    kept = answers(job, events, _runs(before), "before", "the model as it is")  # what it does not run, no tool does
    made = job.out / job.name
    notes = half.make(job, events, made) if job.to == "fp16" else integers.make(job, events, made)
    events.step("opening the new model")
    after = session(made, "the new model")
    _same_tensors(before, after)
    measured = compare(job, events, kept, _runs(before), _runs(after))
    files = [{"name": file.name, "bytes": file.stat().st_size} for file in sorted(job.out.iterdir())]
    return {"files": files, "notes": notes, "tool": f"onnxruntime {ort.__version__}", **measured}


def run(job: Job, events: Events) -> dict[str, Any]:
    """Only run the requests on the model, for the comparison with what another tool made of it."""
    events.step("running the requests on the ONNX model")
    measured = alone(job, events, _runs(session(job.model, "the model")))
    return {"files": [], "notes": [], "tool": f"onnxruntime {ort.__version__}", **measured}


def load(path: Path) -> onnx.ModelProto:
    """Read a model with its external data, in a form that the tools know.

    They look neither into functions that the model defines nor at numbers that are attributes of constants.
    """
    try:
        model = onnx.load(str(path))
    except (OSError, ValueError, onnx.checker.ValidationError) as error:
        raise RefusedError(f"the model cannot be read: {error}") from error
    except Exception as error:  # what protobuf raises has a class of its own in each version
        raise RefusedError(f"the file is no ONNX model, or it is damaged: {error}") from error
    if model.functions and model.ByteSize() < LARGEST:
        from onnx import inliner

        model = inliner.inline_local_functions(model)
    for node in nodes(model.graph):
        for attribute in node.attribute if node.op_type == "Constant" else ():
            if attribute.name in ("value_float", "value_floats"):
                numbers = onnx.helper.get_attribute_value(attribute)
                tensor = onnx.numpy_helper.from_array(np.array(numbers, np.float32))
                attribute.CopyFrom(onnx.helper.make_attribute("value", tensor))
    return model


def save(model: onnx.ModelProto, path: Path) -> None:
    """Write a model; a large one with its tensors in a file beside it."""
    if model.ByteSize() < LARGEST:
        onnx.save(model, str(path))
        return
    beside = path.name + ".data"
    onnx.save(
        model, str(path), save_as_external_data=True, all_tensors_to_one_file=True, location=beside,
        size_threshold=LEAST_BESIDE,
    )  # fmt: skip


def session(path: Path, which: str) -> ort.InferenceSession:
    """Open a model on the CPU."""
    options = ort.SessionOptions()
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise RefusedError(f"ONNX Runtime {ort.__version__} cannot open {which}: {_short(error)}") from error


def _short(error: Exception) -> str:
    """Leave out where in ONNX Runtime's sources an error was raised."""
    return str(error).split(" : ")[-1].strip()


def _runs(session: ort.InferenceSession) -> Run:
    outputs = [output.name for output in session.get_outputs()]
    inputs = {entry.name for entry in session.get_inputs()}

    def run(feed: Feed) -> Feed:
        unknown = sorted(set(feed) - inputs)
        if unknown:
            raise RefusedError(f"the model has no input '{unknown[0]}'")
        return dict(zip(outputs, session.run(outputs, feed), strict=True))

    return run


def _same_tensors(before: ort.InferenceSession, after: ort.InferenceSession) -> None:
    """Refuse a model whose inputs or outputs are others: the config would not fit any more."""
    for kind in ("get_inputs", "get_outputs"):
        old, new = ({entry.name: entry.type for entry in getattr(of, kind)()} for of in (before, after))
        if old != new:
            raise RefusedError(f"the new model would have other {kind[4:]}: {new}, and the config says {old}")
