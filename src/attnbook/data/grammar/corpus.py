"""Sentences of the grammar as pairs: samples, splits, and the derivation of a given English sentence."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

from attnbook._internal.validate import check_range, is_integer
from attnbook.data.grammar import chinese, english, french
from attnbook.data.grammar.choice import Chooser, DeadEndError, RandomChooser, SearchChooser
from attnbook.data.grammar.entries import Noun
from attnbook.data.grammar.line import Line, align
from attnbook.data.grammar.notes import notes
from attnbook.data.grammar.sentences import sentence
from attnbook.data.grammar.syntax import NounPhrase, Tree
from attnbook.data.grammar.text import tokenize
from attnbook.data.languages import Language, Target
from attnbook.data.pairs import Pair
from attnbook.data.vocabulary import check_tokens

LANGUAGES: dict[str, ModuleType] = {"english": english, "french": french, "chinese": chinese}
TARGETS: tuple[Target, ...] = ("french", "chinese")
MAX_LENGTH = 16
HELD_OUT = 8
"""Percentage of word combinations that occur only in the composition set."""


class Sentence:
    """One abstract sentence, rendered in a language on first use.

    Args:
        tree: the abstract sentence.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._lines: dict[Language, Line] = {}

    @cached_property
    def english(self) -> tuple[str, ...]:
        """English tokens."""
        return self._line("english").tokens

    @cached_property
    def french(self) -> tuple[str, ...]:
        """French tokens."""
        return self._line("french").tokens

    @cached_property
    def chinese(self) -> tuple[str, ...]:
        """Chinese tokens."""
        return self._line("chinese").tokens

    @cached_property
    def combinations(self) -> frozenset[tuple[str, str]]:
        """Pairs of an adjective and the noun after it, and of verb and object, in their base forms."""
        found: set[tuple[str, str]] = set()
        for clause in (self.tree.first, self.tree.second):
            if clause is None:
                continue
            place = clause.place.phrase if clause.place else None
            for phrase in (clause.subject, clause.object, clause.recipient, place):
                if phrase is not None and phrase.adjective is not None:
                    found.add((phrase.adjective.word, _name(phrase)))
            if clause.object is not None and isinstance(clause.object.head, Noun):
                found.add((clause.verb.base, _name(clause.object)))
        return frozenset(found)

    def pair(self, target: Target = "french") -> Pair:
        """The English sentence with its translation, gold alignment and phenomena.

        Raises:
            ValueError: ``target`` is neither "french" nor "chinese".
        """
        _check_target(target)
        source, other = self._line("english"), self._line(target)
        return Pair(self.english, other.tokens, align(source, other), notes(self.tree) | frozenset(other.notes))

    def _line(self, language: Language) -> Line:
        if language not in self._lines:
            self._lines[language] = LANGUAGES[language].say(self.tree)
        return self._lines[language]


@dataclass(frozen=True)
class Splits:
    """Four sets of pairs, disjoint by source sentence.

    Args:
        train, valid, test: sentences without the combinations of words that are held out for ``composition``.
        composition: sentences with an adjective before its noun, or a verb with its object, that none of the other sets
            contains, although train contains every word. *The car is red* may be in train if only *a red car* is here.
    """

    train: list[Pair]
    valid: list[Pair]
    test: list[Pair]
    composition: list[Pair]


def derivations(seed: int) -> Iterator[Sentence]:
    """Generate distinct sentences without end; the same seed gives the same sentences on every machine.

    Raises:
        ValueError: ``seed`` is not an integer >= 0.
    """
    _check_count("seed", seed)
    return _derivations(int(seed))


def _derivations(seed: int) -> Iterator[Sentence]:
    chooser, seen = RandomChooser(seed), set()
    while True:
        derived = _derive(chooser)
        if derived is not None and derived.english not in seen:
            seen.add(derived.english)
            yield derived


