"""Choosers make the decisions of a derivation: at random, or by searching for a given English sentence."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar, cast

from attnbook.data.grammar.entries import Entry

T = TypeVar("T")


class DeadEndError(Exception):
    """Raised if a choice has no option; the derivation is abandoned."""


def weighted(weights: Mapping[T, int]) -> tuple[T, ...]:
    """Repeat each option as often as its weight."""
    return tuple(option for option, weight in weights.items() for _ in range(weight))


class Chooser(Protocol):
    """Makes every decision of a derivation. An option that occurs twice counts double."""

    def pick(self, options: Sequence[T]) -> T:
        """Choose one of the options.

        Raises:
            DeadEndError: there is no option.
        """

    def flip(self, probability: float) -> bool:
        """Return True with this probability."""


class RandomChooser:
    """Decides at random. It uses only ``random()``, whose numbers are the same in every version of Python."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def pick(self, options: Sequence[T]) -> T:
        if not options:
            raise DeadEndError
        return options[int(self._random() * len(options))]

    def flip(self, probability: float) -> bool:
        return self._random() < probability


class SearchChooser:
    """Enumerates all derivations that a given sentence allows.

    A lexicon entry is an option only if its English words remain in the sentence. After each derivation, ``advance``
    moves on to the next one.

    Args:
        tokens: the English sentence.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._words = Counter(tokens)
        self._left = Counter(tokens)
        self._taken: list[int] = []
        self._widths: list[int] = []
        self._depth = 0
        self._possible: dict[int, tuple[Sequence[object], list[object]]] = {}

    def pick(self, options: Sequence[T]) -> T:
        found = [(option, spelling) for option in self._fitting(options) for spelling in self._spelled(option)]
        if not found:
            raise DeadEndError
        option, spelling = found[self._decide(len(found))]
        self._left.subtract(spelling)
        return option

    def flip(self, probability: float) -> bool:
        return probability > 0.0 and self._decide(2) == 1

    def advance(self) -> bool:
        """Prepare the next derivation, and return whether there is one."""
        del self._taken[self._depth :], self._widths[self._depth :]
        while self._taken and self._taken[-1] + 1 == self._widths[-1]:
            self._taken.pop()
            self._widths.pop()
        if not self._taken:
            return False
        self._taken[-1] += 1
        self._left, self._depth = self._words.copy(), 0
        return True

    def _decide(self, width: int) -> int:
        if self._depth == len(self._taken):
            self._taken.append(0)
            self._widths.append(width)
        self._depth += 1
        return self._taken[self._depth - 1]

    def _fitting(self, options: Sequence[T]) -> list[T]:
        """The distinct options that the sentence can spell. Options are stored, so that their ids stay valid."""
        if id(options) not in self._possible:
            kept = [o for o in dict.fromkeys(options) if not isinstance(o, Entry) or self._within(o, self._words)]
            self._possible[id(options)] = options, list(kept)
        return cast("list[T]", self._possible[id(options)][1])

    def _spelled(self, option: object) -> Sequence[tuple[str, ...]]:
        """Spellings of ``option`` that the remaining words allow; an empty one if it is not an entry."""
        return self._within(option, self._left) if isinstance(option, Entry) else ((),)

    @staticmethod
    def _within(entry: Entry, words: Counter[str]) -> list[tuple[str, ...]]:
        if not entry.english:
            return [()]
        return [spelling for spelling in dict.fromkeys(entry.english) if all(words[word] > 0 for word in spelling)]
