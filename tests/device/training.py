"""Small models and the pairs that they are trained on, for either device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from attnbook.data import Batches, Example, Vocabulary, grammar
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import Luong
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer

PAIRS = sorted(grammar.sample(60, seed=1), key=lambda pair: len(pair.source) + len(pair.target))[:12]
EXAMPLES = [Example((pair,)) for pair in PAIRS[:6]]
SOURCE, TARGET = (Vocabulary.build([getattr(pair, side) for pair in PAIRS]) for side in ("source", "target"))
SIZES = {"embed_size": 8, "num_hiddens": 8}
MODELS: dict[str, Callable[..., EncoderDecoder]] = {
    "seq2seq": lambda **options: Seq2Seq(len(SOURCE), len(TARGET), **SIZES, bidirectional=True, **options),
    "bahdanau": lambda **options: Bahdanau(len(SOURCE), len(TARGET), **SIZES, num_layers=2, **options),
    "luong": lambda **options: Luong(len(SOURCE), len(TARGET), **SIZES, window="local-p", half_width=2, **options),
    "transformer": lambda **options: Transformer(
        len(SOURCE), len(TARGET), d_model=8, num_heads=2, d_ff=8, num_layers=2, **options
    ),
}


def make(family: str, dtype: torch.dtype = torch.float64, *, dropout: float = 0.0, **options: Any) -> EncoderDecoder:
    """Build a model with the same weights each time. In double precision Adam does not amplify rounding errors."""
    torch.manual_seed(0)
    return MODELS[family](dropout=dropout, **options).to(dtype)


def batches() -> Batches:
    return Batches(PAIRS, SOURCE, TARGET, batch_size=3, seed=3)
