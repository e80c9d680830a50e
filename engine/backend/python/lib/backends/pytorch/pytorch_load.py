"""Reading the files of PyTorch models."""

from __future__ import annotations

import importlib.util
import inspect
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

import triton_python_backend_utils as pb_utils

Loaded = tuple[Callable[..., Any], "list[str] | None"]

_PROGRAM, _SCRIPT, _PACKAGE = "model.py", "model.pt", "model.pt2"


def load(config: dict[str, Any], name: str, device: torch.device) -> Loaded:
    """The module, and the names of its arguments: none where they are unknown.

    None stands for one argument that takes all tensors by their names.
    """
    folder = Path(pb_utils.get_model_dir())
    given = config.get("default_model_filename") or ""
    if config.get("runtime") == _PROGRAM:
        own = given if given != _SCRIPT else ""  # that is what a config without a name is completed with
        places = [folder / one for one in (own, _PROGRAM, _SCRIPT) if one]
        found = next((place for place in places if place.exists()), None)
        if found is None:
            raise pb_utils.TritonModelException(f"No model found in {folder}/{[place.name for place in places]}")
        return class_model(found, device)
    if config.get("platform") == "torch_aoti":
        return package(existing(folder / (given or _PACKAGE), name), device)
    return script(existing(folder / (given or _SCRIPT), name), name, device)


def existing(file: Path, name: str) -> Path:
    """A file that has to be there."""
    if not file.exists():
        raise pb_utils.TritonModelException(f"unable to find '{file}' for model instance '{name}'")
    return file


def script(file: Path, name: str, device: torch.device) -> Loaded:
    """Load TorchScript."""
    try:
        module = torch.jit.load(str(file), map_location=device)
    except Exception as error:
        raise pb_utils.TritonModelException(f"failed to load model '{name}': {error}") from error
    module.eval()
    given = [one for one in module.forward.schema.arguments if one.name != "self"]
    if len(given) == 1 and str(given[0].type).startswith("Dict"):
        return module, None
    return module, [one.name for one in given]  # the engine has held them against the config


def package(file: Path, device: torch.device) -> Loaded:
    """Load what AOTInductor has compiled, or what torch.export.save has written. Neither tells its arguments."""
    if not zipfile.is_zipfile(file):
        raise pb_utils.TritonModelException(f"'{file}' is no archive of PyTorch")
    with zipfile.ZipFile(file) as archive:
        compiled = any("/aotinductor/" in name for name in archive.namelist())
    since = "2.6" if compiled else "2.1"
    has = hasattr(getattr(torch, "_inductor", None), "aoti_load_package") if compiled else hasattr(torch, "export")
    if not has:
        raise pb_utils.TritonModelException(
            f"PyTorch {torch.__version__} does not read '{file}': install PyTorch {since} or newer"
        )
    try:
        if compiled:
            return torch._inductor.aoti_load_package(str(file)), []
        return torch.export.load(str(file)).module().to(device), []
    except Exception as error:
        raise pb_utils.TritonModelException(f"failed to load '{file}': {error}") from error


def class_model(file: Path, device: torch.device) -> Loaded:
    """Make the module that a Python file defines, with the weights of the .pt file beside it."""
    if file.suffix != ".py":
        return script(file, file.stem, device)
    spec = importlib.util.spec_from_file_location("pytorch_user_model", file)
    if spec is None or spec.loader is None:
        raise pb_utils.TritonModelException(f"{file} is no Python program")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    own = [
        found
        for _, found in inspect.getmembers(program, inspect.isclass)
        if issubclass(found, torch.nn.Module) and found.__module__ == program.__name__
    ]
    if not own:
        raise pb_utils.TritonModelException("Cannot find a subclass of torch.nn.Module")
    module = own[0]()
    weights = file.with_suffix(".pt")
    if weights.exists():
        module.load_state_dict(torch.load(weights, map_location=device))
    return module.to(device).eval(), names_of(module.forward)


def names_of(function: Callable[..., Any]) -> list[str]:
    """The names of a function's arguments that have a place."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [one.name for one in inspect.signature(function).parameters.values() if one.kind in kinds]
