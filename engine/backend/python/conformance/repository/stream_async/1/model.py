"""A decoupled model whose execute is a coroutine."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


class TritonPythonModel:
    """Answers requests when so many have come."""

    def initialize(self, args: dict[str, str]) -> None:
        """Begin without a request."""
        self.came = 0

    async def execute(self, requests: list[pb_utils.InferenceRequest]) -> None:
        """Answer the requests at the same time."""
        await asyncio.gather(*[self.answer(request) for request in requests])

    async def answer(self, request: pb_utils.InferenceRequest) -> None:
        """Wait for the others, or raise."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
        if "raise" in ask:
            raise ValueError("from a coroutine")
        self.came += 1
        while self.came < ask["together"]:
            await asyncio.sleep(0.01)
        said = pb_utils.Tensor("SAID", np.array([b'"all are here"'], dtype=object))
        request.get_response_sender().send(pb_utils.InferenceResponse([said]), flags=FINAL)
