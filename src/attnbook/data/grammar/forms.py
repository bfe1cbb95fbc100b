"""The notation of clause frames: kinds of determiners, with weights, and forms of actions."""

from __future__ import annotations

from enum import Enum

from attnbook.data.grammar.entries import Verb
from attnbook.data.grammar.lexicon import VERBS
from attnbook.data.grammar.syntax import Tense
from attnbook.data.grammar.table import marked


class Det(Enum):
    """Kinds of determiners."""

    THE = "the"
    A = "a"  # in the plural "some"
    ONE = "one"  # "a", and never "some"
    OWN = "own"  # the subject's
    POSSESSIVE = "possessive"  # anybody's
    NAME = "name"  # "tom 's"
    THIS = "this"  # and "that"
    NUMBER = "number"
    MANY = "many"
    GENERAL = "general"  # no article in English


Weights = dict[Det, int]


def weights(cell: str) -> Weights:
    """The determiners of a cell of a table: "the:2 a number"."""
    return {Det(name): int(weight) for name, weight in marked(cell, "1")}


class Form(Enum):
    """The form of an action: its tense, or its modal verb."""

    PROGRESSIVE = "progressive"
    HABIT = "habit"
    PAST = "past"
    FUTURE = "future"
    ALREADY = "already"
    EVER = "ever"  # and "never"
    STATE = "state"
    WANT = "want"
    LIKE = "like"
    CAN = "can"
    MUST = "must"
    IMPERATIVE = "imperative"

    @property
    def tense(self) -> Tense:
        return _TENSES.get(self, Tense.PRESENT)

    @property
    def modal(self) -> Verb | None:
        return _MODALS.get(self)


_TENSES = {
    Form.PROGRESSIVE: Tense.PROGRESSIVE, Form.HABIT: Tense.HABIT, Form.PAST: Tense.PAST, Form.FUTURE: Tense.FUTURE,
    Form.ALREADY: Tense.PERFECT, Form.EVER: Tense.PERFECT, Form.IMPERATIVE: Tense.IMPERATIVE,
}  # fmt: skip
_MODALS = {
    Form.WANT: VERBS["want.to"], Form.LIKE: VERBS["like"], Form.CAN: VERBS["can"], Form.MUST: VERBS["must"],
}  # fmt: skip
