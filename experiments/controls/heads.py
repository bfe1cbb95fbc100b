"""What single heads of a small translator are good for, and how many heads it should have: five seeds each."""

from __future__ import annotations

from typing import Any

import torch

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.data import collate
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.training.optim import linear_decay
from attnbook.translation.alignment import alignment_error_rate, links_from_weights
from experiments.controls.bench import Task, fit, frequent, judge

QUESTION = "How many heads does chapter 6's translator need, which of four aligns, and what is lost without each?"
STEPS = 320
JUDGED = 150
SIZES = {"d_model": 64, "d_ff": 128, "num_layers": 1, "dropout": 0.0}
CROSS = "decoder.0.cross_attention"


def cases() -> list[dict[str, Any]]:
    return [{"num_heads": num_heads, "seed": seed} for seed in range(5) for num_heads in (1, 4, 16)]


def measure(num_heads: int, seed: int) -> dict[str, Any]:
    task = frequent()
    torch.manual_seed(seed)
    model = Transformer(*task.sizes, num_heads=num_heads, **SIZES)
    schedule = linear_decay(6e-3, warmup=50, total=STEPS)
    losses = fit(model, task, steps=STEPS, lr=schedule, batch_size=32, seed=seed)
    result = {"loss": round(sum(losses[-20:]) / 20, 4), **judge(model, task.held_out[:JUDGED], task)}
    if num_heads == 4:
        result |= {"rates": rates(model, task), "without": without(model, task)}
    return result


@torch.no_grad()
def rates(model: Transformer, task: Task) -> list[float]:
    """Alignment error rate of each head of the cross-attention, and of their mean."""
    batch = collate(task.held_out, *task.vocabularies)
    with record_attention(model) as record:
        model.eval()(batch)
    weights = record[CROSS]  # (batch, num_heads, target_len, source_len)
    found = []
    for one in (*weights.unbind(1), weights.mean(1)):
        pairs = zip(one, task.held_out, strict=True)
        links = [links_from_weights(row[: len(pair.target), : len(pair.source)]) for row, pair in pairs]
        found.append(round(alignment_error_rate(links, [pair.alignment for pair in task.held_out]), 4))
    return found


@torch.no_grad()
def without(model: Transformer, task: Task) -> dict[str, list[float]]:
    """BLEU without each head of each attention, and without all of them."""
    found = {}
    for name, layer in model.named_modules():
        if not isinstance(layer, MultiHeadAttention):
            continue
        weight, kept = layer.W_o.weight, layer.W_o.weight.clone()
        found[name] = []
        for off in (*range(layer.num_heads), slice(None)):
            weight.unflatten(1, (layer.num_heads, -1))[:, off] = 0
            found[name].append(judge(model, task.held_out[:JUDGED], task)["bleu"])
            weight.copy_(kept)
    return found
