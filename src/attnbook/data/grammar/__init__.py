"""A synchronous grammar: one abstract sentence, said in English, French and Chinese, and aligned word by word."""

from attnbook.data.grammar.corpus import Sentence, Splits, derivations, find, sample, splits
from attnbook.data.grammar.notes import PHENOMENA
from attnbook.data.grammar.text import join, tokenize

__all__ = [
    "PHENOMENA", "Sentence", "Splits", "derivations", "find", "join", "sample", "splits", "tokenize",
]  # fmt: skip
