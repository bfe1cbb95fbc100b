"""Attention, from its first idea to a Transformer that translates.

The public names are here: ``from attnbook import Transformer, train, translate``. Each name is loaded on first use, so
``import attnbook`` is fast. The modules behind them are grouped into layers; a layer imports only layers below it::

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
    from attnbook.attention.causal import GroupedAttention
    from attnbook.attention.masks import causal_mask, combine_masks, lengths_to_mask, masked_softmax
    from attnbook.attention.multihead import MultiHeadAttention
    from attnbook.attention.pooling import (
        NadarayaWatson,
        average_pooling,
        gaussian,
        leave_one_out_mask,
        nadaraya_watson,
    )
    from attnbook.attention.positional import LearnedPositions, RotaryPositions, SinusoidalPositions, sinusoidal_table
    from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention
    from attnbook.data import Batch, Batches, Corpus, Pair, Subwords, Vocabulary, collate
    from attnbook.models.bahdanau import Bahdanau
    from attnbook.models.base import EncoderDecoder
    from attnbook.models.language_model import LanguageModel
    from attnbook.models.luong import Luong
    from attnbook.models.seq2seq import Seq2Seq
    from attnbook.models.transformer import AddNorm, DecoderLayer, EncoderLayer, FeedForward, Transformer
    from attnbook.observe.ablation import switched_off
    from attnbook.observe.interventions import Cell, intervening
    from attnbook.observe.recorder import Record, record_attention
    from attnbook.training.checkpoint import load_model, save_checkpoint
    from attnbook.training.loop import train
    from attnbook.training.loss import cross_entropy
    from attnbook.training.optim import linear_decay
    from attnbook.translation.alignment import alignment_error_rate, links_from_weights
    from attnbook.translation.metrics import corpus_bleu, exact_match, perplexity
    from attnbook.translation.search import beam_search, greedy
    from attnbook.translation.translate import Translation, translate
    from attnbook.widgets.attention_view import AttentionView
    from attnbook.widgets.from_weights import attention_view

__version__ = "0.1.0"

_HOMES = {
    "attnbook.attention.masks": ("causal_mask", "combine_masks", "lengths_to_mask", "masked_softmax"),
    "attnbook.attention.pooling": (
        "NadarayaWatson",
        "average_pooling",
        "gaussian",
        "leave_one_out_mask",
        "nadaraya_watson",
    ),
    "attnbook.attention.scoring": ("AdditiveAttention", "DotProductAttention", "GeneralAttention"),
    "attnbook.attention.multihead": ("MultiHeadAttention",),
    "attnbook.attention.causal": ("GroupedAttention",),
    "attnbook.attention.positional": ("LearnedPositions", "RotaryPositions", "SinusoidalPositions", "sinusoidal_table"),
    "attnbook.data": ("Batch", "Batches", "Corpus", "Pair", "Subwords", "Vocabulary", "collate"),
    "attnbook.models.base": ("EncoderDecoder",),
    "attnbook.models.seq2seq": ("Seq2Seq",),
    "attnbook.models.bahdanau": ("Bahdanau",),
    "attnbook.models.luong": ("Luong",),
    "attnbook.models.transformer": ("AddNorm", "DecoderLayer", "EncoderLayer", "FeedForward", "Transformer"),
    "attnbook.models.language_model": ("LanguageModel",),
    "attnbook.training.checkpoint": ("load_model", "save_checkpoint"),
    "attnbook.training.loop": ("train",),
    "attnbook.training.loss": ("cross_entropy",),
    "attnbook.training.optim": ("linear_decay",),
    "attnbook.observe.recorder": ("Record", "record_attention"),
    "attnbook.observe.interventions": ("Cell", "intervening"),
    "attnbook.observe.ablation": ("switched_off",),
    "attnbook.translation.search": ("beam_search", "greedy"),
    "attnbook.translation.translate": ("Translation", "translate"),
    "attnbook.translation.metrics": ("corpus_bleu", "exact_match", "perplexity"),
    "attnbook.translation.alignment": ("alignment_error_rate", "links_from_weights"),
    "attnbook.widgets.attention_view": ("AttentionView",),
    "attnbook.widgets.from_weights": ("attention_view",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AddNorm",
    "AdditiveAttention",
    "AttentionView",
    "Bahdanau",
    "Batch",
    "Batches",
    "Cell",
    "Corpus",
    "DecoderLayer",
    "DotProductAttention",
    "EncoderDecoder",
    "EncoderLayer",
    "FeedForward",
    "GeneralAttention",
    "GroupedAttention",
    "LanguageModel",
    "LearnedPositions",
    "Luong",
    "MultiHeadAttention",
    "NadarayaWatson",
    "Pair",
    "Record",
    "RotaryPositions",
    "Seq2Seq",
    "SinusoidalPositions",
    "Subwords",
    "Transformer",
    "Translation",
    "Vocabulary",
    "alignment_error_rate",
    "attention_view",
    "average_pooling",
    "beam_search",
    "causal_mask",
    "collate",
    "combine_masks",
    "corpus_bleu",
    "cross_entropy",
    "exact_match",
    "gaussian",
    "greedy",
    "intervening",
    "leave_one_out_mask",
    "lengths_to_mask",
    "linear_decay",
    "links_from_weights",
    "load_model",
    "masked_softmax",
    "nadaraya_watson",
    "perplexity",
    "record_attention",
    "save_checkpoint",
    "sinusoidal_table",
    "switched_off",
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
