"""Loading and unloading of other models."""

from __future__ import annotations

from ._world import current


def load_model(model_name: str, config: str = "", files: dict[str, bytes] | None = None) -> None:
    """Load a model; TritonModelException when that fails."""
    current().load_model(model_name, config, files or {})


def unload_model(model_name: str, unload_dependents: bool = False) -> None:
    """Unload a model; TritonModelException when that fails."""
    current().unload_model(model_name, unload_dependents)


def is_model_ready(model_name: str, model_version: str = "") -> bool:
    """Whether a model is ready; an unknown one is not."""
    return current().is_model_ready(model_name, model_version)
