"""Text in, text out: this program encodes, asks T5, and decodes."""

from __future__ import annotations

import numpy as np
import triton_python_backend_utils as pb_utils

from .letters import decode, encode

# What T5 is asked where the request says nothing: the input of this model, that of T5, its value.
OPTIONS = (
    ("MAX_TOKENS", "max_output_len", np.uint32(12)),
    ("BEAMS", "beam_width", np.uint32(1)),
    ("LENGTH_PENALTY", "len_penalty", np.float32(0)),
)


class TritonPythonModel:
    """What the server calls."""

    async def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer the requests. T5 is asked about all of them at the same time."""
        asked = [question(request).async_exec() for request in requests]
        return [answer(await one) for one in asked]


def question(request: pb_utils.InferenceRequest) -> pb_utils.InferenceRequest:
    """Say to T5 what the request says."""
    tokens, counts = encode(pb_utils.get_input_tensor_by_name(request, "TEXT").as_numpy())
    inputs = [pb_utils.Tensor("input_ids", tokens), pb_utils.Tensor("sequence_length", counts)]
    for ours, theirs, usual in OPTIONS:
        given = pb_utils.get_input_tensor_by_name(request, ours)
        values = np.full((len(tokens), 1), usual) if given is None else given.as_numpy()
        inputs.append(pb_utils.Tensor(theirs, values))
    return pb_utils.InferenceRequest(
        model_name="t5", inputs=inputs, requested_output_names=["output_ids", "sequence_length"]
    )


def answer(response: pb_utils.InferenceResponse) -> pb_utils.InferenceResponse:
    """Turn T5's answer into texts."""
    if response.has_error():
        return pb_utils.InferenceResponse(error=response.error())
    tokens = pb_utils.get_output_tensor_by_name(response, "output_ids").as_numpy()
    counts = pb_utils.get_output_tensor_by_name(response, "sequence_length").as_numpy()
    return pb_utils.InferenceResponse([pb_utils.Tensor("TEXTS", decode(tokens, counts))])
