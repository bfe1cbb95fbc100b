"""What does the size of a product's scores do to its training? Chapter 5's model with three scores."""

from __future__ import annotations

from itertools import product
from typing import Any

import torch

from attnbook.data import collate
from attnbook.models.luong import Luong
from attnbook.observe.recorder import record_attention
from attnbook.training.optim import linear_decay
from experiments.controls.bench import CROSS, Task, fit, frequent, judge, misaligned

QUESTION = "After 160 steps, what does dividing the general score by the root of d change, and is concat ahead?"
STEPS = 160
SCORES = {
    "concat": {"score": "concat"},
    "general": {"score": "general"},
    "general, scaled": {"score": "general", "scaled": True},
}


def cases() -> list[dict[str, Any]]:
    return [{"score": score, "seed": seed} for seed, score in product(range(3), SCORES)]


def measure(score: str, seed: int) -> dict[str, Any]:
    task = frequent()
    torch.manual_seed(seed)
    sizes = {"embed_size": 64, "num_hiddens": 64, "bidirectional": True, "dropout": 0.0}
    model = Luong(*task.sizes, **sizes, **SCORES[score], input_feeding=False)
    rate = linear_decay(0.014, warmup=20, total=STEPS)
    losses = fit(model, task, steps=STEPS, lr=rate, batch_size=32, seed=seed)
    return {
        **judge(model, task.held_out, task),
        "alignment_error_rate": misaligned(model, task.held_out, task),
        "loss": round(sum(losses[-20:]) / 20, 4),
        "largest_weight": largest_weight(model, task),
    }


@torch.no_grad()
def largest_weight(model: Luong, task: Task) -> float:
    """In percent, what the most attended token of a row has; the mean over the rows of the judged sentences."""
    batch = collate(task.held_out, *task.vocabularies)
    with record_attention(model) as record:
        model.eval()(batch)
    return round(100 * float(record[CROSS][:, 0].amax(-1)[batch.target_mask].mean()), 2)
