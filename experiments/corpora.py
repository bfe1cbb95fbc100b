"""The corpora in one shape: pairs to train on, sentences to be scored on, and the two vocabularies."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from attnbook.data import Codec, Pair, Subwords, Vocabulary, grammar, tatoeba


@dataclass(frozen=True)
class HeldOut:
    """Source sentences, and every reference translation of each.

    Args:
        examples: for each source sentence its pairs, which have the same source.
    """

    examples: tuple[tuple[Pair, ...], ...]

    @property
    def sources(self) -> list[tuple[str, ...]]:
        return [pairs[0].source for pairs in self.examples]

    @property
    def references(self) -> list[list[tuple[str, ...]]]:
        return [[pair.target for pair in pairs] for pairs in self.examples]

    @property
    def pairs(self) -> list[Pair]:
        return [pair for pairs in self.examples for pair in pairs]

    @property
    def aligned(self) -> bool:
        """Whether gold alignments are known."""
        return all(pair.alignment is not None for pair in self.pairs)


@dataclass(frozen=True)
class Corpus:
    """What a run needs.

    Args:
        train: pairs to train on.
        held_out: by name, sentences to be scored on: "valid", "test", and "composition" where there is one.
        source_vocabulary, target_vocabulary: made from ``train``.
        attribution: of the text; empty if it was made for this book.
        words: the vocabularies are of whole words, so that alignments can be scored.
    """

    train: tuple[Pair, ...]
    held_out: dict[str, HeldOut]
    source_vocabulary: Codec
    target_vocabulary: Codec
    attribution: str = ""
    words: bool = True

    @property
    def sha256(self) -> str:
        """Of the sentences of ``train``, to know the corpus again."""
        digest = hashlib.sha256()
        for pair in self.train:
            digest.update(f"{' '.join(pair.source)}\t{' '.join(pair.target)}\n".encode())
        return digest.hexdigest()


def embedded(target: str) -> Corpus:
    """The grammar's sentences: 50,000 pairs to train on, and 1000 in each other set."""
    splits = grammar.splits(train=50_000, target=target)
    held_out = {name: HeldOut(tuple((p,) for p in getattr(splits, name))) for name in ("valid", "test", "composition")}
    source, target_words = (_words(splits.train, side, 1) for side in ("source", "target"))
    return Corpus(tuple(splits.train), held_out, source, target_words)


def real(language: str, *, min_count: int = 1, pieces: int = 0) -> Corpus:
    """Tatoeba's sentences.

    Args:
        language: "french" or "chinese".
        min_count: rarer words become ``<unk>``.
        pieces: size of two byte-pair vocabularies; 0: vocabularies of words.
    """
    corpus = tatoeba.load(language)
    held_out = {name: HeldOut(tuple(e.pairs for e in getattr(corpus, name))) for name in ("valid", "test")}
    source, target = (
        _pieces(corpus.train, side, pieces) if pieces else _words(corpus.train, side, min_count)
        for side in ("source", "target")
    )
    return Corpus(corpus.train, held_out, source, target, corpus.attribution, words=not pieces)


def _words(pairs: Sequence[Pair], side: str, min_count: int) -> Codec:
    return Vocabulary.build((getattr(pair, side) for pair in pairs), min_count=min_count)


def _pieces(pairs: Sequence[Pair], side: str, size: int) -> Codec:
    return Subwords.build((getattr(pair, side) for pair in pairs), size=size)


CORPORA: dict[str, Callable[[], Corpus]] = {
    "grammar-french": lambda: embedded("french"),
    "grammar-chinese": lambda: embedded("chinese"),
    "tatoeba-french": lambda: real("french", min_count=6),
    "tatoeba-french-bpe": lambda: real("french", pieces=6000),
    "tatoeba-chinese": lambda: real("chinese", min_count=2),
}
