"""FasterTransformer's T5, run by CTranslate2.

It takes the configs and checkpoints of Triton's backend fastertransformer, and folders of Hugging Face.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ctranslate2
import ft_checkpoint
import ft_decode
import ft_request
import ft_translator
import numpy as np

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    """One instance of a T5."""

    def initialize(self, args: dict[str, str]) -> None:
        """Read the checkpoint."""
        config = json.loads(args["model_config"])
        parameters = {key: value.get("string_value", "") for key, value in config.get("parameters", {}).items()}
        kind = parameters.get("model_type", "GPT")
        if kind != "T5":
            raise pb_utils.TritonModelException(
                f"the parameter model_type is '{kind}', and Conch's fastertransformer backend runs T5 only"
            )
        if pb_utils.using_decoupled_model_transaction_policy(config):
            raise pb_utils.TritonModelException("Conch's fastertransformer backend does not stream: remove decoupled")
        self._names = ft_request.generation(config)
        self._types = {
            entry["name"]: pb_utils.triton_string_to_numpy(entry["data_type"]) for entry in config.get("output", ())
        }
        try:
            checkpoint = ft_checkpoint.read(_folder(config, parameters, args))
        except ft_checkpoint.CheckpointError as error:
            raise pb_utils.TritonModelException(str(error)) from error
        sizes = checkpoint.sizes
        self._defaults = ft_request.Defaults(sizes.vocabulary, sizes.start, sizes.end, parameters)
        device, index = _device(args)
        self._translator = ft_translator.make(checkpoint, device, index, _compute_type(device, parameters), 0)

    def execute(self, requests: list[pb_utils.InferenceRequest]) -> list[pb_utils.InferenceResponse]:
        """Decode the rows of all requests."""
        read: list[Any] = []
        for request in requests:
            inputs = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
            try:
                read.append(ft_request.rows(self._names, inputs, self._defaults))
            except ft_request.RequestError as error:
                read.append(pb_utils.TritonError(str(error), pb_utils.TritonError.INVALID_ARG))
        good = [row for rows in read if isinstance(rows, list) for row in rows]
        texts = iter(ft_decode.decode(self._translator, good, self._defaults.end))
        responses = []
        for request, rows in zip(requests, read):
            if isinstance(rows, list):
                responses.append(self._response(request, rows, [next(texts) for _ in rows]))
            else:
                responses.append(pb_utils.InferenceResponse([], rows))
        return responses

    def _response(
        self, request: pb_utils.InferenceRequest, rows: list[ft_request.Row], texts: list[list[ft_decode.Text]]
    ) -> pb_utils.InferenceResponse:
        shape = (len(rows), max(row.options.beams for row in rows), max(row.options.max_length for row in rows))
        tokens = np.empty(shape, np.int64)
        lengths, sums, log_probs = np.zeros(shape[:2], np.int64), np.zeros(shape[:2], "f4"), np.zeros(shape, "f4")
        for number, (row, found) in enumerate(zip(rows, texts)):
            tokens[number] = row.options.end
            for beam, text in enumerate(found):
                tokens[number, beam, : len(text.tokens)] = text.tokens
                lengths[number, beam] = len(text.tokens)
                log_probs[number, beam, : len(text.log_probs)] = text.log_probs
                sums[number, beam] = sum(text.log_probs)
        made = {self._names.out_tokens: tokens, self._names.out_lengths: lengths}
        if any(row.options.log_probs for row in rows):
            made.update({"cum_log_probs": sums, "output_log_probs": log_probs})
        wanted = set(request.requested_output_names())
        return pb_utils.InferenceResponse(
            [pb_utils.Tensor(n, a.astype(self._types[n])) for n, a in made.items() if n in self._types and n in wanted]
        )


def _folder(config: dict[str, Any], parameters: dict[str, str], args: dict[str, str]) -> Path:
    """Find the checkpoint. FasterTransformer takes a relative path from where the server was started."""
    version = Path(pb_utils.get_model_dir())
    model = Path(args["model_repository"])
    named = parameters.get("model_checkpoint_path", "")
    if named:
        places = [base / named for base in (version, model, model.parent, Path.cwd())]
    else:
        parts = parameters.get("tensor_para_size", "1") or "1"
        places = [version / (config.get("default_model_filename") or "t5"), version / f"{parts}-gpu", version]
    places = list(dict.fromkeys(places))  # an absolute path is the same from everywhere
    for place in places:
        if (place / "config.ini").is_file() or (place / "config.json").is_file():
            return place
    raise pb_utils.TritonModelException(
        "no checkpoint was found: neither config.ini nor config.json is in " + ", ".join(map(str, places))
    )


def _device(args: dict[str, str]) -> tuple[str, int]:
    """Return where the model runs. FasterTransformer's configs say KIND_CPU, and mean the graphics processors."""
    if ctranslate2.get_cuda_device_count() == 0:
        return "cpu", 0
    return "cuda", int(args["model_instance_device_id"]) if args["model_instance_kind"] == "GPU" else 0


def _compute_type(device: str, parameters: dict[str, str]) -> str:
    wanted = {"fp16": "float16", "bf16": "bfloat16"}.get(parameters.get("data_type", ""), "float32")
    if parameters.get("is_half") == "1":
        wanted = "float16"
    return wanted if wanted in ctranslate2.get_supported_compute_types(device) else "float32"
