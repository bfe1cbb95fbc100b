"""Small language models with random weights, one for each part that the page's engine knows."""

from __future__ import annotations

import torch
from torch import nn

from attnbook.attention.causal import GroupedAttention
from attnbook.models.language_model import Block, LanguageModel, SwiGLU
from attnbook.models.transformer import FeedForward

VOCABULARY = 13
KINDS = ("plain", "rotary", "grouped", "today")


def build_language_model(kind: str, *, vocab_size: int = VOCABULARY, seed: int = 0) -> LanguageModel:
    """Two layers of size 16 with four heads; the weights are large enough to make peaked distributions."""
    torch.manual_seed(seed)
    groups, rotary, today = (4 if kind in ("plain", "rotary") else 2), kind in ("rotary", "today"), kind == "today"
    norm = nn.RMSNorm if today else nn.LayerNorm
    blocks = (
        Block(
            16,
            GroupedAttention(16, 4, groups, rotary=rotary, qk_norm=today),
            SwiGLU(16, 24) if today else FeedForward(16, 24),
            norm,
        )
        for _ in range(2)
    )
    model = LanguageModel(vocab_size, 16, blocks, sinusoidal=not rotary, norm=norm)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return model.eval()


def random_draft(vocab_size: int = VOCABULARY, seed: int = 1) -> torch.Tensor:
    """``(vocab_size, vocab_size)``, a distribution in each row."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(vocab_size, vocab_size, generator=generator).softmax(-1)
