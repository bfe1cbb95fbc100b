"""Vocabularies built from streamed word counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from attnbook.data.subwords import Subwords
from attnbook.data.vocabulary import SPECIALS, UNK, TokenizerLike, Vocabulary, frequent_words

MOST_WORDS = 100_000  # largest vocabulary
MOST_COUNTED = 2_000_000  # largest number of distinct words; above it, the rarest are dropped
SUBWORD_SAMPLE = 10_000_000  # number of tokens to learn subwords from
CACHE = 1 << 18  # number of tokens whose subwords are cached

Encoder = Callable[[Sequence[str]], list[int]]


def drop_rare_words(count: Counter[str]) -> None:
    """If there are more than ``MOST_COUNTED`` words, drop those seen once.

    If more than half of ``MOST_COUNTED`` would be left, keep only that many, the most frequent ones. Otherwise words
    would have to be dropped again after almost every sentence.
    """
    if len(count) <= MOST_COUNTED:
        return
    dropped = [word for word, number in count.items() if number == 1]
    if len(count) - len(dropped) > MOST_COUNTED // 2:
        dropped = [word for word, _ in count.most_common()[MOST_COUNTED // 2 :]]
    for word in dropped:
        del count[word]


def build_vocabulary(count: Counter[str], least: int) -> Vocabulary:
    """Build a vocabulary of the at most ``MOST_WORDS`` words with a count of at least ``least``, most frequent first.

    Raises:
        ValueError: no word is frequent enough.
    """
    return Vocabulary(frequent_words(count, least)[:MOST_WORDS])


def build_subwords(count: Counter[str], size: int) -> Subwords:
    """Learn byte pairs from all words by frequency, scaled down to ``SUBWORD_SAMPLE`` tokens."""
    factor = min(1.0, SUBWORD_SAMPLE / count.total())
    # Sorted, so that the order of the file does not matter.
    return Subwords.build(([word] * max(1, round(factor * count[word])) for word in sorted(count)), size=size)


def fast_encoder(vocabulary: TokenizerLike) -> Encoder:
    """Return a faster ``encode`` of the vocabulary, without checks and with a cache of each word's subwords."""
    if isinstance(vocabulary, Vocabulary):
        ids = {word: i for i, word in enumerate(vocabulary.words, start=len(SPECIALS))}
        return lambda tokens: [ids.get(token, UNK) for token in tokens]

    @lru_cache(maxsize=CACHE)
    def pieces_of(token: str) -> list[int]:
        return vocabulary.encode([token])

    return lambda tokens: [i for token in tokens for i in pieces_of(token)]
