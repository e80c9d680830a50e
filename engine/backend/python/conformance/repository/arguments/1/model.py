"""Says what it was started with, and where it is."""

from __future__ import annotations

import json
import os
import sys
import threading

import beside_config
import beside_model
import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Answers with all that it knows of itself."""

    def initialize(self, args: dict[str, str]) -> None:
        """Keep the arguments."""
        self.args = dict(args)

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Tell it."""
        root = os.path.dirname(self.args["model_repository"])  # noqa: PTH120
        told = {
            "args": self.args,
            "types": sorted({type(v).__name__ for v in self.args.values()}),
            "model dir": pb_utils.get_model_dir(),
            "file": __file__,
            "name": __name__,
            "path": [p for p in sys.path if p.startswith(root)],
            "beside": [beside_config.NAME, beside_model.NAME],
            "environment": os.environ.get("CONFORMANCE", "missing"),
            "main thread": threading.current_thread() is threading.main_thread(),
            "stdin": sys.stdin.read() if sys.stdin else "",
            "argv": len(sys.argv) > 0,
        }
        said = np.array([json.dumps(told).encode()], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)]) for _ in requests]
