"""A sentence rendered in one language: its words, each with the parts of meaning it expresses."""

from __future__ import annotations

from collections.abc import Iterable

from attnbook.data.grammar.entries import Pieces

Word = tuple[str, tuple[str, ...]]


class Line:
    """Words in order, each with the keys of the parts of meaning it expresses, and the names of phenomena.

    A key names one part of the abstract sentence ("object.noun", "tense", "negation"). Two words of different
    languages are aligned if and only if they share a key.
    """

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.notes: set[str] = set()

    def add(self, text: str, *keys: str) -> None:
        """Append the words of ``text``, each with ``keys``. An empty text adds nothing."""
        for form in text.split():
            self.words.append((form, keys))

    def add_pieces(self, pieces: Pieces, role: str) -> None:
        """Append the words of a fixed expression, each with the keys of its parts: ``role`` and a digit."""
        for form, digits in pieces:
            self.words.append((form, tuple(role + digit for digit in digits)))

    def extend(self, words: Iterable[Word]) -> None:
        """Append words that are already keyed."""
        self.words.extend(words)

    @property
    def tokens(self) -> tuple[str, ...]:
        return tuple(form for form, _ in self.words)


def align(source: Line, target: Line) -> frozenset[tuple[int, int]]:
    """Return the links ``(source index, target index)`` between words that share a key."""
    positions: dict[str, list[int]] = {}
    for j, (_, keys) in enumerate(target.words):
        for key in keys:
            positions.setdefault(key, []).append(j)
    return frozenset((i, j) for i, (_, keys) in enumerate(source.words) for key in keys for j in positions.get(key, ()))
