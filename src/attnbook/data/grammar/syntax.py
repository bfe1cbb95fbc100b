"""The abstract sentence, independent of any language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from attnbook.data.grammar.entries import Adjective, Determiner, Noun, Phrase, Preposition, Pronoun, Verb

Asks = Literal["", "polar", "what", "who", "whom", "where", "when", "why"]
Negation = Literal["", "not", "never"]
Link = Literal["", "that", "because", "but"]


class Tense(Enum):
    """The tense of a clause.

    ``PRESENT`` is a state, ``PROGRESSIVE`` an ongoing action, ``HABIT`` a repeated one: all three are the present in
    French. ``PAST`` is one event, in the passé composé; the past of "be" and of the weather is in the imparfait.
    ``PERFECT`` occurs only with "already", "ever" and "never". ``FUTURE`` is the near future.
    """

    PRESENT = "present"
    PROGRESSIVE = "progressive"
    HABIT = "habit"
    PAST = "past"
    PERFECT = "perfect"
    FUTURE = "near future"
    IMPERATIVE = "imperative"


@dataclass(frozen=True, eq=False)
class NounPhrase:
    """A noun with its determiner, adjective and owner, or a pronoun.

    Args:
        head: the noun or pronoun.
        determiner: its determiner; None with a pronoun, a name or an owner.
        plural: its number.
        adjective: at most one.
        owner: the name in "tom 's book".
    """

    head: Noun | Pronoun
    determiner: Determiner | None = None
    plural: bool = False
    adjective: Adjective | None = None
    owner: Noun | None = None

    @property
    def pronoun(self) -> Pronoun | None:
        """The pronoun, if it is one."""
        return self.head if isinstance(self.head, Pronoun) else None

    @property
    def person(self) -> int:
        return self.head.person if isinstance(self.head, Pronoun) else 3

    @property
    def feminine(self) -> bool:
        return self.head.feminine

    @property
    def many(self) -> bool:
        """Its number in agreement: that of the phrase, or of the pronoun."""
        return self.head.plural if isinstance(self.head, Pronoun) else self.plural

    @property
    def tags(self) -> frozenset[str]:
        if isinstance(self.head, Noun):
            return self.head.tags
        return frozenset({"person", self.head.subject})

    @property
    def possessed(self) -> bool:
        """Whether it has a possessor."""
        return self.owner is not None or (self.determiner is not None and self.determiner.kind == "possessive")

    @property
    def counted(self) -> bool:
        """Whether its determiner is a number or "many"."""
        return self.determiner is not None and self.determiner.kind in ("number", "many")

    @property
    def indefinite(self) -> bool:
        """Whether its determiner becomes "de" under a negation in French."""
        return self.determiner is not None and self.determiner.kind in ("a", "some", "bare")


@dataclass(frozen=True, eq=False)
class Location:
    """A place: a preposition and a noun phrase. "at" places take the preposition from their noun."""

    preposition: Preposition
    phrase: NounPhrase


@dataclass(frozen=True, eq=False)
class Clause:
    """One verb with its subject, complements and adverbials.

    Args:
        subject: who or what; not rendered in the imperative or where the question asks for it.
        verb: the verb; the lexicon has "be", "be.there" and "be.weather" among them.
        tense: see ``Tense``.
        object, recipient, place: what stands with the verb; a wh-question leaves out what it asks for.
        adjective, degree, age: complement of the subject after "be".
        modal: the verb that governs ``verb``: can, must, want, like.
        negation: "", "not" or "never".
        adverb: how often, or "already".
        times: one or two times, day before hour.
        asks: "", "polar" (yes or no), or the wh-word; "whom" asks for the object, "who" for the subject.
    """

    subject: NounPhrase
    verb: Verb
    tense: Tense
    object: NounPhrase | None = None
    recipient: NounPhrase | None = None
    place: Location | None = None
    adjective: Adjective | None = None
    degree: Phrase | None = None
    age: Phrase | None = None
    modal: Verb | None = None
    negation: Negation = ""
    adverb: Phrase | None = None
    times: tuple[Phrase, ...] = ()
    asks: Asks = ""

    @property
    def shifted(self) -> bool:
        """Whether English puts the recipient before the object, without "to": "gave him a book"."""
        given = self.recipient is not None and self.recipient.pronoun is not None
        return given and not (self.object is not None and self.object.pronoun)


@dataclass(frozen=True, eq=False)
class Tree:
    """A sentence: a clause, alone or linked to a second one by "that", "because" or "but"."""

    first: Clause
    link: Link = ""
    second: Clause | None = None
