"""A model whose execute is a coroutine."""

from __future__ import annotations

import asyncio
import json

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Calls two models at a time."""

    async def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer the requests at the same time."""
        return list(await asyncio.gather(*[self.answer(r) for r in requests]))

    async def answer(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        """Add in another model, twice at a time."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
        if ask.get("raise"):
            raise ValueError("from a coroutine")
        calls = [self.add(n) for n in ask["add"]]
        sums = await asyncio.gather(*calls)
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor("SAID", np.array([json.dumps(sums).encode()], dtype=object))]
        )

    async def add(self, number: float) -> float:
        """Ask add_sub for a sum."""
        one = np.full([1, 4], number, np.float32)
        inputs = [pb_utils.Tensor("INPUT0", one), pb_utils.Tensor("INPUT1", one)]
        call = pb_utils.InferenceRequest(model_name="add_sub", requested_output_names=["OUTPUT0"], inputs=inputs)
        response = await call.async_exec()
        return float(pb_utils.get_output_tensor_by_name(response, "OUTPUT0").as_numpy()[0, 0])
