"""Reading an OpenVINO model, and holding it against the config in Triton's words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openvino as ov
import openvino_settings as settings

import triton_python_backend_utils as pb_utils

TYPES = {
    "boolean": "TYPE_BOOL",
    "u8": "TYPE_UINT8",
    "u16": "TYPE_UINT16",
    "u32": "TYPE_UINT32",
    "u64": "TYPE_UINT64",
    "i8": "TYPE_INT8",
    "i16": "TYPE_INT16",
    "i32": "TYPE_INT32",
    "i64": "TYPE_INT64",
    "f16": "TYPE_FP16",
    "f32": "TYPE_FP32",
    "f64": "TYPE_FP64",
}
ELEMENTS = {name: getattr(ov.Type, element) for element, name in TYPES.items()}


@contextmanager
def told(doing: str) -> Iterator[None]:
    """Say what was being done when OpenVINO failed."""
    try:
        yield
    except pb_utils.TritonModelException:
        raise
    except Exception as error:
        raise pb_utils.TritonModelException(f"openvino error in {doing} : {error}") from error


def read(core: ov.Core, config: dict[str, Any], name: str) -> ov.Model:
    """Read the file of the version's folder. A folder of the file's name holds a file of that name."""
    file = Path(pb_utils.get_model_dir()) / (config.get("default_model_filename") or "model.xml")
    if file.is_dir() and (file / "model.xml").exists():
        file /= "model.xml"
    if not file.exists():
        raise pb_utils.TritonModelException(f"unable to find '{file}' for model '{name}'")
    with told("reading model"):
        return core.read_model(str(file))


def prepared(core: ov.Core, config: dict[str, Any], name: str) -> ov.Model:
    """Read the model, and give its tensors the types and the batch size of the config."""
    model = read(core, config, name)
    inputs, outputs = named(model.inputs), named(model.outputs)
    listed = config["input"]
    if len(listed) != len(inputs):
        raise pb_utils.TritonModelException(
            f"unable to load model '{name}', configuration expects {len(listed)} inputs, model provides {len(inputs)}"
        )
    reshaped = settings.flag(config, "RESHAPE_IO_LAYERS")
    largest = config["max_batch_size"]
    rebatched = any((shape(one) or [-1])[0] not in (-1, largest) for one in model.inputs)
    for kind, tensors, entries in (("input", inputs, listed), ("output", outputs, config["output"])):
        for entry in entries:
            element(entry, kind, name)
            tensor = of(tensors, entry["name"], kind)
            if not reshaped:
                compare(name, kind, entry, shape(tensor), largest, rebatched)
    resize(model, inputs, config, reshaped)
    steps = ov.preprocess.PrePostProcessor(model)
    for entry in listed:
        steps.input(entry["name"]).tensor().set_element_type(element(entry, "input", name))
    for entry in config["output"]:
        steps.output(entry["name"]).tensor().set_element_type(element(entry, "output", name))
    with told("setting precision"):
        return steps.build()


def resize(model: ov.Model, inputs: dict[str, Any], config: dict[str, Any], reshaped: bool) -> None:
    """Let the model take the batches of the config, and its dims where it asks for that."""
    largest = config["max_batch_size"]
    fixed = settings.flag(config, "SKIP_OV_DYNAMIC_BATCHSIZE")
    if largest == 0 and not reshaped:
        return
    wanted = {}
    for entry in config["input"]:
        dims = [ov.Dimension(*((d, d) if d >= 0 else (0, -1))) for d in dims_of(entry)] if reshaped else None
        if dims is None:
            dims = list(inputs[entry["name"]].partial_shape)[1 if largest > 0 else 0 :]
        batch = [] if largest == 0 else [ov.Dimension(largest, largest) if fixed else ov.Dimension(1, largest)]
        wanted[entry["name"]] = ov.PartialShape(batch + dims)
    with told("setting max batch size" if largest > 0 else "reshaping"):
        model.reshape(wanted)


def named(tensors: list[Any]) -> dict[str, Any]:
    """Give tensors by each of their names."""
    return {tensor.get_any_name(): tensor for tensor in tensors}


def of(tensors: dict[str, Any], name: str, kind: str) -> Any:
    """Give the tensor of a name."""
    if name not in tensors:
        raise pb_utils.TritonModelException(
            f"unexpected inference {kind} '{name}', allowed {kind}s are: {', '.join(sorted(tensors))}"
        )
    return tensors[name]


def element(entry: dict[str, Any], kind: str, model: str) -> ov.Type:
    """Give OpenVINO's type for that of the config."""
    found = ELEMENTS.get(entry["data_type"])
    if found is None:
        raise pb_utils.TritonModelException(
            f"unsupported datatype {entry['data_type']} for {kind} '{entry['name']}' for model '{model}'"
        )
    return found


def shape(tensor: Any) -> list[int] | None:
    """Give the dims, -1 for what is open; None where their number is open."""
    found = tensor.partial_shape
    if found.rank.is_dynamic:
        return None
    return [dim.get_length() if dim.is_static else -1 for dim in found]


def dims_of(entry: dict[str, Any]) -> list[int]:
    """Give the dims that the model gets."""
    dims = entry["reshape"].get("shape", []) if "reshape" in entry else entry["dims"]
    return [int(dim) for dim in dims]


def compare(model: str, kind: str, entry: dict[str, Any], has: list[int] | None, largest: int, rebatched: bool) -> None:
    """Compare dims. With batches the first one is the batch, which is set later."""
    if has is None:
        return
    start, dims = f"model '{model}', tensor '{entry['name']}': ", dims_of(entry)
    if largest > 0 and not has:
        raise pb_utils.TritonModelException(
            f"{start}for the model to support batching the shape should have at least 1 dimension"
        )
    if fits(kind, dims, has, largest, rebatched):
        return
    full = [largest, *dims] if largest > 0 else dims
    said = f"(shape {written(full)})"
    if largest > 0:
        said = (
            "(an initial batch dimension because max_batch_size > 0 followed by the explicit tensor shape, making "
            f"complete shape {written(full)})"
        )
        has = [largest, *has[1:]] if kind == "output" else has
    raise pb_utils.TritonModelException(
        f"{start}the model expects {len(has)} dimensions (shape {written(has)}) but the model configuration specifies "
        f"{len(full)} dimensions {said}"
    )


def fits(kind: str, dims: list[int], has: list[int], largest: int, rebatched: bool) -> bool:
    """Tell whether dims fit. With batches, -1 is any size of an input, and outputs may change with the batch size."""
    if largest > 0:
        has = has[1:]
    if len(has) != len(dims):
        return False
    free = largest > 0
    return all(
        there == -1 or there == given or (free and (rebatched if kind == "output" else given == -1))
        for there, given in zip(has, dims)
    )


def written(dims: list[int]) -> str:
    """Write a shape as Triton does."""
    return f"[{','.join(map(str, dims))}]"
