"""Makes a translator of CTranslate2 out of a checkpoint. Tokens are numbers, written as text."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from typing import Any

import ctranslate2
import numpy as np
from ctranslate2.specs import common_spec, transformer_spec
from ft_checkpoint import Checkpoint, CheckpointError, Sizes

_ACTIVATIONS = {
    "relu": common_spec.Activation.RELU,
    "gelu": common_spec.Activation.GELU,
    "gated-gelu": common_spec.Activation.GELUTanh,
    "gated-relu": common_spec.Activation.RELU,
    "gated-silu": common_spec.Activation.SWISH,
    "silu": common_spec.Activation.SWISH,
}


def make(checkpoint: Checkpoint, device: str, device_index: int, compute_type: str, threads: int) -> Any:
    """Convert the checkpoint and open it."""
    spec = _spec(checkpoint)
    with tempfile.TemporaryDirectory(prefix="conch-t5-") as folder:
        spec.save(folder)
        return ctranslate2.Translator(
            folder,
            device=device,
            device_index=device_index,
            compute_type=compute_type,
            inter_threads=1,
            intra_threads=threads,
        )


def _spec(checkpoint: Checkpoint) -> Any:
    sizes, weights = checkpoint.sizes, _Weights(checkpoint.weights)
    if sizes.activation not in _ACTIVATIONS:
        raise CheckpointError(f"the activation '{sizes.activation}' is none that a T5 has")
    spec = transformer_spec.TransformerSpec.from_config(
        (sizes.encoder_layers, sizes.decoder_layers),
        sizes.heads,
        pre_norm=True,
        activation=_ACTIVATIONS[sizes.activation],
        ffn_glu=sizes.gated,
        relative_attention_bias=True,
        rms_norm=True,
    )
    _fill_stack(spec.encoder, "encoder", sizes, weights)
    _fill_stack(spec.decoder, "decoder", sizes, weights)
    spec.decoder.projection.weight = weights["shared.weight"] if sizes.tied else weights["lm_head.weight"]
    if sizes.tied:
        spec.decoder.scale_outputs = np.float32(sizes.width**-0.5)
    tokens = [str(number) for number in range(sizes.vocabulary)]
    spec.register_source_vocabulary(tokens)
    spec.register_target_vocabulary(tokens)
    config = spec.config
    config.bos_token, config.eos_token, config.unk_token = str(sizes.pad), str(sizes.end), str(sizes.pad)
    config.decoder_start_token = str(sizes.start)
    spec.validate()
    spec.optimize()
    return spec


class _Weights:
    """Weights by name; one that is missing is told by its name."""

    def __init__(self, weights: Mapping[str, np.ndarray]) -> None:
        self._weights = weights

    def __getitem__(self, name: str) -> np.ndarray:
        found = self._weights.get(name)
        if found is None:
            raise CheckpointError(f"the checkpoint has no weight '{name}'")
        return np.ascontiguousarray(found)


def _fill_stack(spec: Any, name: str, sizes: Sizes, weights: _Weights) -> None:
    spec.scale_embeddings = False
    embeddings = spec.embeddings[0] if isinstance(spec.embeddings, list) else spec.embeddings
    embeddings.weight = weights["shared.weight"]
    spec.layer_norm.gamma = weights[f"{name}.final_layer_norm.weight"]
    bias = weights[f"{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"]
    for number, layer in enumerate(spec.layer):
        block = f"{name}.block.{number}.layer."
        _fill_attention(layer.self_attention, f"{block}0.SelfAttention.", weights, 3)
        layer.self_attention.layer_norm.gamma = weights[f"{block}0.layer_norm.weight"]
        layer.self_attention.relative_attention_bias = bias
        layer.self_attention.relative_attention_max_distance = np.int32(sizes.distance)
        last = 1
        if name == "decoder":
            _fill_attention(layer.attention, f"{block}1.EncDecAttention.", weights, 1)
            layer.attention.layer_norm.gamma = weights[f"{block}1.layer_norm.weight"]
            last = 2
        dense = f"{block}{last}.DenseReluDense."
        layer.ffn.layer_norm.gamma = weights[f"{block}{last}.layer_norm.weight"]
        layer.ffn.linear_0.weight = weights[f"{dense}wi_0.weight" if sizes.gated else f"{dense}wi.weight"]
        if sizes.gated:
            layer.ffn.linear_0_noact.weight = weights[f"{dense}wi_1.weight"]
        layer.ffn.linear_1.weight = weights[f"{dense}wo.weight"]


def _fill_attention(spec: Any, name: str, weights: _Weights, together: int) -> None:
    """Fill in an attention. The first `together` of queries, keys and values are one matrix."""
    spec.queries_scale = np.float32(1)
    parts = [weights[f"{name}{one}.weight"] for one in "qkv"]
    spec.linear[0].weight = np.concatenate(parts[:together])
    if together < len(parts):
        spec.linear[1].weight = np.concatenate(parts[together:])
    spec.linear[-1].weight = weights[f"{name}o.weight"]
