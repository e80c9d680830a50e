"""A decoupled model that answers as often, and as oddly, as it is told; what goes wrong for it comes as an answer."""

from __future__ import annotations

import json
import threading

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL


def said(value: object) -> pb_utils.InferenceResponse:
    """Make an answer."""
    return pb_utils.InferenceResponse([pb_utils.Tensor("SAID", np.array([json.dumps(value).encode()], dtype=object))])


def attempt(call: object, *args: object, **more: object) -> str:
    """Call, and give the text of what is raised."""
    try:
        call(*args, **more)
    except TypeError:
        return "TypeError"  # its text is pybind's in the real server
    except Exception as e:
        return f"{type(e).__name__}: {e}"
    return "sent"


class TritonPythonModel:
    """Does with its sender what the request asks."""

    def initialize(self, args: dict[str, str]) -> None:
        """Remember what could not be told to the request's client."""
        self.afterwards: object = None
        self.threads: list[threading.Thread] = []
        self.held: list[object] = []

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> object:
        """Answer each request; the way is named in it."""
        result = None
        for request in requests:
            ask = json.loads(pb_utils.get_input_tensor_by_name(request, "ASK").as_numpy()[0])
            result = getattr(self, ask["do"])(request.get_response_sender(), ask)
        return result

    def count(self, sender: object, ask: dict) -> None:
        """Send so many answers; the last is the final one, or an empty one after it is."""
        for n in range(ask["times"]):
            last = n == ask["times"] - 1 and not ask.get("bare")
            sender.send(said(n), flags=FINAL if last else 0)
        if ask["times"] == 0 or ask.get("bare"):
            sender.send(flags=FINAL)

    def thread(self, sender: object, ask: dict) -> None:
        """Send from a thread, after execute has returned."""
        self.threads.append(threading.Thread(target=self.count, args=(sender, ask)))
        self.threads[-1].start()

    def together(self, sender: object, ask: dict) -> None:
        """Answer once so many requests have come, all at a time."""
        self.held.append(sender)
        if len(self.held) == ask["times"]:
            for other in self.held:
                other.send(said("together"), flags=FINAL)
            self.held = []

    def fail(self, sender: object, ask: dict) -> None:
        """Send an error between two answers."""
        sender.send(said("before"))
        sender.send(
            pb_utils.InferenceResponse(error=pb_utils.TritonError("in the middle", pb_utils.TritonError.NOT_FOUND))
        )
        sender.send(said("after"), flags=FINAL)

    def throw(self, sender: object, ask: dict) -> None:
        """Raise after an answer."""
        sender.send(said("before"))
        raise ValueError("after an answer")

    def throw_at_once(self, sender: object, ask: dict) -> None:
        """Raise before any answer."""
        raise ValueError("before any answer")

    def give(self, sender: object, ask: dict) -> list:
        """Return a list, as only other models may."""
        return [said("returned")]

    def wrong(self, sender: object, ask: dict) -> None:
        """Misuse the sender in each way, and keep what it said."""
        self.afterwards = {
            "nothing": attempt(sender.send),
            "flags 0": attempt(sender.send, flags=0),
            "bad flag": attempt(sender.send, said("x"), flags=2),
            "number": attempt(sender.send, 7),
            "final": attempt(sender.send, said("x"), flags=FINAL),
            "after final": attempt(sender.send, said("x")),
            "final again": attempt(sender.send, flags=FINAL),
        }

    def tell(self, sender: object, ask: dict) -> None:
        """Tell what was kept."""
        for thread in self.threads:
            thread.join()
        sender.send(said(self.afterwards), flags=FINAL)

    def wait(self, sender: object, ask: dict) -> None:
        """Send until the client has gone."""
        sender.send(said("started"))
        waiting = threading.Event()
        for _ in range(3000):
            if sender.is_cancelled():
                break
            waiting.wait(0.01)
        self.afterwards = "cancelled" if sender.is_cancelled() else "never cancelled"
        sender.send(flags=FINAL)
