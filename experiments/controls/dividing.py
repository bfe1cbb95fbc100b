"""Chapter 5: does dividing the general score by sqrt(d) help through the initialization or the learning rate of W?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch

from attnbook.data import collate
from attnbook.models.luong import Luong
from attnbook.observe.recorder import record_attention
from experiments.compare import Comparison, Trial
from experiments.controls.bench import CROSS, Task
from experiments.controls.translating import SPLIT, frequent_words, translation_trial

SIZES: dict[str, Any] = {"embed_size": 64, "num_hiddens": 64, "bidirectional": True, "dropout": 0.0}
MATRIX = "decoder.cross_attention.W"
KINDS: dict[str, tuple[bool, float, float]] = {  # divided, factor of W's initialization, factor of W's learning rate
    "undivided": (False, 1.0, 1.0),
    "divided": (True, 1.0, 1.0),
    "small start": (False, 1 / 8, 1.0),
    "slow": (False, 1.0, 1 / 8),
    "small start, slow": (False, 1 / 8, 1 / 8),
}


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, (divided, start, rate) = frequent_words(), KINDS[contestant]
    model = Luong(*corpus.sizes, **SIZES, score="general", scaled=divided, input_feeding=False)
    with torch.no_grad():
        model.get_parameter(f"{MATRIX}.weight").mul_(start)
    trial = translation_trial(model, corpus, seed, 32, aligned=True)

    def measure(split: str) -> dict[str, float]:
        return {**trial.measure(split), "largest_weight": largest_weight(model, corpus.judged(split))}

    return replace(trial, measure=measure, factors={MATRIX: rate})


@torch.no_grad()
def largest_weight(model: Luong, task: Task) -> float:
    """The largest weight of a row, averaged over the rows of the judged sentences, in percent."""
    batch = collate(task.held_out, *task.vocabularies)
    with record_attention(model) as record:
        model.eval()(batch)
    return round(100 * float(record[CROSS][:, 0].amax(-1)[batch.target_mask].mean()), 2)


COMPARISON = Comparison(
    question="What does dividing the general score by 8 change: where its matrix W starts, or how fast W learns?",
    contestants={
        "undivided": "q^T W k",
        "divided": "q^T W k / 8, with vectors of 64 entries",
        "small start": "q^T W k, W starts at an eighth of its size",
        "slow": "q^T W k, W with an eighth of the learning rate",
        "small start, slow": "q^T W k, W starts at an eighth of its size and has an eighth of the learning rate",
    },
    differs="the scale at which W starts, its learning rate, and whether the score is divided",
    same="encoder, decoder, read-out, sizes of 64, batches of 32, no input feeding, no dropout",
    refuted_by="at one of the two larger budgets, a smaller learning rate for W alone that gives less than half of "
    "the gain of the division",
    split=SPLIT,
    metric="bleu",
    unit="BLEU",
    steps=160,
    rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
    tolerance=0.3,
    build=build,
)
