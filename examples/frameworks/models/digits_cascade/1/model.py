"""A cascade of two models: a small one answers, and a large one is asked when the small one is not sure."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """What the server calls."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read from which probability on the small model is believed."""
        self.sure = float(json.loads(args["model_config"])["parameters"]["sure"]["string_value"])

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer each request; what a model refuses fails that request alone."""
        responses = []
        for request in requests:
            images = pb_utils.get_input_tensor_by_name(request, "image").as_numpy()
            try:
                responses.append(self.answer(images))
            except pb_utils.TritonModelException as error:
                responses.append(pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error))))
        return responses

    def answer(self, images: np.ndarray) -> pb_utils.InferenceResponse:
        """Ask the small model about all pictures, and the large one about those that are left."""
        found = ask("digits_small", images).copy()
        unsure = found.max(axis=1) < self.sure
        if unsure.any():
            found[unsure] = ask("digits", images[unsure])
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor("probabilities", found), pb_utils.Tensor("asked_digits", unsure[:, None])]
        )


def ask(model: str, images: np.ndarray) -> np.ndarray:
    """Ask a model for its probabilities."""
    question = pb_utils.InferenceRequest(
        model_name=model,
        inputs=[pb_utils.Tensor("image", images)],
        requested_output_names=["probabilities"],
    )
    response = question.exec()
    if response.has_error():
        raise pb_utils.TritonModelException(response.error().message())
    return pb_utils.get_output_tensor_by_name(response, "probabilities").as_numpy()
