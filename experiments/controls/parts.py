"""What does each replacement since the Transformer of 2017 gain? One at a time, three seeds."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from attnbook.attention.causal import GroupedAttention
from attnbook.models.language_model import Block, LanguageModel, MixtureOfExperts, SwiGLU
from attnbook.models.transformer import FeedForward
from experiments.controls.decoders import D_MODEL, HEADS, LAYERS, RATE, fit, judge, vocab_size

QUESTION = "What does each of RMS norm, QK norm, rotary positions, SwiGLU and experts change in a language model?"
PARTS = ("nothing", "RMS norm", "rotary", "SwiGLU", "experts")
HIGH = 4 * RATE


def cases() -> list[dict[str, Any]]:
    chosen = [(part, RATE) for part in PARTS] + [("nothing", HIGH), ("QK norm", HIGH)]
    return [{"part": part, "lr": lr, "seed": seed} for seed in range(3) for part, lr in chosen]


def feed_forward(part: str) -> nn.Module:
    """128 hidden units, a gated network with as many parameters, or a mixture of four networks with one per token."""
    if part == "SwiGLU":
        return SwiGLU(D_MODEL, 86)
    if part == "experts":
        return MixtureOfExperts(D_MODEL, [FeedForward(D_MODEL, 128) for _ in range(4)])
    return FeedForward(D_MODEL, 128)


def measure(part: str, lr: float, seed: int) -> dict[str, Any]:
    torch.manual_seed(seed)
    norm = nn.RMSNorm if part == "RMS norm" else nn.LayerNorm
    blocks = [
        Block(
            D_MODEL,
            GroupedAttention(D_MODEL, HEADS, HEADS, rotary=part == "rotary", qk_norm=part == "QK norm"),
            feed_forward(part),
            norm,
        )
        for _ in range(LAYERS)
    ]
    model = LanguageModel(vocab_size(), D_MODEL, blocks, sinusoidal=part != "rotary", norm=norm)
    fit(model, seed, lr)
    return judge(model)
