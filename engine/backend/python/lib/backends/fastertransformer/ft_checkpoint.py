"""Reads the weights of a T5: a checkpoint folder of FasterTransformer, or one of Hugging Face.

Both give the same: the sizes of the model, and its weights by the names and with the layout that Hugging Face uses.
"""

from __future__ import annotations

import configparser
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import numpy as np
from ft_files import CheckpointError, bfloat, pickled, read_json, safetensors

__all__ = ["Checkpoint", "CheckpointError", "Sizes", "read"]


@dataclass
class Sizes:
    """What a T5 is made of."""

    vocabulary: int
    width: int
    heads: int
    encoder_layers: int
    decoder_layers: int
    activation: str  # as feed_forward_proj of Hugging Face: "relu", "gated-gelu"
    tied: bool  # the decoder's projection is the embedding
    start: int
    end: int
    pad: int
    distance: int = 128  # relative positions beyond it are one

    @property
    def gated(self) -> bool:
        """Whether the inner layer is multiplied by a second one."""
        return self.activation.startswith("gated-")


@dataclass
class Checkpoint:
    """A model as it was read."""

    sizes: Sizes
    weights: Mapping[str, np.ndarray]


def read(folder: Path) -> Checkpoint:
    """Read a folder of either kind."""
    if (folder / "config.ini").is_file():
        return _faster_transformer(folder)
    if (folder / "config.json").is_file():
        return _hugging_face(folder)
    raise CheckpointError(
        f"{folder} holds neither a config.ini, as checkpoints of FasterTransformer do, nor a config.json, as those of "
        "Hugging Face do: set the parameter model_checkpoint_path to the folder of the checkpoint"
    )


# ---- Hugging Face


def _hugging_face(folder: Path) -> Checkpoint:
    file = folder / "config.json"
    config = read_json(file)
    if config.get("model_type") not in ("t5", "mt5"):
        raise CheckpointError(f"{file} describes a '{config.get('model_type')}', and not a t5")
    lacks = [key for key in ("vocab_size", "d_model", "num_heads", "num_layers") if key not in config]
    if lacks:
        raise CheckpointError(f"{file} has no {lacks[0]}")
    layers = config["num_layers"]
    sizes = Sizes(
        vocabulary=config["vocab_size"],
        width=config["d_model"],
        heads=config["num_heads"],
        encoder_layers=layers,
        decoder_layers=config.get("num_decoder_layers") or layers,
        activation=config.get("feed_forward_proj", "relu"),
        tied=config.get("tie_word_embeddings", True),
        start=config.get("decoder_start_token_id") or 0,
        end=config.get("eos_token_id", 1),
        pad=config.get("pad_token_id", 0),
        distance=config.get("relative_attention_max_distance", 128),
    )
    return Checkpoint(sizes, _hugging_face_weights(folder))


def _hugging_face_weights(folder: Path) -> Mapping[str, np.ndarray]:
    readers: list[tuple[str, Callable[[Path], dict[str, np.ndarray]]]] = [
        ("model.safetensors", safetensors),
        ("pytorch_model.bin", pickled),
    ]
    for name, reader in readers:
        if (folder / name).is_file():
            return reader(folder / name)
        index = folder / f"{name}.index.json"
        if index.is_file():
            parts = sorted(set(read_json(index).get("weight_map", {}).values()))
            return {key: value for part in parts for key, value in reader(folder / part).items()}
    raise CheckpointError(f"{folder} has no weights: neither model.safetensors nor pytorch_model.bin is there")


# ---- FasterTransformer


def _faster_transformer(folder: Path) -> Checkpoint:
    parser = configparser.ConfigParser(inline_comment_prefixes=("#", ";"), interpolation=None)
    try:
        parser.read(folder / "config.ini", "utf-8")
        for section in ("encoder", "decoder"):
            if not parser.has_section(section):
                raise CheckpointError(f"{folder}/config.ini has no section [{section}]: it describes no T5")
        sizes = _sizes(parser)
        _refuse_other_structures(folder, parser)
        parts = _Parts(folder, parser, sizes)
    except KeyError as error:
        raise CheckpointError(f"{folder}/config.ini has no {error.args[0]}") from error
    except (configparser.Error, ValueError) as error:
        raise CheckpointError(f"{folder}/config.ini cannot be read: {str(error).splitlines()[0]}") from error
    return Checkpoint(sizes, parts.all())


def _sizes(parser: configparser.ConfigParser) -> Sizes:
    encoder, decoder = parser["encoder"], parser["decoder"]
    return Sizes(
        vocabulary=int(decoder["vocab_size"]),
        width=int(encoder["d_model"]),
        heads=int(encoder["num_heads"]),
        encoder_layers=int(encoder["num_layers"]),
        decoder_layers=int(decoder["num_layers"]),
        activation=encoder.get("feed_forward_proj", "relu"),
        tied=decoder.getboolean("tie_word_embeddings", True),
        start=int(decoder.get("decoder_start_token_id", "0")),
        end=int(decoder.get("eos_token_id", "1")),
        pad=int(decoder.get("pad_token_id", "0")),
        distance=int(encoder.get("relative_attention_max_distance", "128")),
    )


def _refuse_other_structures(folder: Path, parser: configparser.ConfigParser) -> None:
    if parser.getboolean("structure", "t5_with_bias", fallback=False):
        raise CheckpointError(f"{folder}/config.ini has t5_with_bias = true: a T5 of Megatron cannot run here yet")
    if parser.get("structure", "position_embedding_type", fallback="relative") not in ("relative", "0"):
        raise CheckpointError(f"{folder}/config.ini asks for absolute positions: such a T5 cannot run here yet")
    if parser.getint("structure", "ia3_num_tasks", fallback=0) > 0:
        raise CheckpointError(f"{folder}/config.ini has ia3_num_tasks: IA3 adapters cannot run here yet")
    if parser.getint("encoder", "adapter_inter_size", fallback=0) > 0:
        raise CheckpointError(f"{folder}/config.ini has adapter_inter_size: adapters cannot run here yet")


