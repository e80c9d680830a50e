"""FasterTransformer's T5 on CTranslate2, held against transformers (t5_reference.py)."""

import json
from pathlib import Path
from typing import Any

import models
import numpy as np
import pytest
import tiny_t5
import tritonclient.grpc as grpcclient
from conftest import Start
from serving import Server

SAID = json.loads(Path(__file__).with_name("t5_reference.json").read_text())
KINDS = {
    "faster_transformer": False,
    "two_parts": False,
    "gated": True,
    "hugging_face": False,
    "hugging_face_gated": True,
}
QKV = "decoder.block.1.layer.0.SelfAttention.qkv.weight"
TYPES = {"f": "FP32", "u": "UINT32", "i": "INT32", "b": "BOOL"}


@pytest.fixture(scope="module")
def server(start: Start, tmp_path_factory: pytest.TempPathFactory) -> Server:
    """Serve the tiny T5 in each form."""
    root = tmp_path_factory.mktemp("t5")
    for name in (*KINDS, "first", "half"):
        folder = root / name
        models.config(folder, models.t5_config(tensor_para_size="2" if name == "two_parts" else "1"))
        checkpoint = folder / "1" / ("2-gpu" if name == "two_parts" else "t5")
        if name.startswith("hugging_face"):
            tiny_t5.hugging_face(checkpoint, KINDS[name])
        else:
            parts = {"two_parts": 2, "gated": 4}.get(name, 1)
            tiny_t5.faster_transformer(checkpoint, KINDS.get(name, False), parts, "fp16" if name == "half" else "fp32")
    models.config(root / "first", models.first_t5_config(max_decoding_seq_len=str(SAID["length"])))
    models.config(root / "other", models.t5_config(model_type="GPT"))
    models.config(root / "lost", models.t5_config(model_checkpoint_path="/nowhere/1-gpu"))
    for name in ("other", "lost"):
        (root / name / "1").mkdir()
    models.config(root / "cut", models.t5_config())
    tiny_t5.faster_transformer(root / "cut" / "1" / "t5", False, 1)
    weight = root / "cut" / "1" / "t5" / f"{QKV}.0.bin"
    weight.write_bytes(weight.read_bytes()[:-4])
    return start(root)


def rows() -> dict[str, np.ndarray]:
    """Lay the sources out as rows."""
    longest = max(map(len, SAID["sources"]))
    filled = [source + [0] * (longest - len(source)) for source in SAID["sources"]]
    lengths = [[len(source)] for source in SAID["sources"]]
    return {"input_ids": np.array(filled, np.uint32), "sequence_length": np.array(lengths, np.uint32)}


def asked(**one: Any) -> dict[str, np.ndarray]:
    """Lay a request out; each option is the same for all rows."""
    kinds = {int: np.uint32, float: np.float32, bool: np.bool_}
    options = {"max_output_len": SAID["length"], **one}
    count = len(SAID["sources"])
    return rows() | {
        name: np.full((count, 1), value, kinds[type(value)]) if type(value) in kinds else np.stack([value] * count)
        for name, value in options.items()
    }


