"""Corpora: training pairs and held-out examples."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from attnbook._internal.validate import check_counts, check_range
from attnbook.data.languages import Target
from attnbook.data.pairs import Pair
from attnbook.data.subwords import Subwords
from attnbook.data.vocabulary import TokenizerLike, Vocabulary


@dataclass(frozen=True)
class Example:
    """One source sentence and all of its reference translations.

    Args:
        pairs: at least one, all with the same source.

    Raises:
        TypeError: ``pairs`` is not a sequence of ``Pair``.
        ValueError: there is no pair, or the sources differ.
    """

    pairs: tuple[Pair, ...]

    def __post_init__(self) -> None:
        pairs = tuple(self.pairs) if isinstance(self.pairs, Iterable) else ()
        if not isinstance(self.pairs, Iterable) or not all(isinstance(pair, Pair) for pair in pairs):
            raise TypeError(f"pairs must be a sequence of Pair, got {self.pairs!r}")
        object.__setattr__(self, "pairs", pairs)
        sources = list(dict.fromkeys(pair.source for pair in pairs))
        if len(sources) != 1:
            raise ValueError(f"pairs must all have the same source, got {len(sources)} sources {sources[:2]}")

    @property
    def source(self) -> tuple[str, ...]:
        """Source tokens."""
        return self.pairs[0].source

    @property
    def references(self) -> tuple[tuple[str, ...], ...]:
        """Target tokens of every reference."""
        return tuple(pair.target for pair in self.pairs)


@dataclass(frozen=True)
class Corpus:
    """Training pairs, and held-out examples whose sources occur in no training pair.

    Args:
        train: the training pairs.
        held_out: examples by set: "valid" for model selection, "test" for reported results, and
            "composition" if available.
        attribution: source and license of the text; empty if it was made for this book.

    Example:
        >>> from attnbook.data.corpus import grammar_corpus
        >>> corpus = grammar_corpus("french", train=200, composition=0)
        >>> len(corpus.train), " ".join(corpus.train[0].source)
        (200, "she 's nervous because she 's going to travel this evening .")
    """

    train: Sequence[Pair]
    held_out: Mapping[str, Sequence[Example]]
    attribution: str = ""

    @property
    def sha256(self) -> str:
        """SHA-256 of the sentences of ``train``, which identifies the training pairs, but not the held-out sets."""
        digest = hashlib.sha256()
        for pair in self.train:
            digest.update(f"{' '.join(pair.source)}\t{' '.join(pair.target)}\n".encode())
        return digest.hexdigest()

    def up_to(self, max_length: int) -> Corpus:
        """Return the corpus without pairs whose source or target has more than ``max_length`` tokens.

        A held-out example is dropped if any of its references is longer.

        Raises:
            ValueError: no training pair is left, or ``max_length`` is not an integer >= 1.
        """
        check_counts(max_length=max_length)

        def short(pair: Pair) -> bool:
            return max(len(pair.source), len(pair.target)) <= max_length

        train = [pair for pair in self.train if short(pair)]
        check_range("max_length", max_length, bool(train), f"larger (each of {len(self.train)} pairs is longer)")
        held_out = {name: [e for e in found if all(map(short, e.pairs))] for name, found in self.held_out.items()}
        return Corpus(train, held_out, self.attribution)

    def vocabularies(
        self, *, subwords: int | None = None, min_count: int = 1, shared: bool = False
    ) -> tuple[TokenizerLike, TokenizerLike]:
        """Build the source and the target vocabulary from the training pairs.

        Args:
            subwords: size of byte-pair vocabularies; None builds vocabularies of words.
            min_count: rarer words become ``<unk>``. Not with ``subwords``, whose size limits the vocabulary.
            shared: whether both sides share one vocabulary, which is then returned twice.

        Raises:
            ValueError: ``subwords`` and ``min_count`` are given; see also ``Vocabulary.build`` and ``Subwords.build``.
        """
        check_range("min_count", min_count, subwords is None or min_count == 1, "omitted with subwords")
        sides = [[getattr(pair, side) for pair in self.train] for side in ("source", "target")]
        vocabularies: list[TokenizerLike] = [
            Vocabulary.build(side, min_count=min_count) if subwords is None else Subwords.build(side, size=subwords)
            for side in ([[*sides[0], *sides[1]]] if shared else sides)
        ]
        return vocabularies[0], vocabularies[-1]


def split_key(source: Sequence[str]) -> str:
    """Normalize a source sentence to letters and digits; sentences with equal keys belong to the same split."""
    text = unicodedata.normalize("NFKC", " ".join(source)).casefold()
    return " ".join(re.findall(r"[^\W_]+", text))


def grammar_corpus(target: Target, *, train: int, composition: int = 1000) -> Corpus:
    """Generate a corpus from the grammar, with gold alignments; "valid" and "test" have 1000 examples each.

    Args:
        target: "french" or "chinese"; the source is English.
        train: number of training pairs.
        composition: number of examples in "composition"; 0 leaves the set out.

    Raises:
        ValueError: see ``splits``.
    """
    from attnbook.data import grammar  # imported here because its tables are large

    made = grammar.splits(train=train, composition=composition, target=target)
    sets = {"valid": made.valid, "test": made.test, "composition": made.composition}
    return Corpus(made.train, {name: [Example((pair,)) for pair in pairs] for name, pairs in sets.items() if pairs})
