"""One attention module for each score, with random inputs."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention, ScoredAttention

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
QUERY_SIZE, KEY_SIZE, VALUE_SIZE = 3, 4, 5
KINDS: dict[str, tuple[Callable[[], ScoredAttention], int]] = {
    "additive": (lambda: AdditiveAttention(QUERY_SIZE, KEY_SIZE, 6), KEY_SIZE),
    "general": (lambda: GeneralAttention(QUERY_SIZE, KEY_SIZE), KEY_SIZE),
    "scaled-general": (lambda: GeneralAttention(QUERY_SIZE, KEY_SIZE, scaled=True), KEY_SIZE),
    "dot": (lambda: DotProductAttention(scaled=False), QUERY_SIZE),
    "scaled-dot": (DotProductAttention, QUERY_SIZE),
}


def inputs(kind: str, batch: int, queries: int, keys: int, seed: int = 0) -> tuple[ScoredAttention, list[Tensor]]:
    torch.manual_seed(seed)
    make, key_size = KINDS[kind]
    sizes = ((queries, QUERY_SIZE), (keys, key_size), (keys, VALUE_SIZE))
    return make().double(), [torch.randn(batch, *size, dtype=torch.float64) for size in sizes]
