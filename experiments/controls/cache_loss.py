"""Chapters 10 and 11: how do a smaller cache and differential attention change the loss of a language model?"""

from __future__ import annotations

from torch import nn

from attnbook.attention.causal import DifferentialAttention, GroupedAttention, LatentAttention
from attnbook.models.language_model import Block, LanguageModel, SwiGLU
from experiments.compare import Comparison, Trial
from experiments.controls.decoders import D_MODEL, HEADS, LAYERS, SPLIT, text_trial
from experiments.controls.translating import frequent_words


def attention(kind: str) -> nn.Module:
    """Eight query heads of size 8; two groups, or a latent of 24 with a rotated part of 8, cache 32 numbers each."""
    if kind == "latent":
        return LatentAttention(D_MODEL, HEADS, latent_size=24, rotary_size=8)
    if kind == "differential":
        return DifferentialAttention(D_MODEL, HEADS // 2)
    return GroupedAttention(D_MODEL, HEADS, {"multi-head": HEADS, "grouped": 2, "multi-query": 1}[kind])


def build(task: str, contestant: str, seed: int) -> Trial:
    blocks = [Block(D_MODEL, attention(contestant), SwiGLU(D_MODEL, 86)) for _ in range(LAYERS)]
    return text_trial(LanguageModel(sum(frequent_words().sizes), D_MODEL, blocks), seed)


COMPARISON = Comparison(
    question="What do shared keys and values, a latent vector and differential attention change in a language model?",
    contestants={
        "multi-head": "8 heads with keys and values of their own: 128 numbers per token and layer in the cache",
        "grouped": "8 query heads, 2 heads of keys and values: 32 numbers",
        "multi-query": "8 query heads, 1 head of keys and values: 16 numbers",
        "latent": "keys and values made from a latent vector of 24, and a rotated part of 8: 32 numbers",
        "differential": "4 heads, each the difference of two softmaxes: 128 numbers",
    },
    differs="how keys and values are made",
    same="two layers of d_model 64, RMS norm, rotary positions, SwiGLU, texts, batches of 64, optimizer",
    refuted_by="intervals of the paired differences that all contain zero",
    split=SPLIT,
    metric="french",
    unit="nats per token of the French half",
    higher_is_better=False,
    steps=400,
    rates=(2e-3, 5e-3, 1.25e-2, 3e-2),
    tolerance=0.002,
    build=build,
)
