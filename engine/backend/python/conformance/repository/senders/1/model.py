"""A model that is not decoupled and uses the sender."""

from __future__ import annotations

import json

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


def said(value: object) -> pb_utils.InferenceResponse:
    """Make an answer."""
    return pb_utils.InferenceResponse([pb_utils.Tensor("SAID", np.array([json.dumps(value).encode()], dtype=object))])


class TritonPythonModel:
    """Does with its sender what the request asks, and keeps what was raised."""

    def initialize(self, args: dict[str, str]) -> None:
        """Keep nothing yet."""
        self.kept: list[str] = []

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list:
        """Answer."""
        responses = []
        for request in requests:
            ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
            responses.append(getattr(self, ask["do"])(request.get_response_sender()))
        return responses

    def attempt(self, call: object, *args: object, **more: object) -> None:
        """Call, and keep the text of what is raised."""
        try:
            call(*args, **more)
            self.kept.append("sent")
        except Exception as e:
            self.kept.append(f"{type(e).__name__}: {e}")

    def plain(self, sender: object) -> pb_utils.InferenceResponse:
        """Return an answer."""
        return said("returned")

    def once(self, sender: object) -> None:
        """Send one answer."""
        sender.send(said("sent"), flags=FINAL)

    def error(self, sender: object) -> None:
        """Send an error."""
        sender.send(pb_utils.InferenceResponse(error=pb_utils.TritonError("sent as an error")), flags=FINAL)

    def twice(self, sender: object) -> None:
        """Send a second one."""
        self.attempt(sender.send, said("first"), flags=FINAL)
        self.attempt(sender.send, said("second"), flags=FINAL)

    def twice_without_final(self, sender: object) -> None:
        """Send a second one before the final flag."""
        self.attempt(sender.send, said("first"))
        self.attempt(sender.send, said("second"))
        self.attempt(sender.send, flags=FINAL)

    def bare(self, sender: object) -> None:
        """Send the final flag alone, first."""
        self.attempt(sender.send, flags=FINAL)
        self.attempt(sender.send, said("after the refused flag"), flags=FINAL)

    def both(self, sender: object) -> pb_utils.InferenceResponse:
        """Send one and return one."""
        self.attempt(sender.send, said("sent"), flags=FINAL)
        return said("returned")

    def kept_texts(self, sender: object) -> pb_utils.InferenceResponse:
        """Return what was kept."""
        kept, self.kept = self.kept, []
        return said(kept)
