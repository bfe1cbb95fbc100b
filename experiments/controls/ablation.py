"""Which parts of a Transformer can be removed? One at a time, three seeds, on words written backwards and on sentences.

Without residuals the model learns nothing at the first learning rate, so that case also has a second rate.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import torch
from torch import Tensor, nn

from attnbook.models.transformer import AddNorm, Transformer
from attnbook.training.optim import linear_decay
from experiments.controls.bench import backwards, fit, frequent, judge

QUESTION = "What does a Transformer lose without one of its parts?"
PARTS = ("nothing", "feed-forward", "its ReLU", "residual", "norm", "positions", "all heads but one")
TASKS = {"backwards": (backwards, 300), "sentences": (frequent, 400)}
RATES = (5e-3, 2e-3)
SIZES = {"d_model": 64, "d_ff": 128, "num_layers": 2, "dropout": 0.0}


class Nothing(nn.Module):
    """Replacement for a feed-forward network that outputs zeros."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


class NoResidual(AddNorm):
    """Add & norm without the residual."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        if self.pre_norm:
            return self.dropout(sublayer(self.norm(x)))
        return self.norm(self.dropout(sublayer(x)))


class NoPositions(nn.Module):
    """Replacement for positional encodings that returns the embeddings unchanged."""

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        return x


def cases() -> list[dict[str, Any]]:
    chosen = product(RATES, range(3), TASKS, PARTS)
    return [
        {"task": task, "part": part, "lr": lr, "seed": seed}
        for lr, seed, task, part in chosen
        if lr == RATES[0] or part in ("nothing", "residual")
    ]


def without(model: Transformer, part: str) -> None:
    """Remove a part from every layer."""
    if part == "positions":
        model.source_positions, model.target_positions = NoPositions(), NoPositions()
    for layer in (*model.encoder, *model.decoder):
        if part == "feed-forward":
            layer.feed_forward = Nothing()
        if part == "its ReLU":
            layer.feed_forward = nn.Sequential(layer.feed_forward.W_1, layer.feed_forward.W_2)
        for name, module in list(layer.named_children()):
            if part == "residual" and name.startswith("add_norm"):
                setattr(layer, name, NoResidual(SIZES["d_model"], dropout=0.0, pre_norm=False))
            if part == "norm" and name.startswith("add_norm"):
                module.norm = nn.Identity()


def measure(task: str, part: str, lr: float, seed: int) -> dict[str, Any]:
    made, steps = TASKS[task]
    data = made()
    torch.manual_seed(seed)
    model = Transformer(*data.sizes, **SIZES, num_heads=1 if part == "all heads but one" else 4)
    without(model, part)
    losses = fit(model, data, steps=steps, lr=linear_decay(lr, warmup=50, total=steps), batch_size=64, seed=seed)
    return {**judge(model, data.held_out, data), "loss": round(sum(losses[-20:]) / 20, 4)}
