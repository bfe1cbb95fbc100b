"""The corpora of the long runs, with their vocabularies."""

from __future__ import annotations

from collections.abc import Callable

from attnbook.data import Corpus, TokenizerLike, tatoeba
from attnbook.data.corpus import grammar_corpus

Vocabularies = tuple[TokenizerLike, TokenizerLike]

TRAIN = 50_000  # training pairs from the grammar


def _grammar(target: str) -> tuple[Corpus, Vocabularies]:
    corpus = grammar_corpus(target, train=TRAIN)
    return corpus, corpus.vocabularies()


def _tatoeba(
    language: str, *, min_count: int = 1, subwords: int | None = None, shared: bool = False
) -> tuple[Corpus, Vocabularies]:
    corpus = tatoeba.load(language)
    return corpus, corpus.vocabularies(min_count=min_count, subwords=subwords, shared=shared)


CORPORA: dict[str, Callable[[], tuple[Corpus, Vocabularies]]] = {
    "grammar-french": lambda: _grammar("french"),
    "grammar-chinese": lambda: _grammar("chinese"),
    "tatoeba-french": lambda: _tatoeba("french", min_count=6),
    "tatoeba-french-bpe": lambda: _tatoeba("french", subwords=6000),
    "tatoeba-french-shared": lambda: _tatoeba("french", subwords=6000, shared=True),
    "tatoeba-chinese": lambda: _tatoeba("chinese", min_count=2),
}