def sample(count: int, *, seed: int, target: Target = "french") -> list[Pair]:
    """Generate ``count`` distinct pairs.

    Args:
        count: number of pairs.
        seed: random seed; the same seed gives the same pairs on every machine.
        target: "french" or "chinese".

    Raises:
        ValueError: ``count`` or ``seed`` is not an integer >= 0, or ``target`` is neither "french" nor "chinese".
    """
    _check_count("count", count)
    _check_target(target)
    return [derived.pair(target) for derived, _ in zip(derivations(seed), range(count), strict=False)]


def splits(
    *, train: int = 20000, valid: int = 1000, test: int = 1000, composition: int = 1000, seed: int = 0,
    target: Target = "french",
) -> Splits:  # fmt: skip
    """Generate four sets of pairs, disjoint by source sentence.

    Args:
        train, valid, test, composition: number of pairs in each.
        seed: random seed of the sentences and of the held-out combinations.
        target: "french" or "chinese".

    Raises:
        ValueError: a size or ``seed`` is not an integer >= 0, ``target`` is unknown, or ``composition`` is above 0 and
            ``train`` is too small to contain the words it needs.
    """
    sizes = {"train": train, "valid": valid, "test": test, "composition": composition}
    for name, size in sizes.items():
        _check_count(name, size)
    _check_target(target)
    plain: list[Pair] = []
    unseen: list[Pair] = []
    words: set[str] = set()
    num_plain = train + valid + test
    for drawn, derived in enumerate(derivations(seed)):
        if len(plain) == num_plain and len(unseen) >= composition:
            break
        if drawn > 40 * (num_plain + composition) + 1000:
            raise ValueError(f"composition must be smaller for train={train}, got {composition}")
        held = any(_held_out(combination, seed) for combination in derived.combinations)
        if not held and len(plain) < num_plain:
            pair = derived.pair(target)
            plain.append(pair)
            if len(plain) <= train:
                words.update(pair.source, pair.target)
        elif held and len(plain) >= train and len(unseen) < composition:
            pair = derived.pair(target)
            if words.issuperset(pair.source) and words.issuperset(pair.target):
                unseen.append(pair)
    return Splits(plain[:train], plain[train : train + valid], plain[train + valid :], unseen)


def find(text: str | Sequence[str]) -> Sentence | None:
    """The first derivation of an English sentence, given as text or tokens; None if the grammar has none."""
    return next(readings(text), None)


def readings(text: str | Sequence[str]) -> Iterator[Sentence]:
    """Generate every derivation of an English sentence. All of them have the same translations.

    Raises:
        TypeError: ``text`` is neither a string nor a sequence of strings.
    """
    if not isinstance(text, str):
        check_tokens("text", text)
    return _readings(tokenize(text, "english") if isinstance(text, str) else tuple(text))


def _readings(tokens: tuple[str, ...]) -> Iterator[Sentence]:
    chooser = SearchChooser(tokens)
    while True:
        derived = _derive(chooser)
        if derived is not None and derived.english == tokens:
            yield derived
        if not chooser.advance():
            return


def _derive(chooser: Chooser) -> Sentence | None:
    """One derivation, or None if it reached a dead end or is too long."""
    try:
        derived = Sentence(sentence(chooser))
    except DeadEndError:
        return None
    return derived if len(derived.english) <= MAX_LENGTH else None


def _held_out(combination: tuple[str, str], seed: int) -> bool:
    return zlib.crc32(f"{seed} {' '.join(combination)}".encode()) % 100 < HELD_OUT


def _name(phrase: NounPhrase) -> str:
    assert isinstance(phrase.head, Noun)
    return phrase.head.singular


def _check_target(target: object) -> None:
    check_range("target", target, target in TARGETS, f"one of {', '.join(TARGETS)}")


def _check_count(name: str, count: object) -> None:
    allowed = is_integer(count) and count >= 0
    check_range(name, count, allowed, "an integer >= 0")
