"""Calls other models as the request says, and tells what came back."""

from __future__ import annotations

import json
import threading

import numpy as np
import triton_python_backend_utils as pb_utils


def text(name: str, value: object) -> pb_utils.Tensor:
    """Make a tensor of one JSON text."""
    return pb_utils.Tensor(name, np.array([json.dumps(value).encode()], dtype=object))


def told(response: pb_utils.InferenceResponse) -> dict:
    """Make a response fit for JSON."""
    if response.has_error():
        error = response.error()
        return {"error": error.message(), "internal": error.code() == pb_utils.TritonError.INTERNAL}
    outputs = {}
    for tensor in response.output_tensors():
        array = tensor.as_numpy()
        values = [v.decode() if isinstance(v, bytes) else v for v in array.flatten()[:8].tolist()]
        outputs[tensor.name()] = [str(array.dtype), list(array.shape), values]
    return outputs


def made(call: dict) -> pb_utils.InferenceRequest:
    """Make a request."""
    arrays = {n: np.array(v, np.dtype(t)) for n, (t, v) in call.get("arrays", {}).items()}
    inputs = [pb_utils.Tensor(n, a) for n, a in arrays.items()]
    if "ask" in call:
        inputs.append(text("ASK", call["ask"]))
    if "size" in call:
        inputs += [pb_utils.Tensor(n, np.ones([1, call["size"]], np.float32)) for n in ["INPUT0", "INPUT1"]]
    more = call.get("more", {})
    if "memory" in call:
        more["preferred_memory"] = pb_utils.PreferredMemory(getattr(pb_utils, "TRITONSERVER_MEMORY_" + call["memory"]))
    return pb_utils.InferenceRequest(
        model_name=call["model"], inputs=inputs, requested_output_names=call.get("outputs", []), **more
    )


class TritonPythonModel:
    """Calls in the way that the request names."""

    def initialize(self, args: dict[str, str]) -> None:
        """Keep the arguments."""
        self.name = args["model_name"]

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Do it."""
        responses = []
        for request in requests:
            ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
            responses.append(pb_utils.InferenceResponse([text("SAID", getattr(self, ask["do"])(ask))]))
        return responses

    def call(self, ask: dict) -> object:
        """Call once."""
        try:
            return told(made(ask).exec())
        except Exception as e:
            return f"{type(e).__name__}: {e}"

    def iterate(self, ask: dict) -> object:
        """Call and read a stream of answers."""
        try:
            return [told(response) for response in made(ask).exec(decoupled=True)]
        except Exception as e:
            return f"{type(e).__name__}: {e}"

    def stop_early(self, ask: dict) -> object:
        """Read the first answer of a stream only, then call something else."""
        first = next(iter(made(ask).exec(decoupled=True)))
        return [told(first), self.call(ask["then"])]

    def threads(self, ask: dict) -> object:
        """Call from threads."""
        came: list[object] = [None] * ask["times"]

        def one(n: int) -> None:
            came[n] = self.call(ask)

        threads = [threading.Thread(target=one, args=(n,)) for n in range(ask["times"])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return came

    def nested(self, ask: dict) -> object:
        """Call the next model of a list with the rest of it."""
        rest = ask["models"]
        if not rest:
            return [self.name]
        answer = made({"model": rest[0], "ask": {"do": "nested", "models": rest[1:]}}).exec()
        if answer.has_error():
            return [self.name, answer.error().message()]
        return [self.name, *json.loads(pb_utils.get_output_tensor_by_name(answer, "SAID").as_numpy()[0])]

    def ready(self, ask: dict) -> object:
        """Ask whether models are ready."""
        return [pb_utils.is_model_ready(*names) for names in ask["models"]]

    def control(self, ask: dict) -> object:
        """Load or unload a model."""
        files = {k: v.encode() for k, v in ask["files"].items()} if "files" in ask else None
        try:
            if ask["load"]:
                pb_utils.load_model(model_name=ask["model"], config=ask.get("config", ""), files=files)
            else:
                pb_utils.unload_model(model_name=ask["model"])
        except Exception as e:
            return f"{type(e).__name__}: {e}"
        return "done"
