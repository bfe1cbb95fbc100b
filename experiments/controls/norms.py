"""Normalization before or after the sum, with and without warm-up, at several rates: six layers, 300 steps."""

from __future__ import annotations

from typing import Any

import torch

from attnbook.models.transformer import Transformer
from attnbook.training.optim import constant
from experiments.controls.bench import backwards, fit, judge

QUESTION = "Which of post-norm, post-norm with warm-up, pre-norm and pre-norm with warm-up learns, at which rate?"
STEPS = 300
DEEP = {"d_model": 32, "num_heads": 2, "d_ff": 64, "num_layers": 6, "dropout": 0.0}


def cases() -> list[dict[str, Any]]:
    return [
        {"pre_norm": pre_norm, "warmup": warmup, "lr": lr, "seed": seed}
        for seed in range(3)
        for lr in (5e-4, 1e-3, 2e-3, 5e-3, 1e-2)
        for pre_norm in (False, True)
        for warmup in (0, 100)
    ]


def measure(pre_norm: bool, warmup: int, lr: float, seed: int) -> dict[str, Any]:
    task = backwards()
    torch.manual_seed(seed)
    model = Transformer(*task.sizes, **DEEP, pre_norm=pre_norm)
    losses = fit(model, task, steps=STEPS, lr=constant(lr, warmup=warmup), batch_size=64, seed=seed)
    curve = [round(sum(losses[i : i + 20]) / 20, 4) for i in range(0, STEPS, 20)]
    return {"loss": curve[-1], "curve": curve, **judge(model, task.held_out, task)}
