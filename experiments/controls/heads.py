"""What the heads of a small translator do, and how many it needs: five seeds each."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.data import collate
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.training.loss import cross_entropy
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
    result: dict[str, Any] = {"loss": round(sum(losses[-20:]) / 20, 4)}
    result |= {**judge(model, task.held_out[:JUDGED], task), "rates": rates(model, task)}
    if num_heads == 4:
        result |= {"held_out_loss": held_out_loss(model, task), "without": without(model, task)}
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
def held_out_loss(model: Transformer, task: Task) -> float:
    """Cross-entropy per token of the judged sentences, with teacher forcing."""
    batch = collate(task.held_out[:JUDGED], *task.vocabularies)
    return round(float(cross_entropy(model.eval()(batch), batch.target_out, batch.target_mask)), 4)


@torch.no_grad()
def mean_output(model: Transformer, layer: MultiHeadAttention, task: Task, *, of_source: bool) -> Tensor:
    """The mean output of a layer's heads over the real tokens of the judged sentences: (d_model,)."""
    batch = collate(task.held_out[:JUDGED], *task.vocabularies)
    seen: list[Tensor] = []
    hook = layer.W_o.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    model.eval()(batch)
    hook.remove()
    return seen[0][batch.source_mask if of_source else batch.target_mask].mean(0)


@torch.no_grad()
def without(model: Transformer, task: Task) -> dict[str, dict[str, list[float]]]:
    """BLEU and loss without each head of each attention, and without all of them.

    A head is replaced by zeros, or (loss only) by its mean output.
    """
    found = {}
    for name, layer in model.named_modules():
        if not isinstance(layer, MultiHeadAttention):
            continue
        output, kept = layer.W_o, {key: tensor.clone() for key, tensor in layer.W_o.state_dict().items()}
        average = mean_output(model, layer, task, of_source=name.startswith("encoder"))
        bleu, zeros, means = [], [], []
        for off in (*range(layer.num_heads), slice(None)):
            block = output.weight.unflatten(1, (layer.num_heads, -1))[:, off]
            usual = block.flatten(1) @ average.unflatten(0, (layer.num_heads, -1))[off].flatten()
            block.zero_()
            bleu.append(judge(model, task.held_out[:JUDGED], task)["bleu"])
            zeros.append(held_out_loss(model, task))
            output.bias.add_(usual)
            means.append(held_out_loss(model, task))
            output.load_state_dict(kept)
        found[name] = {"bleu": bleu, "loss": zeros, "loss_mean": means}
    return found
