"""Chapter 11: what does a model trained with full attention lose in a window, with and without the first token?"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor

from experiments.compare import Comparison, Trial, generator
from experiments.controls.sinks import BATCH, LENGTH, WINDOW, Copier, judge, texts, windows


def build(task: str, contestant: str, seed: int) -> Trial:
    model, before = Copier(), windows()["everything"]

    def loss(step: int) -> Tensor:
        ids, _ = texts(BATCH, generator(seed, step))
        return F.cross_entropy(model(ids[:, :-1], before).flatten(0, 1), ids[:, 1:].flatten())

    def measure(split: str) -> dict[str, float]:
        figures: dict[str, float] = judge(model, {"valid": 98, "test": 99}[split])
        return figures

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="What do copying models that were trained without a window lose in one, with and without the first token?",
    contestants={"copier": "two layers of causal attention with 2 heads, and nothing else"},
    differs="only what a token may see when the model is judged: everything, the last "
    f"{WINDOW} tokens, the first and the last {WINDOW - 1}, or another token and the last {WINDOW - 1}",
    same="the trained models; each is judged in every window",
    refuted_by="a model with a head that rests on the first token, and that loses as much with this token in the "
    "window as without it",
    split={
        "train": f"fresh texts of {LENGTH} letters: lists of 5 to 10 letters, each said twice",
        "valid": "300 such texts",
        "test": "300 other such texts",
    },
    metric="everything: right",
    unit="% of the repeated letters, with everything in view; it chooses the rate",
    steps=600,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    seeds=5,
    tolerance=0.5,
    build=build,
)
