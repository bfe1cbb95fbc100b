"""What a single vector loses with length, and what attention keeps: the same read-out, the same sizes, five seeds."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook.data import Pair, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.seq2seq import RecurrentEncoderDecoder, Seq2Seq
from attnbook.training.optim import linear_decay
from experiments.controls.bench import Task, everyday, fit, judge, misaligned
from experiments.controls.looking import translator

QUESTION = "How do a single vector, attention and several read-outs do on sentences of each length?"
KINDS = ("no attention", "attention", "attention, maxout")
SMALLER = {"no attention, vector of 12": 12, "attention, vector of 12": 12}  # entries that the encoder hands over
LAYERED = {  # the same number of entries between two layers, and as many as a state
    "no attention, two layers through 12": 12,
    "attention, two layers through 12": 12,
    "no attention, two layers through 96": 96,
}
READOUTS = {"attention, context too": "context too", "attention, maxout, no word": "maxout, no word"}
BINS = ((5, 6), (7, 8), (9, 10), (11, 12), (13, 16))
SIZES: dict[str, Any] = {"embed_size": 64, "num_hiddens": 96, "bidirectional": True, "dropout": 0.0}
EPOCHS = 2


def cases() -> list[dict[str, Any]]:
    everything = [{"kind": kind, "seed": seed} for seed in range(5) for kind in KINDS]
    return everything + [{"kind": kind, "seed": seed} for seed in range(3) for kind in (*SMALLER, *READOUTS, *LAYERED)]


def measure(kind: str, seed: int) -> dict[str, Any]:
    task = everyday()
    torch.manual_seed(seed)
    model: RecurrentEncoderDecoder
    if kind.startswith("no attention"):
        model = Seq2Seq(*task.sizes, **SIZES)
    elif kind in READOUTS:
        model = translator(*task.sizes, READOUTS[kind])
    else:
        model = Bahdanau(*task.sizes, **SIZES, readout="maxout" if kind == "attention, maxout" else "state")
    if kind in SMALLER:
        narrow(model, SMALLER[kind])
    if kind in LAYERED:
        through(model, LAYERED[kind], SIZES["num_hiddens"])
    steps = EPOCHS * math.ceil(len(task.training) / 64)
    fit(model, task, steps=steps, lr=linear_decay(1.4e-2, warmup=50, total=steps), batch_size=64, seed=seed)
    result: dict[str, Any] = judge(model, task.held_out, task)
    if not kind.startswith("no attention"):
        result["alignment_error_rate"] = misaligned(model, task.held_out, task)
    result["by_length"] = [
        {"from": low, "to": high, "sentences": len(pairs), **judge(model, pairs, task), **forced(model, pairs, task)}
        for low, high in BINS
        if (pairs := tuple(pair for pair in task.held_out if low <= len(pair.source) <= high))
    ]
    result["parameters"] = sum(parameter.numel() for parameter in model.parameters())
    return result


class FirstEntries(nn.Module):
    """A layer that passes on only its first entries; the others are zero."""

    def __init__(self, layer: nn.Module, entries: int) -> None:
        super().__init__()
        self.layer, self.entries = layer, entries

    def forward(self, state: Tensor) -> Tensor:
        passed: Tensor = self.layer(state)
        return torch.cat((passed[..., : self.entries], torch.zeros_like(passed[..., self.entries :])), -1)


def narrow(model: RecurrentEncoderDecoder, entries: int) -> None:
    """Pass on only the first entries of the vector. No parameter is added, and initial values are unchanged."""
    assert model.encoder.bridge is not None
    model.encoder.bridge[0] = FirstEntries(model.encoder.bridge[0], entries)


def through(model: RecurrentEncoderDecoder, entries: int, hidden: int) -> None:
    """Compute the vector by two linear layers with so many entries between them."""
    assert model.encoder.bridge is not None
    model.encoder.bridge[0] = nn.Sequential(nn.Linear(hidden, entries), nn.Linear(entries, hidden))


@torch.no_grad()
def forced(model: EncoderDecoder, pairs: tuple[Pair, ...], task: Task) -> dict[str, float]:
    """Share of next tokens that are right, in percent, and mean loss in nats, while the references are forced."""
    batch = collate(pairs, *task.vocabularies)
    logits, wanted = model.eval()(batch)[batch.target_mask], batch.target_out[batch.target_mask]
    right = 100 * float((logits.argmax(-1) == wanted).float().mean())
    return {"next_token": round(right, 2), "loss": round(float(F.cross_entropy(logits, wanted)), 4)}
