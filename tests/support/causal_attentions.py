"""One causal attention of every kind, for tokens of size 16."""

from __future__ import annotations

from collections.abc import Callable

from torch import nn

from attnbook.attention.causal import DifferentialAttention, GroupedAttention, LatentAttention

KINDS: dict[str, Callable[[], nn.Module]] = {
    "multi-head": lambda: GroupedAttention(16, 4, 4),
    "grouped": lambda: GroupedAttention(16, 4, 2, qk_norm=True),
    "multi-query": lambda: GroupedAttention(16, 4, 1, rotary=False),
    "latent": lambda: LatentAttention(16, 4, latent_size=6, rotary_size=4),
    "differential": lambda: DifferentialAttention(16, 2),
}
