"""What does a smaller cache cost? Heads share keys and values in groups, or compute them from a latent vector."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from attnbook.attention.causal import DifferentialAttention, GroupedAttention, LatentAttention
from attnbook.models.language_model import Block, LanguageModel, SwiGLU
from experiments.controls.decoders import D_MODEL, HEADS, LAYERS, RATE, fit, judge, vocab_size

QUESTION = "What do fewer heads of keys and values, a latent vector in their place, and differential attention change?"
KINDS = ("multi-head", "grouped", "multi-query", "latent", "differential")


def cases() -> list[dict[str, Any]]:
    return [{"kind": kind, "seed": seed} for seed in range(3) for kind in KINDS]


def attention(kind: str) -> nn.Module:
    """Eight query heads of size 8; two groups, or a latent of 24 with a rotated part of 8, cache 32 numbers each."""
    if kind == "latent":
        return LatentAttention(D_MODEL, HEADS, latent_size=24, rotary_size=8)
    if kind == "differential":
        return DifferentialAttention(D_MODEL, HEADS // 2)
    return GroupedAttention(D_MODEL, HEADS, {"multi-head": HEADS, "grouped": 2, "multi-query": 1}[kind])


def measure(kind: str, seed: int, lr: float = RATE) -> dict[str, Any]:
    torch.manual_seed(seed)
    model = LanguageModel(
        vocab_size(), D_MODEL, [Block(D_MODEL, attention(kind), SwiGLU(D_MODEL, 86)) for _ in range(LAYERS)]
    )
    fit(model, seed, lr)
    with torch.no_grad():
        _, kept = model(torch.zeros(1, 10, dtype=torch.int64))
    numbers = sum(part.numel() for layer in kept for part in layer) // 10 // LAYERS
    return {**judge(model), "kept": numbers}
