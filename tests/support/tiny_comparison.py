"""A comparison that takes a fraction of a second: a line through points, with and without an intercept."""

from __future__ import annotations

import os
from pathlib import Path

import torch
from torch import Tensor, nn

from experiments.compare import Comparison, Trial, generator
from experiments.compare.run import open_store, train_missing

COMMAND = "python -m experiments.controls tiny"


def points(count: int, draws: torch.Generator) -> tuple[Tensor, Tensor]:
    x = torch.rand(count, 1, generator=draws)
    return x, 2 * x + 1 + 0.1 * torch.randn(count, 1, generator=draws)


def build(task: str, contestant: str, seed: int) -> Trial:
    if contestant == "broken":
        raise RuntimeError("this contestant cannot be built")
    if contestant == "killed":
        os._exit(1)
    model = nn.Sequential(nn.Dropout(0.1), nn.Linear(1, 1, bias=contestant == "with intercept"))

    def loss(step: int) -> Tensor:
        x, y = points(8, generator(seed, step))
        return (model(x) - y).square().mean()

    def measure(split: str) -> dict[str, float]:
        x, y = points(50, torch.Generator().manual_seed({"valid": 1, "test": 2}[split]))
        return {"error": float((model(x) - y).square().mean())}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="Does a line need an intercept?",
    contestants={
        "with intercept": "y = a x + b",
        "without": "y = a x",
        "broken": "cannot be built",
        "killed": "ends its process",
    },
    entries={"": ("with intercept", "without")},
    differs="the intercept",
    same="everything else",
    refuted_by="equal errors",
    split={"train": "fresh points", "valid": "50 points", "test": "50 other points"},
    metric="error",
    unit="squared units",
    higher_is_better=False,
    steps=40,
    rates=(1e-3, 3e-3, 1e-2, 3e-2),
    seeds=3,
    build=build,
)


def finish(folder: Path) -> str:
    """Run all of it, and return its result file."""
    store = open_store(__name__, folder, {}, COMMAND, "abc")
    assert train_missing([store], workers=2, changes={}, minutes=None)
    return store.path.read_text(encoding="utf-8")
