"""A T5 with random weights, which are the same everywhere, for Hugging Face and for FasterTransformer."""

import json
from pathlib import Path

import numpy as np

WIDTH, KEYS, HIDDEN, LAYERS, HEADS, VOCABULARY, BUCKETS = 32, 8, 64, 2, 4, 64, 32


def weights(gated: bool) -> dict[str, np.ndarray]:
    """Draw the weights, by Hugging Face's names and with its layout."""
    draw = np.random.RandomState(7)
    inner = HEADS * KEYS

    def matrix(*shape: int) -> np.ndarray:
        return (draw.standard_normal(shape) * 0.35).astype(np.float32)

    def norm() -> np.ndarray:
        return (1 + 0.1 * draw.standard_normal(WIDTH)).astype(np.float32)

    found = {"shared.weight": (draw.standard_normal((VOCABULARY, WIDTH))).astype(np.float32)}
    found["shared.weight"][1] *= 2  # texts that come to an end
    for stack in ("encoder", "decoder"):
        for layer in range(LAYERS):
            block = f"{stack}.block.{layer}.layer."
            kinds = ["0.SelfAttention"] + (["1.EncDecAttention"] if stack == "decoder" else [])
            for kind in kinds:
                for one in "qkv":
                    found[f"{block}{kind}.{one}.weight"] = matrix(inner, WIDTH)
                found[f"{block}{kind}.o.weight"] = matrix(WIDTH, inner)
            last = len(kinds)
            for name in ("wi_0", "wi_1") if gated else ("wi",):
                found[f"{block}{last}.DenseReluDense.{name}.weight"] = matrix(HIDDEN, WIDTH)
            found[f"{block}{last}.DenseReluDense.wo.weight"] = matrix(WIDTH, HIDDEN)
            for number in range(last + 1):
                found[f"{block}{number}.layer_norm.weight"] = norm()
        bias = f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"
        found[bias] = draw.standard_normal((BUCKETS, HEADS)).astype(np.float32)
        found[f"{stack}.final_layer_norm.weight"] = norm()
    if gated:
        found["lm_head.weight"] = matrix(VOCABULARY, WIDTH)
    return found


def config(gated: bool) -> dict[str, object]:
    """Describe the model as Hugging Face does."""
    return {
        "model_type": "t5",
        "architectures": ["T5ForConditionalGeneration"],
        "vocab_size": VOCABULARY,
        "d_model": WIDTH,
        "d_kv": KEYS,
        "d_ff": HIDDEN,
        "num_layers": LAYERS,
        "num_decoder_layers": LAYERS,
        "num_heads": HEADS,
        "relative_attention_num_buckets": BUCKETS,
        "feed_forward_proj": "gated-gelu" if gated else "relu",
        "tie_word_embeddings": not gated,
        "decoder_start_token_id": 0,
        "eos_token_id": 1,
        "pad_token_id": 0,
    }


def hugging_face(folder: Path, gated: bool) -> None:
    """Write a folder of Hugging Face with model.safetensors."""
    folder.mkdir(parents=True)
    (folder / "config.json").write_text(json.dumps(config(gated)))
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    blob = b""
    for name, value in weights(gated).items():
        begin, blob = len(blob), blob + value.tobytes()
        header[name] = {"dtype": "F32", "shape": value.shape, "data_offsets": [begin, len(blob)]}
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + blob)


def faster_transformer(folder: Path, gated: bool, parts: int, kind: str = "fp32") -> None:
    """Write a checkpoint of FasterTransformer, in so many tensor-parallel parts."""
    folder.mkdir(parents=True)
    facts = {key: value for key, value in config(gated).items() if key != "relative_attention_num_buckets"}
    facts |= {"relative_attention_num_buckets_or_max_pos_seq_len": BUCKETS, "weight_data_type": kind}
    lines = [f"[{stack}]\n" + "".join(f"{k} = {v}\n" for k, v in facts.items()) for stack in ("encoder", "decoder")]
    lines.append(f"[structure]\nt5_with_bias = false\nuse_gated_activation = {int(gated)}\n")
    lines.append("position_embedding_type = 0 # 0 = relative position embedding\n")
    (folder / "config.ini").write_text("\n".join(lines))
    for name, values in _files(weights(gated), parts).items():
        (folder / f"{name}.bin").write_bytes(values.astype({"fp32": "f4", "fp16": "f2"}[kind]).tobytes())


def _files(found: dict[str, np.ndarray], parts: int) -> dict[str, np.ndarray]:
    """Lay weights out as FasterTransformer's converter does."""
    files = {}
    for name, value in found.items():
        if name == "shared.weight":
            files["shared.weight"], files["shared.weight_T"] = value.T, value
        elif name == "lm_head.weight" or "layer_norm" in name:
            files[name] = value
        elif "decoder" in name and ".SelfAttention.q." in name:
            three = [found[name.replace(".q.", f".{one}.")].T for one in "qkv"]
            for number, part in enumerate(np.split(np.stack(three, 1), parts, -1)):
                files[f"{name.replace('.q.', '.qkv.')}.{number}"] = part
        elif "decoder" not in name or (".SelfAttention.k." not in name and ".SelfAttention.v." not in name):
            axis = 0 if name.endswith((".o.weight", "wo.weight", "bias.weight")) else -1
            ours = name.replace("wi_0", "wi").replace("wi_1", "wi2")
            for number, part in enumerate(np.split(value.T, parts, axis)):
                files[f"{ours}.{number}"] = part
    return files
