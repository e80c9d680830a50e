"""Decodes rows with a translator of CTranslate2."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ft_request import Options, Row, Words


@dataclass
class Text:
    """A text that the model made, with its end token where it came to one."""

    tokens: list[int]
    log_probs: list[float]


def decode(translator: Any, rows: Sequence[Row], end: int) -> list[list[Text]]:
    """Return the texts of each row, the best first. `end` is the checkpoint's end token."""
    groups: dict[Options, list[int]] = {}
    for number, row in enumerate(rows):
        groups.setdefault(row.options, []).append(number)
    texts: list[list[Text]] = [[] for _ in rows]
    for options, numbers in groups.items():
        sources = [[str(token) for token in rows[number].tokens] for number in numbers]
        for number, found in zip(numbers, _together(translator, sources, options)):
            texts[number] = found
    return [_scored(translator, row, found, end) for row, found in zip(rows, texts)]


def _together(translator: Any, sources: list[list[str]], options: Options) -> list[list[Text]]:
    results = translator.translate_batch(
        sources,
        beam_size=options.beams,
        num_hypotheses=options.beams,
        max_input_length=0,
        max_decoding_length=options.max_length,
        length_penalty=options.length_penalty,
        repetition_penalty=options.repetition_penalty,
        sampling_topk=options.top_k,
        sampling_topp=options.top_p,
        sampling_temperature=options.temperature,
        suppress_sequences=[[str(token) for token in word] for word in options.bad] or None,
        end_token=[options.end, *(word[0] for word in options.stop if len(word) == 1)],
        return_end_token=True,
        callback=_stopper(options.stop),
    )
    return [[Text([int(token) for token in found], []) for found in result.hypotheses] for result in results]


def _stopper(words: Words) -> Callable[[Any], bool] | None:
    """Return what stops a row that ends with one of the words of several tokens."""
    words = tuple(word for word in words if len(word) > 1)
    if not words:
        return None
    made: dict[int, list[int]] = {}

    def stop(step: Any) -> bool:
        tokens = made.setdefault(step.batch_id, [])
        tokens.append(step.token_id)
        return any(tuple(tokens[-len(word) :]) == word for word in words)

    return stop


def _scored(translator: Any, row: Row, texts: list[Text], end: int) -> list[Text]:
    """Fill in the log probabilities, where they are asked for."""
    if not row.options.log_probs:
        return texts
    source = [str(token) for token in row.tokens]
    # The end token is scored behind each target; it is no part of a text that was cut off.
    targets = [[str(t) for t in (text.tokens[:-1] if text.tokens[-1:] == [end] else text.tokens)] for text in texts]
    scores = translator.score_batch([source] * len(texts), targets, max_input_length=0)
    for text, score in zip(texts, scores):
        text.log_probs = list(score.log_probs)[: len(text.tokens)]
    return texts
