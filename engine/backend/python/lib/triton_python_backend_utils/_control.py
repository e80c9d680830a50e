"""Loading and unloading of other models."""

from __future__ import annotations

from ._native import need, text, truth
from ._world import current


def load_model(model_name: str, config: str = "", files: dict[str, bytes] | None = None) -> None:
    """Load a model; TritonModelException when that fails."""
    contents = dict(files or {})
    for name, content in contents.items():
        need(f"load_model: the content of the file '{name}'", content, bytes)
    current().load_model(text("load_model: model_name", model_name), text("load_model: config", config), contents)


def unload_model(model_name: str, unload_dependents: bool = False) -> None:
    """Unload a model; TritonModelException when that fails."""
    current().unload_model(
        text("unload_model: model_name", model_name), truth("unload_model: unload_dependents", unload_dependents)
    )


def is_model_ready(model_name: str, model_version: str = "") -> bool:
    """Whether a model is ready; an unknown one is not."""
    return bool(
        current().is_model_ready(
            text("is_model_ready: model_name", model_name), text("is_model_ready: model_version", model_version)
        )
    )
