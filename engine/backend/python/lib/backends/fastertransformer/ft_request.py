"""What requests ask of a T5, under both generations of FasterTransformer's tensor names."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

Words = tuple[tuple[int, ...], ...]

# A text that never ends keeps its instance busy, and its answer has this many tokens for each beam.
MOST_TOKENS = 32_768


class RequestError(Exception):
    """A request that cannot be answered."""


@dataclass(frozen=True)
class Options:
    """How text is made. Rows with the same options are decoded together."""

    max_length: int
    beams: int = 1
    top_k: int = 1  # 0: all
    top_p: float = 1.0
    temperature: float = 1.0
    length_penalty: float = 0.0
    repetition_penalty: float = 1.0
    end: int = 1
    bad: Words = ()
    stop: Words = ()
    log_probs: bool = False


@dataclass(frozen=True)
class Row:
    """One text of a request."""

    tokens: tuple[int, ...]
    options: Options


@dataclass
class Defaults:
    """What holds where a request says nothing: facts of the checkpoint, and parameters of the config."""

    vocabulary: int
    start: int
    end: int
    parameters: Mapping[str, str]

    def number(self, name: str, usual: float) -> float:
        """Return a parameter."""
        text = self.parameters.get(name, "") or str(usual)
        try:
            found = float(text)
        except ValueError:
            found = math.nan
        if not math.isfinite(found):
            raise RequestError(f"the parameter {name} of the config is '{text}', and no number")
        return found


class Names:
    """The names of inputs and outputs of one generation."""

    def __init__(self, tokens: str, lengths: str, out_tokens: str, out_lengths: str) -> None:
        self.tokens, self.lengths, self.out_tokens, self.out_lengths = tokens, lengths, out_tokens, out_lengths


FIRST = Names("INPUT_ID", "REQUEST_INPUT_LEN", "OUTPUT0", "OUTPUT1")
SECOND = Names("input_ids", "sequence_length", "output_ids", "sequence_length")

# Inputs that change what the model does, with what they hold when they change nothing.
_UNKNOWN = {
    "beam_search_diversity_rate": 0,
    "top_p_decay": 1,
    "top_p_min": None,
    "top_p_reset_ids": None,
    "prompt_learning_task_name_ids": None,
    "request_prompt_lengths": 0,
    "request_prompt_embedding": None,
    "ia3_tasks": None,
}
_HARMLESS = {"top_p_min", "top_p_reset_ids"}  # without top_p_decay


def generation(config: Mapping[str, Any]) -> Names:
    """Return the names that a config uses."""
    listed = {entry["name"] for entry in config.get("input", ())}
    for names in (SECOND, FIRST):
        if {names.tokens, names.lengths} <= listed:
            return names
    raise RequestError(
        "the config must list the inputs 'input_ids' and 'sequence_length', or 'INPUT_ID' and 'REQUEST_INPUT_LEN', "
        "as FasterTransformer's T5 has them"
    )


def rows(names: Names, inputs: Mapping[str, np.ndarray], defaults: Defaults) -> list[Row]:
    """Read the rows of a request."""
    _refuse(inputs, defaults)
    tokens = np.atleast_2d(inputs[names.tokens])
    lengths = inputs[names.lengths].reshape(-1)
    if lengths.size != len(tokens):
        raise RequestError(f"input '{names.lengths}' has {lengths.size} values for {len(tokens)} rows")
    return [
        Row(_tokens(names, row, int(length), defaults), _options(names, inputs, number, len(tokens), defaults))
        for number, (row, length) in enumerate(zip(tokens, lengths))
    ]


def _refuse(inputs: Mapping[str, np.ndarray], defaults: Defaults) -> None:
    for name, neutral in _UNKNOWN.items():
        given = inputs.get(name)
        if given is None or name in _HARMLESS:
            continue
        if neutral is None or np.any(given != neutral):
            wanted = "leave it out" if neutral is None else f"leave it out, or send {neutral}"
            raise RequestError(f"input '{name}' is not supported by Conch's fastertransformer backend: {wanted}")
    given = inputs.get("start_id")
    if given is not None and np.any(given != defaults.start):
        raise RequestError(
            f"input 'start_id' is {int(given.reshape(-1)[0])}, and this checkpoint starts with {defaults.start}; "
            "other start tokens are not supported by Conch's fastertransformer backend"
        )


def _tokens(names: Names, row: np.ndarray, length: int, defaults: Defaults) -> tuple[int, ...]:
    if not 0 < length <= row.size:
        raise RequestError(f"input '{names.lengths}' is {length} for a row of {row.size} tokens")
    tokens = tuple(int(token) for token in row[:length])
    if max(tokens) >= defaults.vocabulary or min(tokens) < 0:
        worst = max(tokens) if max(tokens) >= defaults.vocabulary else min(tokens)
        raise RequestError(
            f"input '{names.tokens}' has the token {worst}; the model knows 0 to {defaults.vocabulary - 1}"
        )
    return tokens


def _options(names: Names, inputs: Mapping[str, np.ndarray], row: int, count: int, defaults: Defaults) -> Options:
    def of(name: str, parameter: str, usual: float) -> float:
        given = _of_row(inputs, name, row, count)
        return defaults.number(parameter, usual) if given is None else given

    beams, longest = int(of("beam_width", "beam_width", 1)), int(of("max_output_len", "max_decoding_seq_len", 0))
    if longest < 1:
        raise RequestError("input 'max_output_len' must be at least 1")
    if longest > MOST_TOKENS:
        raise RequestError(f"input 'max_output_len' is {longest}; a text has at most {MOST_TOKENS} tokens")
    if beams < 1 or beams >= defaults.vocabulary:
        raise RequestError(
            f"input 'beam_width' is {beams}; it must be at least 1, and below the {defaults.vocabulary} tokens"
        )
    top_k, top_p = int(of("runtime_top_k", "top_k", 0)), of("runtime_top_p", "top_p", 0)
    if not 0 <= top_k <= defaults.vocabulary:
        raise RequestError(f"input 'runtime_top_k' is {top_k}; the model knows {defaults.vocabulary} tokens")
    if (top_k == 0 and top_p == 0) or beams > 1:
        top_k = 1
    temperature, repetition = of("temperature", "temperature", 1), of("repetition_penalty", "repetition_penalty", 1)
    if temperature <= 0 or repetition <= 0:
        raise RequestError("inputs 'temperature' and 'repetition_penalty' must be above 0")
    end = int(of("end_id", "end_id", defaults.end))
    if not 0 <= end < defaults.vocabulary:
        raise RequestError(f"input 'end_id' is {end}; the model knows 0 to {defaults.vocabulary - 1}")
    stop = _words(inputs, "stop_words_list", row, defaults.vocabulary)
    if beams > 1 and any(len(word) > 1 for word in stop):
        raise RequestError(
            "input 'stop_words_list' has a word of several tokens, which beam search cannot look for here"
        )
    return Options(
        max_length=longest,
        beams=beams,
        top_k=top_k,
        top_p=top_p if 0 < top_p < 1 else 1.0,
        temperature=temperature,
        length_penalty=of("len_penalty", "len_penalty", 0),
        repetition_penalty=repetition,
        end=end,
        bad=_words(inputs, "bad_words_list", row, defaults.vocabulary),
        stop=stop,
        log_probs=bool(of("is_return_log_probs", "is_return_log_probs", 0)),
    )


def _of_row(inputs: Mapping[str, np.ndarray], name: str, row: int, count: int) -> float | None:
    given = inputs.get(name)
    if given is None:
        return None
    values = given.reshape(-1)
    if values.size not in (1, count):
        raise RequestError(f"input '{name}' has {values.size} values for {count} rows")
    found = float(values[row if values.size == count else 0])
    if not math.isfinite(found):
        raise RequestError(f"input '{name}' is {found}; it must be a number")
    return found


def _words(inputs: Mapping[str, np.ndarray], name: str, row: int, vocabulary: int) -> Words:
    """Read a list of words: the tokens of all, and where each ends. The ends are filled up with -1."""
    given = inputs.get(name)
    if given is None:
        return ()
    lists = given if given.ndim == 3 else given[np.newaxis]
    tokens, ends = lists[row if len(lists) > 1 else 0]
    words, begin = [], 0
    for end in ends:
        if end <= begin:
            break
        if end > len(tokens):
            raise RequestError(f"input '{name}' has a word that ends at {end}, and {len(tokens)} tokens")
        word = tuple(int(token) for token in tokens[begin:end])
        if min(word) < 0 or max(word) >= vocabulary:
            raise RequestError(
                f"input '{name}' has a token that the model does not know; it knows 0 to {vocabulary - 1}"
            )
        words.append(word)
        begin = int(end)
    return tuple(words)
