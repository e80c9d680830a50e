"""Ends its process in the way that it is told."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys

import numpy as np
import triton_python_backend_utils as pb_utils

WAYS = {
    "nothing": lambda: None,
    "exit": lambda: os._exit(3),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "terminate": lambda: os.kill(os.getpid(), signal.SIGTERM),
    "segfault": lambda: ctypes.string_at(0),
    "abort": lambda: os.abort(),
}


class TritonPythonModel:
    """Crashes."""

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Do it, after a last word."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(requests[0], "ASK").as_numpy()[0])
        print("the last word before", ask["do"], file=sys.stderr, flush=True)
        WAYS[ask["do"]]()
        said = np.array([json.dumps(os.getpid()).encode()], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)]) for _ in requests]
