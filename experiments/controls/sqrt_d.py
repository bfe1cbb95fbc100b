"""Chapter 3: does a model without the division by sqrt(d) catch up at another learning rate, or with more steps?"""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from experiments.compare import Comparison, Trial, generator

NAMES, KEYS, SIZE, BATCH, JUDGED = 32, 8, 4, 64, 2_000
SIZES = {"d = 16": 16, "d = 256": 256}
Lists = tuple[Tensor, Tensor, Tensor]  # names (batch, KEYS), values (batch, KEYS, SIZE), the asked place (batch,)


def lists(count: int, draws: torch.Generator) -> Lists:
    """Lists of eight different names with a random vector each, and the place that the query asks for."""
    names = torch.rand(count, NAMES, generator=draws).argsort(-1)[:, :KEYS]
    values = torch.randn(count, KEYS, SIZE, generator=draws)
    return names, values, torch.randint(KEYS, (count,), generator=draws)


class Recall(nn.Module):
    """A learned query vector and key vector for each name, with entries that start with variance 1."""

    def __init__(self, d: int, divided: bool) -> None:
        super().__init__()
        self.query, self.key = nn.Embedding(NAMES, d), nn.Embedding(NAMES, d)
        self.scale = 1 / math.sqrt(d) if divided else 1.0

    def forward(self, names: Tensor, values: Tensor, asked: Tensor) -> Tensor:
        """``(batch, keys)``, ``(batch, keys, size)``, ``(batch,)`` -> ``(batch, size)``"""
        q = self.query(names.gather(1, asked.unsqueeze(1)))  # (batch, 1, d)
        weights = (self.scale * q @ self.key(names).mT).softmax(-1)  # (batch, 1, keys)
        return (weights @ values).squeeze(1)


def build(task: str, contestant: str, seed: int) -> Trial:
    model = Recall(SIZES[task], divided=contestant == "divided")

    def squared_error(names: Tensor, values: Tensor, asked: Tensor) -> Tensor:
        return (model(names, values, asked) - values[torch.arange(len(asked)), asked]).square().mean()

    def measure(split: str) -> dict[str, float]:
        draws = torch.Generator().manual_seed({"valid": 98, "test": 99}[split])
        return {"loss": float(squared_error(*lists(JUDGED, draws)))}

    return Trial(model, lambda step: squared_error(*lists(BATCH, generator(seed, step))), measure)


COMPARISON = Comparison(
    question="Does a model without the division by sqrt(d) catch up at another learning rate, or with more steps?",
    contestants={"divided": "q^T k / sqrt(d)", "undivided": "q^T k"},
    tasks={name: f"eight of 32 names with a random vector each; queries and keys of {d}" for name, d in SIZES.items()},
    differs="the division of the scores by sqrt(d)",
    same="lists, sizes, initial queries and keys with entries of variance 1, batches of 64, optimizer",
    refuted_by="a model without the division whose loss at d = 256 gets as low as with it",
    split={"train": "fresh lists", "valid": "2,000 lists", "test": "2,000 other lists"},
    metric="loss",
    unit="mean squared error",
    steps=250,
    rates=(3e-3, 1e-2, 3e-2, 1e-1, 3e-1),
    higher_is_better=False,
    seeds=5,
    build=build,
)