def infer(server: Server, model: str, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Send a request; give the outputs."""
    server.need(model)
    given = []
    for name, values in inputs.items():
        given.append(grpcclient.InferInput(name, values.shape, TYPES[values.dtype.kind]))
        given[-1].set_data_from_numpy(values)
    answer = server.grpc.infer(model, given)
    return {output.name: answer.as_numpy(output.name) for output in answer.get_response().outputs}


def options_of(way: dict[str, Any]) -> dict[str, Any]:
    """Say in FasterTransformer's words what transformers was asked."""
    found: dict[str, Any] = {"beam_width": way["num_beams"], "is_return_log_probs": True}
    return found | ({"len_penalty": way["length_penalty"]} if "length_penalty" in way else {})


@pytest.mark.parametrize("model", KINDS)
def test_agrees_with_transformers(server: Server, model: str) -> None:
    for said in SAID["said"]:
        if said["gated"] != KINDS[model]:
            continue
        got = infer(server, model, asked(**options_of(said["options"])))
        assert got["output_ids"].dtype == np.int32
        for row, texts in enumerate(said["answers"]):
            for beam, text in enumerate(texts):
                length, tokens = len(text["tokens"]), text["tokens"]
                assert got["sequence_length"][row][beam] == length
                assert got["output_ids"][row][beam].tolist() == tokens + [1] * (SAID["length"] - length)
                np.testing.assert_allclose(got["output_log_probs"][row][beam][:length], text["log_probs"], atol=2e-3)
                np.testing.assert_allclose(got["cum_log_probs"][row][beam], sum(text["log_probs"]), atol=2e-2)


def greedy(row: int) -> list[int]:
    """Give what transformers said to a source, without a search."""
    return SAID["said"][0]["answers"][row][0]["tokens"]


def test_first_names(server: Server) -> None:
    inputs = rows()
    lengths = inputs["sequence_length"]
    got = infer(server, "first", {"INPUT_ID": inputs["input_ids"], "REQUEST_INPUT_LEN": lengths})
    assert got["OUTPUT0"].dtype == got["OUTPUT1"].dtype == np.uint32
    for row in range(len(lengths)):
        length = int(got["OUTPUT1"][row][0])
        assert got["OUTPUT0"][row][0][:length].tolist() == greedy(row)


def test_half_precision_weights(server: Server) -> None:
    got = infer(server, "half", asked(is_return_log_probs=True))
    assert got["output_ids"][0][0][: len(greedy(0))].tolist() == greedy(0)


def test_lengths(server: Server) -> None:
    got = infer(server, "faster_transformer", asked(max_output_len=3))
    assert got["output_ids"].shape == (2, 1, 3)
    assert got["output_ids"][0][0].tolist() == greedy(0)[:3]
    assert "cum_log_probs" not in got


def test_words(server: Server) -> None:
    first = greedy(0)
    stopped = infer(server, "faster_transformer", asked(stop_words_list=words(first[1:3])))
    assert stopped["sequence_length"][0][0] == 3, "the text ends with the word"
    one = infer(server, "faster_transformer", asked(stop_words_list=words(first[1:2])))
    assert one["sequence_length"][0][0] == 2
    without = infer(server, "faster_transformer", asked(bad_words_list=words(first[:1])))
    assert first[0] not in without["output_ids"][0][0]
    ended = infer(server, "faster_transformer", asked(end_id=int(first[2])))
    assert ended["output_ids"][0][0].tolist() == first[:3] + [first[2]] * (SAID["length"] - 3)


def words(word: list[int]) -> np.ndarray:
    """Lay a list of one word out."""
    return np.array([word, [len(word)] + [-1] * (len(word) - 1)], np.int32)


def test_samples(server: Server) -> None:
    """Top-k and top-p choose among likely tokens: with the best alone the text is the greedy one."""
    for narrow in ({"runtime_top_k": 1}, {"runtime_top_p": 1e-6}, {"runtime_top_k": 1, "temperature": 5.0}):
        got = infer(server, "faster_transformer", asked(**narrow))
        assert got["output_ids"][0][0][: len(greedy(0))].tolist() == greedy(0), narrow
    wide = [infer(server, "faster_transformer", asked(runtime_top_k=40, temperature=3.0)) for _ in range(5)]
    assert len({got["output_ids"].tobytes() for got in wide}) > 1, "sampling gives different texts"


def test_mistakes(server: Server) -> None:
    for inputs, words_of in (
        (asked(start_id=7), "start_id"),
        (asked(beam_search_diversity_rate=0.5), "beam_search_diversity_rate"),
        (asked() | {"sequence_length": np.array([[9], [1]], np.uint32)}, "'sequence_length' is 9 for a row of 5"),
        (asked() | {"input_ids": np.full((2, 5), 64, np.uint32)}, "the token 64; the model knows 0 to 63"),
        (asked(max_output_len=0), "max_output_len"),
        (asked(max_output_len=2**31), "'max_output_len' is 2147483648; a text has at most 32768 tokens"),
        (asked(beam_width=64), "beam_width"),
        (asked(runtime_top_k=65), "'runtime_top_k' is 65; the model knows 64 tokens"),
        (asked(end_id=64), "'end_id' is 64; the model knows 0 to 63"),
        (asked(runtime_top_k=5, temperature=float("nan")), "'temperature' is nan; it must be a number"),
        (asked(beam_width=2, len_penalty=float("inf")), "'len_penalty' is inf; it must be a number"),
    ):
        with pytest.raises(Exception, match=words_of):
            infer(server, "faster_transformer", inputs)


def test_models_that_cannot_load(server: Server) -> None:
    assert "runs T5 only" in server.load("other")
    assert "neither config.ini nor config.json is in /nowhere/1-gpu;" in server.load("lost")
    assert "config.ini asks for 32 x 3 x 32" in server.load("cut")


DAMAGES = {
    "part": ("ft", QKV + ".1.bin", b"", f"Internal: CHECKPOINT/{QKV}.1.bin is missing;"),
    "ini": ("ft", "config.ini", b"num_layers = 3", "CHECKPOINT/config.ini cannot be read: File contains no section"),
    "key": ("ft", "config.ini", b"[encoder]\n[decoder]\n", "CHECKPOINT/config.ini has no vocab_size;"),
    "json": ("hf", "config.json", b"{", "CHECKPOINT/config.json cannot be read: Expecting property name"),
    "size": ("hf", "config.json", b'{"model_type": "t5"}', "CHECKPOINT/config.json has no vocab_size;"),
    "header": ("hf", "model.safetensors", 3000, "CHECKPOINT/model.safetensors is no safetensors file, or is cut off;"),
    "values": ("hf", "model.safetensors", 100_000, "CHECKPOINT/model.safetensors is no safetensors file, or is cut"),
    "empty": ("hf", "model.safetensors", 0, "CHECKPOINT/model.safetensors is no safetensors file, or is cut off;"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_checkpoints_name_the_file(server: Server, damage: str) -> None:
    """The error is one sentence without a traceback, and says which file it is about."""
    kind, name, left, words_of = DAMAGES[damage]
    folder = server.repository / damage
    models.config(folder, models.t5_config())
    checkpoint = folder / "1" / "t5"
    if kind == "ft":
        tiny_t5.faster_transformer(checkpoint, False, 2)
    else:
        tiny_t5.hugging_face(checkpoint, False)
    file = checkpoint / name
    if left == b"":
        file.unlink()
    else:
        file.write_bytes(left if isinstance(left, bytes) else file.read_bytes()[:left])
    said = server.load(damage)
    assert words_of.replace("CHECKPOINT", str(checkpoint)) in said
    assert "At:" not in said
