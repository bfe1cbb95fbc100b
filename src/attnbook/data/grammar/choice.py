"""How the rules choose: at random for a sample, or among what a given English sentence allows for a lookup."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import Protocol, TypeVar

from attnbook.data.grammar.entries import Entry

T = TypeVar("T")


class DeadEndError(Exception):
    """A choice has no option left; the derivation is given up."""


class Chooser(Protocol):
    """Takes every decision of a derivation. An option that stands twice among the options weighs double."""

    def pick(self, options: Sequence[T]) -> T:
        """One of the options.

        Raises:
            DeadEndError: there is none.
        """

    def flip(self, probability: float) -> bool:
        """Yes with ``probability``."""


class RandomChooser:
    """Draws every decision. ``random()`` alone is used: its numbers are the same in every version of Python."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def pick(self, options: Sequence[T]) -> T:
        if not options:
            raise DeadEndError
        return options[int(self._random() * len(options))]

    def flip(self, probability: float) -> bool:
        return self._random() < probability


class SearchChooser:
    """Replays a prefix of decisions, then takes the first option at each step, and remembers how many there were.

    Lexicon entries whose English words are not left in the sentence are no options.
    """

    def __init__(self, tokens: Sequence[str], prefix: Sequence[int]) -> None:
        self._left = Counter(tokens)
        self._prefix = prefix
        self.taken: list[int] = []
        self.widths: list[int] = []

    def pick(self, options: Sequence[T]) -> T:
        distinct = [option for option in dict.fromkeys(options) if self._spelling(option) is not None]
        if not distinct:
            raise DeadEndError
        option = distinct[self._decide(len(distinct))]
        self._left.subtract(self._spelling(option) or ())
        return option

    def flip(self, probability: float) -> bool:
        return 0.0 < probability and self._decide(2) == 1

    def next_prefix(self) -> list[int] | None:
        """The decisions to replay for the next derivation; None after the last one."""
        taken = list(self.taken)
        while taken:
            if taken[-1] + 1 < self.widths[len(taken) - 1]:
                return [*taken[:-1], taken[-1] + 1]
            taken.pop()
        return None

    def _decide(self, width: int) -> int:
        depth = len(self.taken)
        choice = self._prefix[depth] if depth < len(self._prefix) else 0
        self.taken.append(choice)
        self.widths.append(width)
        return choice

    def _spelling(self, option: object) -> tuple[str, ...] | None:
        """The spelling of ``option`` that the words left allow; empty for what English does not spell."""
        if not isinstance(option, Entry):
            return ()
        for spelling in option.english or ((),):
            if all(self._left[word] > 0 for word in spelling):
                return spelling
        return None
