"""The letters that the tokens of the tiny T5 stand for."""

from __future__ import annotations

import numpy as np

END, UNKNOWN = 1, 2
FIRST = 3  # 0 fills rows up
LETTERS = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,!?'-:;"
TOKENS = {letter: FIRST + number for number, letter in enumerate(LETTERS)}


def encode(texts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn texts into rows of tokens that are filled up with 0, and say how many of each row count."""
    rows = [[TOKENS.get(letter, UNKNOWN) for letter in text.decode()] + [END] for text in texts.reshape(-1)]
    counts = np.array([[len(row)] for row in rows], np.uint32)
    tokens = np.zeros((len(rows), counts.max()), np.uint32)
    for number, row in enumerate(rows):
        tokens[number, : len(row)] = row
    return tokens, counts


def decode(tokens: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Turn tokens [rows, beams, length] into texts [rows, beams]."""
    texts = np.empty(counts.shape, object)
    for at in np.ndindex(*counts.shape):
        texts[at] = "".join(letter(int(token)) for token in tokens[at][: counts[at]]).encode()
    return texts


def letter(token: int) -> str:
    """Return what a token stands for."""
    if token < FIRST:
        return "?" if token == UNKNOWN else ""
    return LETTERS[token - FIRST]
