"""Chapter 5: which of Luong's scores should one choose, and how much does the direction of the encoder matter?"""

from __future__ import annotations

from typing import Any

from attnbook.models.luong import Luong
from experiments.compare import Comparison, Trial
from experiments.controls.translating import SPLIT, frequent_words, translation_trial

KINDS: dict[str, dict[str, Any]] = {
    "dot, forward": {"score": "dot", "bidirectional": False},
    "dot, divided, forward": {"score": "dot", "scaled": True, "bidirectional": False},
    "general, forward": {"score": "general", "bidirectional": False},
    "general, divided, forward": {"score": "general", "scaled": True, "bidirectional": False},
    "concat, forward": {"score": "concat", "bidirectional": False},
    "general": {"score": "general", "bidirectional": True},
    "general, divided": {"score": "general", "scaled": True, "bidirectional": True},
    "concat": {"score": "concat", "bidirectional": True},
}


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus = frequent_words()
    model = Luong(*corpus.sizes, embed_size=64, num_hiddens=64, dropout=0.0, input_feeding=False, **KINDS[contestant])
    return translation_trial(model, corpus, seed, 32, aligned=True)


COMPARISON = Comparison(
    question="Which of Luong's scores translates and aligns best, with an encoder of one direction and of two?",
    contestants={
        "dot, forward": "s^T h; the encoder reads forward, so that h has the size of s",
        "dot, divided, forward": "s^T h / 8, with vectors of 64 entries; the encoder reads forward",
        "general, forward": "s^T W h; the encoder reads forward",
        "general, divided, forward": "s^T W h / 8; the encoder reads forward",
        "concat, forward": "v^T tanh(W [s; h]); the encoder reads forward",
        "general": "s^T W h; the encoder reads in both directions",
        "general, divided": "s^T W h / 8; the encoder reads in both directions",
        "concat": "v^T tanh(W [s; h]); the encoder reads in both directions",
    },
    differs="the score, and the direction in which the encoder reads",
    same="decoder, read-out, states of 64 per direction, batches of 32, no input feeding, no dropout",
    refuted_by="a concat score ahead of the divided general score at the two larger budgets, with both encoders",
    split=SPLIT,
    metric="bleu",
    unit="BLEU",
    steps=160,
    rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
    tolerance=0.3,
    build=build,
)
