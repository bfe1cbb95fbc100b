"""Attention, from its first idea to a Transformer that translates.

What most people need is here: ``from attnbook import Transformer, train, translate``. A name is loaded when it is first
asked for, and with it no more than it needs. Everything else lives in one module per idea, in the order of the chapters
of The Attention Book. A module may import those above it in this list and never those below::

    checks, extras, trees, files, distributed, masks, pooling, scoring, positional, multihead, data,
    encoder_decoder, recurrent, bahdanau, luong, transformer_layers, transformer, causal_attention,
    language_model, tensor_file, checkpoint, page_export, optim, trainer, training, search, decoding, alignment,
    metrics, evaluation, explicit, functions, watching, recording, attribution, intervening, switching, widgets,
    colours, figures, plots, glue, results, d2l_compat, options, runs, cli, __main__
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnbook.bahdanau import Bahdanau
    from attnbook.checkpoint import load_model, save_checkpoint
    from attnbook.data import Batch, Batches, Pair, Subwords, Vocabulary
    from attnbook.decoding import translate
    from attnbook.luong import Luong
    from attnbook.masks import causal_mask, combine_masks, lengths_to_mask, masked_softmax
    from attnbook.multihead import MultiHeadAttention
    from attnbook.positional import LearnedPositions, RotaryPositions, SinusoidalPositions
    from attnbook.recording import record_attention
    from attnbook.recurrent import Seq2Seq
    from attnbook.scoring import AdditiveAttention, DotProductAttention, GeneralAttention
    from attnbook.training import train
    from attnbook.transformer import Transformer
    from attnbook.widgets.attention_view import AttentionView
    from attnbook.widgets.from_weights import attention_view

__version__ = "0.1.0"

_HOMES = {
    "attnbook.masks": ("causal_mask", "combine_masks", "lengths_to_mask", "masked_softmax"),
    "attnbook.scoring": ("AdditiveAttention", "DotProductAttention", "GeneralAttention"),
    "attnbook.multihead": ("MultiHeadAttention",),
    "attnbook.positional": ("LearnedPositions", "RotaryPositions", "SinusoidalPositions"),
    "attnbook.data": ("Batch", "Batches", "Pair", "Subwords", "Vocabulary"),
    "attnbook.recurrent": ("Seq2Seq",),
    "attnbook.bahdanau": ("Bahdanau",),
    "attnbook.luong": ("Luong",),
    "attnbook.transformer": ("Transformer",),
    "attnbook.checkpoint": ("load_model", "save_checkpoint"),
    "attnbook.training": ("train",),
    "attnbook.decoding": ("translate",),
    "attnbook.recording": ("record_attention",),
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