_TYPES = {"fp32": np.dtype("<f4"), "fp16": np.dtype("<f2"), "bf16": np.dtype("<u2")}


class _Parts:
    """The files of a checkpoint: one a weight and a tensor-parallel part, without a header.

    FasterTransformer keeps matrices as inputs by outputs, and Hugging Face as outputs by inputs.
    """

    def __init__(self, folder: Path, parser: configparser.ConfigParser, sizes: Sizes) -> None:
        self._folder, self._sizes = folder, sizes
        ends = [file.stem.rpartition(".")[2] for file in folder.glob("*.weight.*.bin")]
        self._count = 1 + max((int(end) for end in ends if end.isdecimal()), default=0)
        self._inner = sizes.heads * int(parser["encoder"]["d_kv"])
        self._buckets = self._number_of_buckets(parser)
        self._hidden = int(parser["encoder"]["d_ff"])
        kind = parser["decoder"].get("weight_data_type", parser["encoder"].get("weight_data_type", "fp32"))
        if kind not in _TYPES:
            raise CheckpointError(f"{folder}/config.ini: weight_data_type is '{kind}', and not fp32, fp16 or bf16")
        self._type = _TYPES[kind]

    @staticmethod
    def _number_of_buckets(parser: configparser.ConfigParser) -> int:
        encoder: Any = parser["encoder"]
        for name in ("relative_attention_num_buckets_or_max_pos_seq_len", "relative_attention_num_buckets"):
            if name in encoder:
                return int(encoder[name])
        return 32

    def all(self) -> dict[str, np.ndarray]:
        """Read all weights."""
        sizes, found = self._sizes, {}
        found["shared.weight"] = self._one("shared.weight_T", (sizes.vocabulary, sizes.width))
        if (self._folder / "lm_head.weight.bin").is_file():
            found["lm_head.weight"] = self._one("lm_head.weight", (sizes.vocabulary, sizes.width))
        for stack, layers in (("encoder", sizes.encoder_layers), ("decoder", sizes.decoder_layers)):
            name = f"{stack}.final_layer_norm.weight"
            found[name] = self._one(name, (sizes.width,))
            name = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
            found[name] = self._merged(name, (sizes.heads, self._buckets), 0).T
            for layer in range(layers):
                found.update(self._block(f"{stack}.block.{layer}.", stack == "decoder"))
        return found

    def _block(self, block: str, decoder: bool) -> dict[str, np.ndarray]:
        width, inner, hidden, found = self._sizes.width, self._inner, self._hidden, {}
        attention = f"{block}layer.0.SelfAttention."
        if decoder:
            fused = self._merged(f"{attention}qkv.weight", (width, 3, inner), -1)
            for number, one in enumerate("qkv"):
                found[f"{attention}{one}.weight"] = fused[:, number].T
            found[f"{attention}o.weight"] = self._merged(f"{attention}o.weight", (inner, width), 0).T
        else:
            found.update(self._attention(attention))
        if decoder:
            found.update(self._attention(f"{block}layer.1.EncDecAttention."))
        last = 2 if decoder else 1
        dense = f"{block}layer.{last}.DenseReluDense."
        entries = {"wi": "wi_0", "wi2": "wi_1"} if self._sizes.gated else {"wi": "wi"}
        for ours, theirs in entries.items():
            found[f"{dense}{theirs}.weight"] = self._merged(f"{dense}{ours}.weight", (width, hidden), -1).T
        found[f"{dense}wo.weight"] = self._merged(f"{dense}wo.weight", (hidden, width), 0).T
        for number in range(last + 1):
            name = f"{block}layer.{number}.layer_norm.weight"
            found[name] = self._one(name, (width,))
        return found

    def _attention(self, name: str) -> dict[str, np.ndarray]:
        width, inner = self._sizes.width, self._inner
        found = {f"{name}{one}.weight": self._merged(f"{name}{one}.weight", (width, inner), -1).T for one in "qkv"}
        found[f"{name}o.weight"] = self._merged(f"{name}o.weight", (inner, width), 0).T
        return found

    def _one(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        return self._read(self._folder / f"{name}.bin", shape)

    def _merged(self, name: str, shape: tuple[int, ...], axis: int) -> np.ndarray:
        """Read a weight that lies in a file for each of the graphics processors that it was made for."""
        count = self._count
        if shape[axis] % count:
            raise CheckpointError(f"{self._folder}: {name} lies in {count} parts, which do not divide {shape[axis]}")
        part = list(shape)
        part[axis] //= count
        files = [self._folder / f"{name}.{number}.bin" for number in range(count)]
        return np.concatenate([self._read(file, tuple(part)) for file in files], axis)

    def _read(self, file: Path, shape: tuple[int, ...]) -> np.ndarray:
        try:
            values = np.fromfile(file, self._type)
        except FileNotFoundError:
            raise CheckpointError(f"{file} is missing") from None
        if values.size != np.prod(shape):
            raise CheckpointError(
                f"{file} holds {values.size} values, and config.ini asks for {' x '.join(map(str, shape))}; is "
                "weight_data_type right?"
            )
        return (bfloat(values) if self._type == _TYPES["bf16"] else values.astype(np.float32)).reshape(shape)
