"""A model whose execute is a coroutine."""

from __future__ import annotations

import asyncio
import json
import sys

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Calls two models at a time, and keeps what belongs to its loop."""

    def initialize(self, args: dict[str, str]) -> None:
        """Begin without a loop."""
        self.loop: asyncio.AbstractEventLoop | None = None
        self.ticks = 0

    async def tick(self) -> None:
        """Run on between requests."""
        while True:
            self.ticks += 1
            async with self.ticked:
                self.ticked.notify_all()
            await asyncio.sleep(0.01)

    async def keep(self) -> object:
        """Use a lock and a task of the first request, and say whether the loop is that of the first."""
        if self.loop is None:
            self.loop, self.ticked = asyncio.get_running_loop(), asyncio.Condition()
            self.task = asyncio.create_task(self.tick())
        before = self.ticks
        async with self.ticked:
            await self.ticked.wait_for(lambda: self.ticks > before)
        return self.loop is asyncio.get_running_loop()

    async def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Answer the requests at the same time."""
        return list(await asyncio.gather(*[self.answer(r) for r in requests]))

    async def answer(self, request: pb_utils.InferenceRequest) -> pb_utils.InferenceResponse:
        """Add in another model, twice at a time."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
        if ask.get("raise"):
            raise ValueError("from a coroutine")
        if ask.get("exit"):
            sys.exit("from a coroutine")
        said = await self.keep() if ask.get("keep") else await asyncio.gather(*[self.add(n) for n in ask["add"]])
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor("SAID", np.array([json.dumps(said).encode()], dtype=object))]
        )

    async def add(self, number: float) -> float:
        """Ask add_sub for a sum."""
        one = np.full([1, 4], number, np.float32)
        inputs = [pb_utils.Tensor("INPUT0", one), pb_utils.Tensor("INPUT1", one)]
        call = pb_utils.InferenceRequest(model_name="add_sub", requested_output_names=["OUTPUT0"], inputs=inputs)
        response = await call.async_exec()
        return float(pb_utils.get_output_tensor_by_name(response, "OUTPUT0").as_numpy()[0, 0])
