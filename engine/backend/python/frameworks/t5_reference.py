"""Writes t5_reference.json: what transformers says of the tiny T5. It needs torch and transformers."""

import json
import tempfile
from pathlib import Path

import tiny_t5
import torch
from transformers import T5ForConditionalGeneration

SOURCES = [[5, 9, 13, 22, 1], [40, 3, 1]]
LENGTH, BEAMS = 12, 4


def said(gated: bool, **options: object) -> dict[str, object]:
    """Run one decoding."""
    with tempfile.TemporaryDirectory() as folder:
        tiny_t5.hugging_face(Path(folder) / "t5", gated)
        model = T5ForConditionalGeneration.from_pretrained(Path(folder) / "t5").eval()
    answers = []
    for source in SOURCES:
        ids = torch.tensor([source])
        made = model.generate(
            ids, max_new_tokens=LENGTH, do_sample=False, output_scores=True, return_dict_in_generate=True, **options
        )
        texts = []
        for row in made.sequences.tolist():
            tokens = row[1:]
            tokens = tokens[: tokens.index(1) + 1] if 1 in tokens else tokens
            with torch.no_grad():
                logits = model(input_ids=ids, decoder_input_ids=torch.tensor([[0, *tokens[:-1]]])).logits[0]
            log_probs = torch.log_softmax(logits, -1)[range(len(tokens)), tokens]
            texts.append({"tokens": tokens, "log_probs": [round(float(p), 5) for p in log_probs]})
        answers.append(texts)
    return {"gated": gated, "options": options, "answers": answers}


if __name__ == "__main__":
    greedy = {"num_beams": 1}
    beams = {"num_beams": BEAMS, "num_return_sequences": BEAMS, "early_stopping": True}
    ways = [greedy, {**beams, "length_penalty": 0.0}, {**beams, "length_penalty": 1.0}]
    found = [said(gated, **way) for gated in (False, True) for way in ways]
    text = json.dumps({"sources": SOURCES, "length": LENGTH, "said": found}, indent=1)
    Path(__file__).with_suffix(".json").write_text(text + "\n")
