"""Writes to the log in each way."""

from __future__ import annotations

import json
import sys

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """Logs the word of the request."""

    @staticmethod
    def auto_complete_config(config: pb_utils.ModelConfig) -> pb_utils.ModelConfig:
        """Log while completing."""
        pb_utils.Logger.log_warn("logged in auto_complete_config")
        return config

    def initialize(self, args: dict[str, str]) -> None:
        """Log at the start."""
        pb_utils.Logger.log_warn("logged in initialize")

    def finalize(self) -> None:
        """Log at the end."""
        pb_utils.Logger.log_warn("logged in finalize")

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Log."""
        ask = json.loads(pb_utils.get_input_tensor_by_name(requests[0], "ASK").as_numpy()[0])
        word, logger = ask["word"], pb_utils.Logger
        logger.log_info(f"{word} info")
        logger.log_warn(f"{word} warning")
        logger.log_error(f"{word} error")
        logger.log_verbose(f"{word} verbose")
        logger.log(f"{word} default")
        logger.log(f"{word} as a warning", logger.WARNING)
        logger.log(f"{word} two\nlines")
        print(f"{word} printed", flush=True)
        print(f"{word} to stderr", file=sys.stderr, flush=True)
        came = []
        for call in [lambda: logger.log(7), lambda: logger.log("x", 99), lambda: logger.log(None)]:
            try:
                call()
                came.append("logged")
            except Exception as e:
                came.append(type(e).__name__)
        said = np.array([json.dumps(came).encode()], dtype=object)
        return [pb_utils.InferenceResponse([pb_utils.Tensor("SAID", said)])]
