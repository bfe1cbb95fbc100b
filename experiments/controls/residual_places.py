"""Chapter 8: at which depth, and in which sublayers, does a Transformer need residuals? Words backwards, one budget."""

from __future__ import annotations

from typing import Any

import torch

from attnbook.models.transformer import Transformer
from attnbook.training.optim import linear_decay
from experiments.controls.ablation import SIZES, NoResidual
from experiments.controls.bench import backwards, fit, judge
from experiments.controls.residuals import WITHOUT

QUESTION = "At which depth, and at which place, does a Transformer miss its residuals after 300 steps?"
STEPS, RATE = 300, 5e-3
DEPTHS = (1, 2, 4)


def cases() -> list[dict[str, Any]]:
    by_depth = [(depth, name) for depth in DEPTHS for name in ("all residuals", "no residual")]
    by_place = [(2, name) for name in WITHOUT if name not in ("all residuals", "no residual")]
    return [
        {"layers": depth, "without": name, "seed": seed} for seed in range(3) for depth, name in (*by_depth, *by_place)
    ]


def measure(layers: int, without: str, seed: int) -> dict[str, Any]:
    task = backwards()
    torch.manual_seed(seed)
    model = Transformer(*task.sizes, **{**SIZES, "num_layers": layers}, num_heads=4)
    for side, places in WITHOUT[without].items():
        for layer in getattr(model, side):
            for place in places:
                setattr(layer, f"add_norm_{place}", NoResidual(SIZES["d_model"], dropout=0.0, pre_norm=False))
    losses = fit(model, task, steps=STEPS, lr=linear_decay(RATE, warmup=50, total=STEPS), batch_size=64, seed=seed)
    return {**judge(model, task.held_out, task), "loss": round(sum(losses[-20:]) / 20, 4)}
