"""What a single vector loses with length, and what attention keeps: the same read-out, the same sizes, five seeds."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional as F

from attnbook.data import Pair, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.seq2seq import Seq2Seq
from attnbook.training.optim import linear_decay
from experiments.controls.bench import Task, everyday, fit, judge, misaligned

QUESTION = "How do a single vector, attention and the paper's read-out do on sentences of each length?"
KINDS = ("no attention", "attention", "attention, maxout")
BINS = ((5, 6), (7, 8), (9, 10), (11, 12), (13, 16))
SIZES = {"embed_size": 64, "num_hiddens": 96, "bidirectional": True, "dropout": 0.0}
EPOCHS = 2


def cases() -> list[dict[str, Any]]:
    return [{"kind": kind, "seed": seed} for seed in range(5) for kind in KINDS]


def measure(kind: str, seed: int) -> dict[str, Any]:
    task = everyday()
    torch.manual_seed(seed)
    model: EncoderDecoder
    if kind == "no attention":
        model = Seq2Seq(*task.sizes, **SIZES)
    else:
        model = Bahdanau(*task.sizes, **SIZES, readout="maxout" if "maxout" in kind else "state")
    steps = EPOCHS * math.ceil(len(task.training) / 64)
    fit(model, task, steps=steps, lr=linear_decay(1.4e-2, warmup=50, total=steps), batch_size=64, seed=seed)
    result: dict[str, Any] = judge(model, task.held_out, task)
    if kind != "no attention":
        result["alignment_error_rate"] = misaligned(model, task.held_out, task)
    result["by_length"] = [
        {"from": low, "to": high, "sentences": len(pairs), **judge(model, pairs, task), **forced(model, pairs, task)}
        for low, high in BINS
        if (pairs := tuple(pair for pair in task.held_out if low <= len(pair.source) <= high))
    ]
    result["parameters"] = sum(parameter.numel() for parameter in model.parameters())
    return result


@torch.no_grad()
def forced(model: EncoderDecoder, pairs: tuple[Pair, ...], task: Task) -> dict[str, float]:
    """Share of next tokens that are right, in percent, and mean loss in nats, while the references are forced."""
    batch = collate(pairs, *task.vocabularies)
    logits, wanted = model.eval()(batch)[batch.target_mask], batch.target_out[batch.target_mask]
    right = 100 * float((logits.argmax(-1) == wanted).float().mean())
    return {"next_token": round(right, 2), "loss": round(float(F.cross_entropy(logits, wanted)), 4)}
