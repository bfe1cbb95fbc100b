"""Chapter 10: how much of a list can be recalled from caches of several sizes, and after how many steps?"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from experiments.compare import Comparison, Trial, generator
from experiments.controls.budget import BATCH, KINDS, NAMES, PROPERTIES, THINGS, VALUES, Reader, lists


def build(task: str, contestant: str, seed: int) -> Trial:
    model = Reader(contestant)

    def loss(step: int) -> Tensor:
        things, question, answer = lists(BATCH, generator(seed, step))
        return F.cross_entropy(model(things, question)[0], answer)

    def measure(split: str) -> dict[str, float]:
        things, question, answer = lists(4_000, torch.Generator().manual_seed({"valid": 98, "test": 99}[split]))
        logits, kept = model(things, question)
        return {"right": 100 * float((logits.argmax(-1) == answer).float().mean()), "kept": kept}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="How much of a list do layers with caches of several sizes recall, and after how many steps?",
    contestants=dict(
        zip(
            KINDS,
            (
                "8 heads with keys and values of their own: 128 numbers per token in the cache",
                "8 query heads, 2 heads of keys and values: 32 numbers",
                "8 query heads, 1 head of keys and values: 16 numbers",
                "keys and values made from a latent vector of 24, and a rotated part of 8: 32 numbers",
                "keys and values made from a latent vector of 12, and a rotated part of 4: 16 numbers",
            ),
            strict=True,
        )
    ),
    differs="how keys and values are made, and so the size of the cache",
    same="one layer of d_model 64 with 8 query heads, RMS norm, SwiGLU, batches of 64 lists, optimizer",
    refuted_by="the same order of the layers at all three budgets",
    split={
        "train": f"fresh lists of {THINGS} out of {NAMES} names, each with {PROPERTIES} properties of {VALUES} values",
        "valid": "4,000 such lists",
        "test": "4,000 other such lists",
    },
    metric="right",
    unit="% of questions",
    steps=800,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    tolerance=0.5,
    build=build,
)
