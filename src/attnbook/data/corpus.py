"""What to train on and what to be scored on, in one shape for every corpus."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from attnbook._internal.validate import check_counts, check_range
from attnbook.data.pairs import Pair
from attnbook.data.subwords import Subwords
from attnbook.data.vocabulary import TokenizerLike, Vocabulary


@dataclass(frozen=True)
class Example:
    """One source sentence to translate, and every translation that the corpus knows.

    Args:
        pairs: at least one, all with the same source.

    Raises:
        TypeError, ValueError: they are something else.
    """

    pairs: tuple[Pair, ...]

    def __post_init__(self) -> None:
        pairs = tuple(self.pairs) if isinstance(self.pairs, Iterable) else ()
        if not isinstance(self.pairs, Iterable) or not all(isinstance(pair, Pair) for pair in pairs):
            raise TypeError(f"pairs must be a sequence of Pair, got {self.pairs!r}")
        object.__setattr__(self, "pairs", pairs)
        sources = list(dict.fromkeys(tuple(pair.source) for pair in self.pairs))
        if len(sources) != 1:
            raise ValueError(f"pairs must all have the same source, got {len(sources)} sources {sources[:2]}")

    @property
    def source(self) -> tuple[str, ...]:
        """Source tokens."""
        return self.pairs[0].source

    @property
    def references(self) -> tuple[tuple[str, ...], ...]:
        """The target tokens of every translation."""
        return tuple(pair.target for pair in self.pairs)


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs to train on, and source sentences to be scored on that occur in no training pair.

    Args:
        train: the pairs to train on.
        held_out: by name, "valid" for choices made while training, "test" for the figures reported, and
            "composition" where there is one.
        attribution: of the text; empty if it was made for this book.
    """

    train: Sequence[Pair]
    held_out: Mapping[str, Sequence[Example]]
    attribution: str = ""

    @property
    def sha256(self) -> str:
        """Of the sentences of ``train``, to know the corpus again."""
        digest = hashlib.sha256()
        for pair in self.train:
            digest.update(f"{' '.join(pair.source)}\t{' '.join(pair.target)}\n".encode())
        return digest.hexdigest()

    def up_to(self, max_length: int) -> Corpus:
        """Without the pairs of which one side has more tokens.

        Raises:
            ValueError: no training pair is left.
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
        """Of source and target, from the training pairs alone.

        Args:
            subwords: size of a byte-pair vocabulary; None: vocabularies of words.
            min_count: rarer words become ``<unk>``.
            shared: one vocabulary for both, given twice.

        Raises:
            ValueError: see ``build`` and ``build``.
        """
        sides = [[getattr(pair, side) for pair in self.train] for side in ("source", "target")]
        codecs: list[TokenizerLike] = [
            Vocabulary.build(side, min_count=min_count) if subwords is None else Subwords.build(side, size=subwords)
            for side in ([[*sides[0], *sides[1]]] if shared else sides)
        ]
        return codecs[0], codecs[-1]


def split_key(source: Sequence[str]) -> str:
    """What two source sentences share if they must not stand on both sides of a split: letters and digits only."""
    text = unicodedata.normalize("NFKC", " ".join(source)).casefold()
    return " ".join(re.findall(r"[^\W_]+", text))


def embedded(target: str, *, train: int, composition: int = 1000) -> Corpus:
    """The grammar's sentences, with gold alignments; 1000 in "valid" and in "test".

    Args:
        target: "french" or "chinese"; the source is English.
        train: pairs to train on.
        composition: examples in that set; no such set if 0.

    Raises:
        ValueError: see ``splits``.
    """
    from attnbook.data import grammar  # its tables are large, and whoever reads another corpus needs none

    made = grammar.splits(train=train, composition=composition, target=target)
    sets = {"valid": made.valid, "test": made.test, "composition": made.composition}
    return Corpus(made.train, {name: [Example((pair,)) for pair in pairs] for name, pairs in sets.items() if pairs})
