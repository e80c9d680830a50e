"""Calls other models from coroutines, one answer or streams."""

from __future__ import annotations

import asyncio
import json
from functools import partial

import numpy as np
import triton_python_backend_utils as pb_utils


def said(value: object) -> pb_utils.InferenceResponse:
    """Make an answer."""
    return pb_utils.InferenceResponse([pb_utils.Tensor("SAID", np.array([json.dumps(value).encode()], dtype=object))])


class TritonPythonModel:
    """Calls the model of a stream several times at once."""

    async def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer one after another."""
        return [said(await self.answer(request)) for request in requests]

    async def answer(self, request: pb_utils.InferenceRequest) -> list:
        """Call so many at a time."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
        return await asyncio.gather(*[self.call(ask, n) for n in range(ask["times"])])

    async def call(self, ask: dict, number: int) -> list:
        """Read one stream."""
        inner = json.dumps(ask.get("inner", {"do": "count", "times": number})).encode()
        inputs = [pb_utils.Tensor("ASK", np.array([inner], dtype=object))]
        call = pb_utils.InferenceRequest(model_name=ask["model"], requested_output_names=["SAID"], inputs=inputs)
        responses = await call.async_exec(decoupled=True)
        if ask.get("loop") == "async for":
            return [response.has_error() async for response in responses]
        if ask.get("loop") == "threads":
            read = partial(asyncio.to_thread, next, responses, None)
            responses = [response for response in [await read() for _ in range(number + 1)] if response]
        came = []
        for response in responses:
            if response.has_error():
                came.append(response.error().message())
                continue
            tensor = pb_utils.get_output_tensor_by_name(response, "SAID")
            came.append(None if tensor is None else json.loads(tensor.as_numpy()[0]))
        return came
