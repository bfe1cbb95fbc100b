"""Two clauses in one sentence: the second gives a reason, or contrasts with the first.

The possible pairs are listed, so that every reason makes sense. "it" and "them" refer to the thing of the first clause
and take its gender in French.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attnbook.data.grammar import clauses, phrases, states, words
from attnbook.data.grammar.actions import Action
from attnbook.data.grammar.choice import Chooser
from attnbook.data.grammar.entries import Adjective, Noun
from attnbook.data.grammar.forms import Det, Form, weights
from attnbook.data.grammar.lexicon import ADJECTIVES, VERBS, WEATHER
from attnbook.data.grammar.syntax import Clause, Negation, NounPhrase, Tense, Tree
from attnbook.data.grammar.table import Row, rows

Half = Callable[[Chooser, NounPhrase], Clause]
PERSON_STATES = {a.word: a for a in ADJECTIVES if "person" in a.predicates}


def _is(names: str) -> Half:
    """A person is in one of the states."""
    states = tuple(PERSON_STATES[name] for name in names.split())

    def half(c: Chooser, subject: NounPhrase) -> Clause:
        return Clause(subject, clauses.BE, Tense.PRESENT, adjective=c.pick(states))

    return half


def _was(names: str) -> Half:
    """A person was in one of the states."""
    present = _is(names)
    return lambda c, subject: replace(present(c, subject), tense=Tense.PAST)


def _does(form: Form, names: str, *, negated: bool = False, timed: bool = False) -> Half:
    """A person does one of the actions, in that form."""

    def half(c: Chooser, subject: NounPhrase) -> Clause:
        action = c.pick(clauses.named(names))
        negation: Negation = "not" if negated else ""
        return clauses.act(c, subject, action, form, negation=negation, pronouns=False, plain=not timed)

    return half


def _slept_badly(c: Chooser, subject: NounPhrase) -> Clause:
    """A person did not sleep."""
    clause = _does(Form.PAST, "sleep", negated=True)(c, subject)
    return replace(clause, times=(words.LAST_NIGHT,)) if c.flip(0.5) else clause


def _stayed_in(c: Chooser, subject: NounPhrase) -> Clause:
    """A person stayed at home."""
    clause = Clause(subject, VERBS["stay"], Tense.PAST, place=phrases.at(c, phrases.HOME))
    return replace(clause, times=clauses.when(c, "past"))


def _weather(tense: Tense) -> Half:
    def half(c: Chooser, subject: NounPhrase) -> Clause:
        adjective = c.pick(tuple(a for a in WEATHER if a.word == "cold"))
        return Clause(states.SKY, VERBS["be.weather"], tense, adjective=adjective)

    return half


REASONS: tuple[tuple[Half, Half], ...] = (
    (_is("tired sleepy"), _does(Form.PAST, "work study run walk dance swim clean", timed=True)),
    (_is("tired sleepy"), _slept_badly),
    (_is("happy proud"), _does(Form.PAST, "find receive repair", timed=True)),
    (_is("happy"), _does(Form.FUTURE, "visit visit.city travel see.film", timed=True)),
    (_is("happy"), _does(Form.PAST, "meet buy", timed=True)),
    (_is("sad angry worried"), _does(Form.PAST, "lose break", timed=True)),
    (_is("angry worried late"), _does(Form.PAST, "miss forget lose")),
    (_is("hungry"), _does(Form.PAST, "eat.meal", negated=True)),
    (_is("nervous busy"), _does(Form.FUTURE, "travel visit.city", timed=True)),
    (_stayed_in, _was("sick tired busy")),
    (_stayed_in, _weather(Tense.PAST)),
    (_does(Form.PAST, "go come.home", negated=True), _was("sick tired busy")),
    (_does(Form.PAST, "go swim run walk", negated=True, timed=True), _weather(Tense.PAST)),
    (_does(Form.WANT, "go.bed come.home sleep"), _is("tired sleepy sick")),
    (_does(Form.WANT, "eat eat.soup cook"), _is("hungry")),
    (_does(Form.WANT, "drink"), _is("thirsty")),
    (_does(Form.PROGRESSIVE, "drink"), _is("thirsty")),
    (_does(Form.PROGRESSIVE, "eat eat.soup"), _is("hungry")),
    (_does(Form.PROGRESSIVE, "run.hurry"), _is("late")),
    (_does(Form.PROGRESSIVE, "cry"), _is("sad afraid sick hungry")),
    (_does(Form.CAN, "swim", negated=True), _is("sick cold")),
)
"""Pairs of effect and cause, both about the same person."""


def because(c: Chooser) -> Tree:
    """An effect and its cause."""
    if c.flip(0.35):
        return _because_of_thing(c)
    effect, cause = c.pick(REASONS)
    subject = phrases.person(c)
    return Tree(effect(c, subject), "because", cause(c, phrases.again(subject)))


def _because_of_thing(c: Chooser) -> Tree:
    """Something is done, or not done, because of a quality of its object."""
    row = c.pick(THING_REASONS)
    reasons = row["qualities"].split()
    subject = phrases.person(c)
    action = c.pick(clauses.named(row["verb"]))
    thing = _definite(c, subject, clauses.objects_of(action, subject.feminine), reasons)
    first = _of_thing(subject, action, thing, row["form"], row["negation"])
    adjective = c.pick(_among(thing, reasons))
    second = Clause(phrases.again(thing), clauses.BE, Tense(row["tense"]), adjective=adjective)
    if adjective.graded and c.flip(0.3):
        second = replace(second, degree=words.VERY)
    return Tree(first, "because", second)


def _of_thing(subject: NounPhrase, action: Action, thing: NounPhrase, form: str, negation: str) -> Clause:
    verb_form = Form(form)
    return Clause(
        subject, action.verb, verb_form.tense, thing, modal=verb_form.modal, negation="not" if negation else ""
    )  # fmt: skip


def _definite(c: Chooser, subject: NounPhrase, nouns: tuple[Noun, ...], reasons: list[str]) -> NounPhrase:
    """A definite thing that can have one of the qualities, without an adjective."""
    suited = tuple(n for n in nouns if n.plural and _among(NounPhrase(n), reasons))
    noun = c.pick(suited)
    phrase = phrases.thing(c, noun, {Det.THE: 1, Det.THIS: 1}, subject)
    return NounPhrase(noun, phrase.determiner, phrase.plural)


def _among(thing: NounPhrase, names: list[str]) -> tuple[Adjective, ...]:
    return tuple(a for a in phrases.qualities(thing.head) if a.word in names)


def but(c: Chooser) -> Tree:
    """Two contrasting clauses about the same thing."""
    return _contrast(c) if c.flip(0.5) else _flaw(c)


def _contrast(c: Chooser) -> Tree:
    row = c.pick(CONTRASTS)
    subject = phrases.person(c)
    follow = c.pick(clauses.named(row["then"]))
    action = c.pick(clauses.named(row["verb"]))
    objects, taken_up = (clauses.objects_of(each, subject.feminine) for each in (action, follow))
    nouns = tuple(n for n in objects if n.plural and (n in taken_up or row["then"] in ("send", "love")))
    thing = phrases.thing(c, c.pick(nouns), weights(row["determiners"]), subject)
    first = _of_thing(subject, action, thing, row["form"], "")
    return Tree(first, "but", _take_up(subject, thing, follow, row))


def _flaw(c: Chooser) -> Tree:
    row = c.pick(FLAWS)
    subject = phrases.PRONOUNS[c.pick(words.PERSONS)]
    follow = c.pick(clauses.named(row["then"]))
    thing = _definite(c, subject, follow.objects, [row["quality"]])
    first = Clause(thing, clauses.BE, Tense.PRESENT, adjective=c.pick(_among(thing, [row["quality"]])))
    return Tree(first, "but", _take_up(subject, thing, follow, row))


def _take_up(subject: NounPhrase, thing: NounPhrase, follow: Action, row: Row) -> Clause:
    """The second clause, whose object is the thing of the first one."""
    again = phrases.again(subject), phrases.again(thing)
    return _of_thing(again[0], follow, again[1], row["then_form"], row["then_negation"])


THING_REASONS, CONTRASTS, FLAWS = rows("reasons"), rows("contrasts"), rows("flaws")
"""An action and a quality of its object; two contrasting actions; a quality and an action."""
