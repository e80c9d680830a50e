"""The model of all scenarios: it takes as long as it is told, copies its inputs, and says which requests ran together.

A request's parameters: ms, how long its batch takes at least; fail and omit name the model that answers with an error
or leaves its outputs out; times, how often a decoupled model answers; rounds, how often a request of an iterative
sequence runs. The config's parameter ms is the time of every batch, 50 ms unless it says otherwise.
"""

from __future__ import annotations

import json
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """One instance of the model."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read what the config says."""
        config = json.loads(args["model_config"])
        self.name = args["model_name"]
        self.batching = config["max_batch_size"] > 0
        self.ms = int(config["parameters"].get("ms", {"string_value": "50"})["string_value"])
        self.inputs = [i["name"] for i in config["input"]]
        self.outputs = [(o["name"], o["data_type"]) for o in config["output"]]
        batching = config.get("sequence_batching", {})
        self.controls = [c["name"] for c in batching.get("control_input", [])]
        self.decoupled = config.get("model_transaction_policy", {}).get("decoupled", False)
        self.rounds: dict[str, int] = {}

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse] | None:
        """Run a batch."""
        asked = [json.loads(r.parameters() or "{}") for r in requests]
        time.sleep(max([self.ms] + [int(a.get("ms", 0)) for a in asked]) / 1000)
        together = " ".join(self.describe(r) for r in requests)
        if self.decoupled:
            for r, a in zip(requests, asked, strict=True):
                self.stream(r, a, together)
            return None
        return [self.answer(r, a, together) for r, a in zip(requests, asked, strict=True)]

    def stream(self, request: pb_utils.InferenceRequest, asked: dict, together: str) -> None:
        """Answer as often as the request says, with a pause between; the last answer is the final one."""
        sender = request.get_response_sender()
        times = int(asked.get("times", 1))
        for n in range(times):
            final = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL if n == times - 1 else 0
            sender.send(self.answer(request, asked, f"{together} {n + 1}"), flags=final)
            time.sleep(0.05)
        if times == 0:
            sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)

    def again(self, request: pb_utils.InferenceRequest, asked: dict) -> bool:
        """Send a request of an iterative sequence back into the queue until its rounds are over."""
        key = request.request_id()
        self.rounds[key] = self.rounds.get(key, 0) + 1
        if self.rounds[key] >= int(asked.get("rounds", 1)):
            del self.rounds[key]
            return False
        request.set_release_flags(pb_utils.TRITONSERVER_REQUEST_RELEASE_RESCHEDULE)
        return True

    def describe(self, request: pb_utils.InferenceRequest) -> str:
        """Give a request's id, and what the scheduler's controls say of it; a null request is a dash."""
        text = request.request_id() or "-"
        for name in self.controls:
            control = pb_utils.get_input_tensor_by_name(request, name)
            text += f" {name}=" + ("none" if control is None else readable(control.as_numpy()))
        return text if not self.controls else f"[{text}]"

    def answer(
        self, request: pb_utils.InferenceRequest, asked: dict, together: str
    ) -> pb_utils.InferenceResponse | None:
        """Make one answer, or what the request asks for instead of one."""
        if "rounds" in asked and self.again(request, asked):
            return None
        if asked.get("fail") == self.name:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{self.name} was told to fail"))
        if asked.get("omit") == self.name:
            return pb_utils.InferenceResponse()
        made = [self.output(request, i, together) for i in range(len(self.outputs))]
        return pb_utils.InferenceResponse([tensor for tensor in made if tensor is not None])

    def output(self, request: pb_utils.InferenceRequest, index: int, together: str) -> pb_utils.Tensor | None:
        """Copy an output from the input of its number; the last input serves those that are left over."""
        name, data_type = self.outputs[index]
        if data_type == "TYPE_STRING":
            return pb_utils.Tensor(name, np.full(self.rows(request), together.encode(), dtype=object))
        tensor = pb_utils.get_input_tensor_by_name(request, self.inputs[min(index, len(self.inputs) - 1)])
        return None if tensor is None else pb_utils.Tensor(name, tensor.as_numpy())

    def rows(self, request: pb_utils.InferenceRequest) -> list[int]:
        """Give the shape of a text output: one for each item."""
        return [next(iter(request.inputs())).as_numpy().shape[0], 1] if self.batching else [1]


def readable(values: np.ndarray) -> str:
    """Write a control's value down."""
    return ",".join(v.decode() if isinstance(v, bytes) else str(v) for v in values.flatten())
