"""One sentence pair: the unit that every corpus yields and every page shows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """A source sentence, its reference translation and, where it is known, the gold word alignment.

    Args:
        source: source tokens.
        target: target tokens.
        alignment: links ``(source index, target index)``; None where no gold alignment exists.
        phenomena: names of the grammatical phenomena in the sentence, for scores by phenomenon.

    Raises:
        ValueError: a sentence has no token, or a link points outside its sentence.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    alignment: frozenset[tuple[int, int]] | None = None
    phenomena: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for side in ("source", "target"):
            if not getattr(self, side):
                raise ValueError(f"{side} has no token: wanted at least one")
        for i, j in self.alignment or ():
            if not (0 <= i < len(self.source) and 0 <= j < len(self.target)):
                raise ValueError(
                    f"alignment has the link {(i, j)}: wanted a source index below {len(self.source)} "
                    f"and a target index below {len(self.target)}"
                )
