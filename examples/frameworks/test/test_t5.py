"""The tiny T5 between its tokenizer models, against what transformers says (t5_reference.json)."""

import json
import sys
from typing import Any

import numpy as np
import pytest
from conftest import FRAMEWORKS, infer
from serving import Server

sys.path.insert(0, str(FRAMEWORKS / "make"))
sys.path.insert(0, str(FRAMEWORKS / "models" / "t5_tokenize" / "1"))

import letters
import t5

SAID = json.loads((t5.WEIGHTS / "t5_reference.json").read_text())
WAYS = [way for way in SAID["said"] if not way["gated"]]


def written(tokens: list[int]) -> str:
    """Write tokens as text."""
    return "".join(map(letters.letter, tokens))


def named(way: dict[str, Any]) -> str:
    """Name a test after the options of its decoding."""
    return "-".join(f"{key}={value}" for key, value in way["options"].items())


SOURCES = [written(source) for source in SAID["sources"]]


def column(values: list[Any], kind: Any) -> np.ndarray:
    """Lay a value for each row out."""
    return np.array(values, kind).reshape(-1, 1)


def asked(**options: Any) -> dict[str, np.ndarray]:
    """Lay the request for all sources out."""
    found = {"TEXT": column([source.encode() for source in SOURCES], object)}
    for name, value in options.items():
        kind = np.float32 if isinstance(value, float) else np.uint32
        found[name] = column([value] * len(SOURCES), kind)
    return found


def answers(way: dict[str, Any]) -> list[list[str]]:
    """Give what transformers says, for each source and beam."""
    return [[written(text["tokens"]) for text in texts] for texts in way["answers"]]


def texts(got: dict[str, np.ndarray]) -> list[list[str]]:
    """Read the texts of an answer."""
    return [[text.decode() for text in row] for row in got["TEXTS"]]


def test_the_sources_are_text(server: Server) -> None:
    got = infer(server, "t5_tokenize", TEXT=asked()["TEXT"])
    for row, source in enumerate(SAID["sources"]):
        assert got["TOKENS"][row][: got["COUNT"][row][0]].tolist() == source


@pytest.mark.parametrize("way", [way for way in WAYS if not way["options"].get("length_penalty")], ids=named)
def test_ensemble(server: Server, way: dict[str, Any]) -> None:
    beams = way["options"]["num_beams"]
    got = infer(server, "t5_text", **asked(MAX_TOKENS=SAID["length"], BEAMS=beams))
    assert texts(got) == answers(way)


@pytest.mark.parametrize("way", WAYS, ids=named)
def test_calls(server: Server, way: dict[str, Any]) -> None:
    server.need("t5")
    options = {"BEAMS": way["options"]["num_beams"], "MAX_TOKENS": SAID["length"]}
    if "length_penalty" in way["options"]:
        options["LENGTH_PENALTY"] = float(way["options"]["length_penalty"])
    got = infer(server, "t5_text_bls", **asked(**options))
    assert texts(got) == answers(way)


def test_what_is_left_out_is_decided_by_the_program(server: Server) -> None:
    server.need("t5")
    assert texts(infer(server, "t5_text_bls", **asked())) == answers(WAYS[0])
