"""The sentence pair, which every corpus consists of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from attnbook._internal.validate import check_type, is_integer
from attnbook.data.vocabulary import check_tokens


@dataclass(frozen=True)
class Pair:
    """A source sentence, its reference translation and, if known, the gold word alignment.

    Args:
        source: source tokens.
        target: target tokens.
        alignment: links ``(source index, target index)``; None if there is no gold alignment.
        phenomena: names of the grammatical phenomena in the sentence, for scores by phenomenon.

    Raises:
        ValueError: a sentence has no token, or a link points outside its sentence.
        TypeError: a sentence is not a sequence of strings, a link is not a pair of indices, or a phenomenon is not a
            string.

    Example:
        >>> Pair(("good", "morning"), ("bonjour",)).target
        ('bonjour',)
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: frozenset[tuple[int, int]] | None = None
    phenomena: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for side in ("source", "target"):
            tokens = getattr(self, side)
            check_tokens(side, tokens)
            if not tokens:
                raise ValueError(f"{side} must contain at least one token, got none")
            object.__setattr__(self, side, tuple(tokens))
        several = isinstance(self.phenomena, Iterable) and not isinstance(self.phenomena, str)
        names = tuple(self.phenomena) if several else (None,)
        if not all(isinstance(name, str) for name in names):
            raise TypeError(f"phenomena must be a set of names, got {self.phenomena!r}")
        object.__setattr__(self, "phenomena", frozenset(names))
        if self.alignment is None:
            return
        check_type("alignment", self.alignment, isinstance(self.alignment, Iterable), "a set of links")
        links = tuple(self.alignment)
        for link in links:
            if not isinstance(link, tuple | list) or len(link) != 2 or not all(map(is_integer, link)):
                raise TypeError(f"alignment must hold links (source index, target index), got {link!r}")
        object.__setattr__(self, "alignment", frozenset(map(tuple, links)))
        for i, j in links:
            if not (0 <= i < len(self.source) and 0 <= j < len(self.target)):
                raise ValueError(
                    f"alignment must link source index < {len(self.source)} to target index < {len(self.target)}, "
                    f"got {(i, j)}"
                )
