"""Helpers of a model."""

from __future__ import annotations

from ._request import InferenceRequest
from ._response import InferenceResponse
from ._tensor import Tensor
from ._world import current


def get_input_tensor_by_name(inference_request: InferenceRequest, name: str) -> Tensor | None:
    """Return an input of a request, or None."""
    for tensor in inference_request.inputs():
        if tensor.name() == name:
            return tensor
    return None


def get_output_tensor_by_name(inference_response: InferenceResponse, name: str) -> Tensor | None:
    """Return an output of a response, or None."""
    for tensor in inference_response.output_tensors():
        if tensor.name() == name:
            return tensor
    return None


def get_model_dir() -> str:
    """Return the folder of the model's version."""
    return current().version_dir
