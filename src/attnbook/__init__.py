"""Attention, from its first idea to a Transformer that translates.

The public names are here: ``from attnbook import Transformer, train, translate``. Each name is loaded on first use, so
``import attnbook`` is fast. The modules behind them are grouped into rooms; a room imports only rooms below it::

    cli           the attnbook command
    widgets       interactive views, live in a notebook and on static pages
    translation   search, translate, metrics, alignment
    training      the training loop, optimizers, checkpoints       observe   recording and changing attention
    models        Seq2Seq, Bahdanau, Luong, Transformer, language models
    data          vocabularies, batches, corpora
    attention     masks, pooling, scores, positions, multi-head attention
    pages         what only the pages of the book need
    _internal     validation, atomic files, optional packages
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnbook.attention.masks import causal_mask, combine_masks, lengths_to_mask, masked_softmax
    from attnbook.attention.multihead import MultiHeadAttention
    from attnbook.attention.positional import LearnedPositions, RotaryPositions, SinusoidalPositions
    from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention
    from attnbook.data import Batch, Batches, Pair, Subwords, Vocabulary
    from attnbook.models.bahdanau import Bahdanau
    from attnbook.models.luong import Luong
    from attnbook.models.seq2seq import Seq2Seq
    from attnbook.models.transformer import Transformer
    from attnbook.observe.recorder import record_attention
    from attnbook.training.checkpoint import load_model, save_checkpoint
    from attnbook.training.loop import train
    from attnbook.translation.translate import translate
    from attnbook.widgets.attention_view import AttentionView
    from attnbook.widgets.from_weights import attention_view

__version__ = "0.1.0"

_HOMES = {
    "attnbook.attention.masks": ("causal_mask", "combine_masks", "lengths_to_mask", "masked_softmax"),
    "attnbook.attention.scoring": ("AdditiveAttention", "DotProductAttention", "GeneralAttention"),
    "attnbook.attention.multihead": ("MultiHeadAttention",),
    "attnbook.attention.positional": ("LearnedPositions", "RotaryPositions", "SinusoidalPositions"),
    "attnbook.data": ("Batch", "Batches", "Pair", "Subwords", "Vocabulary"),
    "attnbook.models.seq2seq": ("Seq2Seq",),
    "attnbook.models.bahdanau": ("Bahdanau",),
    "attnbook.models.luong": ("Luong",),
    "attnbook.models.transformer": ("Transformer",),
    "attnbook.training.checkpoint": ("load_model", "save_checkpoint"),
    "attnbook.training.loop": ("train",),
    "attnbook.translation.translate": ("translate",),
    "attnbook.observe.recorder": ("record_attention",),
    "attnbook.widgets.attention_view": ("AttentionView",),
    "attnbook.widgets.from_weights": ("attention_view",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AdditiveAttention",
    "AttentionView",
    "Bahdanau",
    "Batch",
    "Batches",
    "DotProductAttention",
    "GeneralAttention",
    "LearnedPositions",
    "Luong",
    "MultiHeadAttention",
    "Pair",
    "RotaryPositions",
    "Seq2Seq",
    "SinusoidalPositions",
    "Subwords",
    "Transformer",
    "Vocabulary",
    "attention_view",
    "causal_mask",
    "combine_masks",
    "lengths_to_mask",
    "load_model",
    "masked_softmax",
    "record_attention",
    "save_checkpoint",
    "train",
    "translate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'attnbook' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
