"""Opens saved models and graphs of TensorFlow, and says what their tensors are."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "1")

import numpy as np
import tensorflow as tf

import triton_python_backend_utils as pb_utils

SAVED_MODEL, GRAPH_DEF = "tensorflow_savedmodel", "tensorflow_graphdef"
_FILES = {SAVED_MODEL: "model.savedmodel", GRAPH_DEF: "model.graphdef"}
_SET_UP = ("__saved_model_init_op", "__saved_model_train_op")


@dataclass
class Element:
    """An input or output: its tensor in the graph, Triton's data type, and its shape; None for any."""

    tensor: str
    type: str
    shape: list[int] | None


@dataclass
class Signature:
    """A way to call a graph."""

    inputs: dict[str, Element]
    outputs: dict[str, Element]


class Config:
    """What a config says about the graph."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.name = config.get("name", "")
        self._parameters = config.get("parameters", {})
        self.folder = Path(pb_utils.get_model_dir())
        platform = config.get("platform", "")
        if not platform:
            platform = GRAPH_DEF if (self.folder / _FILES[GRAPH_DEF]).is_file() else SAVED_MODEL
        if platform not in _FILES:
            raise pb_utils.TritonModelException(f"platform {platform} not supported for TensorFlow model '{self.name}'")
        self.saved = platform == SAVED_MODEL
        self.file = self.folder / (config.get("default_model_filename") or _FILES[platform])
        if not self.file.exists():
            raise pb_utils.TritonModelException(f"unable to find '{self.file}' for model instance '{self.name}'")

    def text(self, key: str) -> str:
        """Return a parameter; "" for none."""
        return self._parameters.get(key, {}).get("string_value", "")

    def number(self, key: str) -> int:
        """Return a parameter that is a number of threads; 0 for none."""
        text = self.text(key) or "0"
        if not text.isdigit():
            raise pb_utils.TritonModelException(
                f"parameter '{key}' must be non-negative number for TensorFlow model '{self.name}'"
            )
        return int(text)


def session(config: Config, kind: str, device: int) -> Any:
    """Make a session on a processor, with the threads that the config asks for."""
    options = tf.compat.v1.ConfigProto(
        intra_op_parallelism_threads=config.number("TF_NUM_INTRA_THREADS"),
        inter_op_parallelism_threads=config.number("TF_NUM_INTER_THREADS"),
        use_per_session_threads=config.text("TF_USE_PER_SESSION_THREADS").lower() in ("true", "on", "1"),
        allow_soft_placement=True,
        device_count={"GPU": 0} if kind == "CPU" else None,
    )
    if kind == "GPU":
        options.gpu_options.visible_device_list = str(device)
        options.gpu_options.allow_growth = True
    return tf.compat.v1.Session(graph=tf.Graph(), config=options)


def load_saved(config: Config, into: Any) -> Signature:
    """Load a saved model, and return the signature that the config names."""
    tag = config.text("TF_GRAPH_TAG") or tf.saved_model.SERVING
    tf.get_logger().setLevel(
        "ERROR"
    )  # its loader for sessions is called deprecated, and is the one that has signatures
    try:
        with into.graph.as_default():
            graph = tf.compat.v1.saved_model.load(into, [tag], str(config.file))
    except Exception as error:
        raise pb_utils.TritonModelException(f"unable to load model '{config.name}': {error}") from error
    return _signature(config, graph.signature_def)


def read_saved(config: Config) -> Signature:
    """Return the signature of a saved model without loading it."""
    from google.protobuf.message import DecodeError
    from tensorflow.core.protobuf import saved_model_pb2

    tag = config.text("TF_GRAPH_TAG") or tf.saved_model.SERVING
    saved = saved_model_pb2.SavedModel()
    try:
        saved.ParseFromString((config.file / "saved_model.pb").read_bytes())
    except (OSError, DecodeError) as error:
        raise pb_utils.TritonModelException(
            f"unable to auto-complete model configuration for '{config.name}', failed to load model: {error}"
        ) from error
    for graph in saved.meta_graphs:
        if set(graph.meta_info_def.tags) == {tag}:
            return _signature(config, graph.signature_def)
    raise pb_utils.TritonModelException(
        f"unable to load model '{config.name}': {config.file} has no graph with the tag '{tag}', as the parameter "
        "TF_GRAPH_TAG says"
    )


def _signature(config: Config, signatures: Mapping[str, Any]) -> Signature:
    wanted = config.text("TF_SIGNATURE_DEF")
    name = wanted or tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if name not in signatures and not wanted:
        name = next((other for other in sorted(signatures) if other not in _SET_UP), name)
    if name not in signatures:
        raise pb_utils.TritonModelException(f"unable to load model '{config.name}', expected '{name}' signature")
    found = signatures[name]
    return Signature(
        {key: _element(found.inputs[key]) for key in sorted(found.inputs)},
        {key: _element(found.outputs[key]) for key in sorted(found.outputs)},
    )


def _element(info: Any) -> Element:
    shape = info.tensor_shape
    return Element(info.name, triton_type(info.dtype), None if shape.unknown_rank else [dim.size for dim in shape.dim])


def load_graph(config: Config, into: Any) -> Signature:
    """Load a graph. Each of its operations may be an input or an output."""
    definition = tf.compat.v1.GraphDef()
    try:
        definition.ParseFromString(config.file.read_bytes())
        with into.graph.as_default():
            tf.import_graph_def(definition, name="")
    except Exception as error:
        raise pb_utils.TritonModelException(f"unable to load model '{config.name}': {error}") from error
    _set_up(config, into)
    inputs, outputs = {}, {}
    for operation in into.graph.get_operations():
        for number, tensor in enumerate(operation.outputs):
            element = Element(tensor.name, triton_type(tensor.dtype.as_datatype_enum), _shape(tensor))
            for key in (operation.name, tensor.name) if number == 0 else (tensor.name,):
                outputs[key] = element
                if operation.type == "Placeholder":
                    inputs[key] = element
    return Signature(inputs, outputs)


def _set_up(config: Config, into: Any) -> None:
    """Run the operations that the file of TF_INIT_OPS_FILE lists."""
    named = config.text("TF_INIT_OPS_FILE")
    if not named:
        return
    places = [config.folder / named, config.folder.parent / named]
    file = next((place for place in places if place.is_file()), None)
    if file is None:
        raise pb_utils.TritonModelException(f"unable to find '{places[0]}', which the parameter TF_INIT_OPS_FILE names")
    for operation in json.loads(file.read_text("utf-8"))["init_ops"]:
        into.run(into.graph.get_operation_by_name(operation))


def _shape(tensor: Any) -> list[int] | None:
    if tensor.shape.rank is None:
        return None
    return [-1 if size is None else size for size in tensor.shape.as_list()]


def triton_type(number: int) -> str:
    """Return Triton's data type of a tensor; TYPE_INVALID for one that Triton has not."""
    kind = tf.dtypes.as_dtype(number)
    if kind == tf.string:
        return "TYPE_STRING"
    if kind.is_floating and kind.size in (2, 4, 8) and kind != tf.bfloat16:
        return f"TYPE_FP{8 * kind.size}"
    if kind == tf.bool:
        return "TYPE_BOOL"
    if kind.is_integer and not kind.is_quantized and np.dtype(kind.as_numpy_dtype).kind in "iu":
        return "TYPE_" + np.dtype(kind.as_numpy_dtype).name.upper()
    return "TYPE_INVALID"
