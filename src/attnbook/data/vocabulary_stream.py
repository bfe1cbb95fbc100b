"""Vocabularies from words that were counted while they went by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from attnbook.data.subwords import Subwords
from attnbook.data.vocabulary import SPECIALS, UNK, TokenizerLike, Vocabulary

MOST_WORDS = 100_000  # in a vocabulary
MOST_COUNTED = 2_000_000  # different words; beyond, those that were seen once are forgotten
SUBWORD_SAMPLE = 10_000_000  # tokens from which pieces are learned
CACHE = 1 << 18  # tokens whose pieces are remembered

Encoder = Callable[[Sequence[str]], list[int]]


def drop_rare_words(count: Counter[str]) -> None:
    """Drop the words that were seen once, where there are more than ``MOST_COUNTED``."""
    if len(count) <= MOST_COUNTED:
        return
    for word in [word for word, number in count.items() if number == 1]:
        del count[word]


def build_vocabulary(count: Counter[str], least: int) -> Vocabulary:
    """The vocabulary of the words that occur so often, at most ``MOST_WORDS``, the most frequent first.

    Raises:
        ValueError: no word is so frequent.
    """
    frequent = [word for word, number in count.items() if number >= least]
    if not frequent:
        raise ValueError(f"min_count must be smaller, got {least}: none of {len(count):,} words occurs that often")
    return Vocabulary(tuple(sorted(frequent, key=lambda word: (-count[word], word))[:MOST_WORDS]))


def build_subwords(count: Counter[str], size: int) -> Subwords:
    """Byte pairs, learned from all words as often as they occur, or in proportion where that is too often."""
    factor = min(1.0, SUBWORD_SAMPLE / count.total())
    # In one order whatever the file's was, and equal words together: the sentence of a word is of no account.
    return Subwords.build(([word] * max(1, round(factor * count[word])) for word in sorted(count)), size=size)


def fast_encoder(vocabulary: TokenizerLike) -> Encoder:
    """Its ``encode`` without checks; for pieces it remembers those of a word, whatever the words beside it."""
    if isinstance(vocabulary, Vocabulary):
        ids = {word: i for i, word in enumerate(vocabulary.words, start=len(SPECIALS))}
        return lambda tokens: [ids.get(token, UNK) for token in tokens]

    @lru_cache(maxsize=CACHE)
    def pieces_of(token: str) -> list[int]:
        return vocabulary.encode([token])

    return lambda tokens: [i for token in tokens for i in pieces_of(token)]
