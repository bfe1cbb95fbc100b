"""Two clauses in one sentence, where the second gives a reason or takes up what the first is about.

What may follow what is written down pair by pair, so that every reason is one. "it" and "them" stand for the thing
of the first clause, and take its gender in French.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attnbook.data.grammar import clauses, phrases, states, words
from attnbook.data.grammar.actions import Action
from attnbook.data.grammar.adjectives import ADJECTIVES, WEATHER
from attnbook.data.grammar.choice import Chooser
from attnbook.data.grammar.entries import Adjective, Noun
from attnbook.data.grammar.syntax import Clause, Negation, NounPhrase, Tense, Tree
from attnbook.data.grammar.verbs import VERBS

Half = Callable[[Chooser, NounPhrase], Clause]
PERSON_STATES = {a.word: a for a in ADJECTIVES if "person" in a.predicates}


def _is(names: str) -> Half:
    """Somebody is in one of the states."""
    states = tuple(PERSON_STATES[name] for name in names.split())

    def half(c: Chooser, subject: NounPhrase) -> Clause:
        return Clause(subject, clauses.BE, Tense.PRESENT, adjective=c.pick(states))

    return half


def _was(names: str) -> Half:
    """Somebody was in one of the states."""
    present = _is(names)
    return lambda c, subject: replace(present(c, subject), tense=Tense.PAST)


def _does(letter: str, names: str, *, negated: bool = False, timed: bool = False) -> Half:
    """Somebody does one of the actions, in the tense of ``letter``."""

    def half(c: Chooser, subject: NounPhrase) -> Clause:
        action = clauses.action_named(c, names)
        negation: Negation = "not" if negated else ""
        return clauses.act(c, subject, action, letter, negation=negation, pronouns=False, plain=not timed)

    return half


def _slept_badly(c: Chooser, subject: NounPhrase) -> Clause:
    """Somebody did not sleep."""
    clause = _does("d", "sleep", negated=True)(c, subject)
    return replace(clause, times=(words.LAST_NIGHT,)) if c.flip(0.5) else clause


def _stayed_in(c: Chooser, subject: NounPhrase) -> Clause:
    """Somebody stayed at home."""
    clause = Clause(subject, VERBS["stay"], Tense.PAST, place=phrases.at(c, phrases.HOME))
    return replace(clause, times=clauses.when(c, "past"))


def _weather(tense: Tense) -> Half:
    def half(c: Chooser, subject: NounPhrase) -> Clause:
        adjective = c.pick(tuple(a for a in WEATHER if a.word == "cold"))
        return Clause(states.SKY, VERBS["be.weather"], tense, adjective=adjective)

    return half


REASONS: tuple[tuple[Half, Half], ...] = (
    (_is("tired sleepy"), _does("d", "work study run walk dance swim clean", timed=True)),
    (_is("tired sleepy"), _slept_badly),
    (_is("happy proud"), _does("d", "find receive repair", timed=True)),
    (_is("happy"), _does("f", "visit visit.city travel see.film", timed=True)),
    (_is("happy"), _does("d", "meet buy", timed=True)),
    (_is("sad angry worried"), _does("d", "lose break", timed=True)),
    (_is("angry worried late"), _does("d", "miss forget lose")),
    (_is("hungry"), _does("d", "eat.meal", negated=True)),
    (_is("nervous busy"), _does("f", "travel visit.city", timed=True)),
    (_stayed_in, _was("sick tired busy")),
    (_stayed_in, _weather(Tense.PAST)),
    (_does("d", "go come.home", negated=True), _was("sick tired busy")),
    (_does("d", "go swim run walk", negated=True, timed=True), _weather(Tense.PAST)),
    (_does("w", "go.bed come.home sleep"), _is("tired sleepy sick")),
    (_does("w", "eat eat.soup cook"), _is("hungry")),
    (_does("w", "drink"), _is("thirsty")),
    (_does("p", "drink"), _is("thirsty")),
    (_does("p", "eat eat.soup"), _is("hungry")),
    (_does("p", "run.hurry"), _is("late")),
    (_does("p", "cry"), _is("sad afraid sick hungry")),
    (_does("c", "swim", negated=True), _is("sick cold")),
)
"""What is so, and why: each half is said of the same person."""


def because(c: Chooser) -> Tree:
    """Something, and its reason."""
    if c.flip(0.35):
        return _because_of_thing(c)
    effect, cause = c.pick(REASONS)
    subject = phrases.person(c)
    return Tree(effect(c, subject), "because", cause(c, phrases.again(subject)))


# Verb actions, their tense, whether negated; what is said of the thing, and whether in the past.
THING_REASONS = (
    ("like", "s", False, "interesting beautiful comfortable funny modern warm delicious sweet clever", False),
    ("like", "s", True, "boring sad expensive dangerous dirty old difficult", False),
    ("want", "s", False, "cheap beautiful comfortable warm interesting delicious", False),
    ("buy", "w", False, "cheap beautiful comfortable warm interesting modern", False),
    ("buy", "w", True, "expensive old boring", False),
    ("buy", "d", False, "cheap beautiful comfortable warm interesting", True),
    ("buy", "d", True, "expensive dirty", True),
    ("sell", "w", False, "old expensive small", False),
    ("read", "w", False, "interesting important short funny", False),
    ("read", "w", True, "boring long sad", False),
    ("wash", "d", False, "dirty", True),
    ("wash", "u", False, "dirty", False),
    ("repair", "u", False, "broken", False),
    ("repair", "d", False, "broken", True),
    ("understand", "s", True, "difficult", False),
    ("visit", "w", False, "famous beautiful interesting", False),
)
SINGLE = "tdo"


def _because_of_thing(c: Chooser) -> Tree:
    name, letter, negated, reasons, past = c.pick(THING_REASONS)
    subject = phrases.person(c)
    action = clauses.action_named(c, name)
    thing = _definite(c, subject, clauses.objects_of(action, subject.feminine), reasons.split())
    tense = clauses.TENSES.get(letter, Tense.PRESENT)
    first = Clause(
        subject, action.verb, tense, thing, modal=clauses.MODALS.get(letter), negation="not" if negated else ""
    )
    adjective = c.pick(_among(thing, reasons.split()))
    second = Clause(phrases.again(thing), clauses.BE, Tense.PAST if past else Tense.PRESENT, adjective=adjective)
    if adjective.graded and c.flip(0.3):
        second = replace(second, degree=words.VERY)
    return Tree(first, "because", second)


def _definite(c: Chooser, subject: NounPhrase, nouns: tuple[Noun, ...], reasons: list[str]) -> NounPhrase:
    """A definite thing that the reasons suit, without an adjective of its own."""
    suited = tuple(n for n in nouns if n.plural and _among(NounPhrase(n), reasons))
    noun = c.pick(suited)
    phrase = phrases.thing(c, noun, "td", subject)
    return NounPhrase(noun, phrase.determiner, phrase.plural)


def _among(thing: NounPhrase, names: list[str]) -> tuple[Adjective, ...]:
    return tuple(a for a in phrases.qualities(thing.head) if a.word in names)


# First action and tense, determiners; second action of the same thing, tense and negation.
CONTRASTS = (
    ("lose", "d", "oo", "find", "d", False),
    ("look.seek", "p", "o", "find", "c", True),
    ("look.seek", "d", "o", "find", "d", True),
    ("write", "d", "at", "send", "d", True),
    ("buy", "d", "at", "like", "s", True),
    ("buy", "d", "ta", "wear.clothes", "p", True),
    ("buy", "d", "ta", "eat", "d", True),
    ("buy", "d", "ta", "read", "d", True),
    ("read", "d", "td", "understand", "d", True),
    ("like", "s", "td", "buy", "c", True),
    ("want", "s", "td", "buy", "c", True),
    ("repair", "d", "to", "sell", "d", False),
    ("repair", "d", "to", "sell", "w", False),
    ("sell", "w", "oo", "love", "s", False),
)
FLAWS = (
    ("expensive", "buy", "w", False), ("expensive", "buy", "d", False), ("long", "read", "d", False),
    ("difficult", "understand", "s", False), ("boring", "read", "d", False), ("boring", "watch", "d", False),
    ("old", "like", "s", False), ("small", "like", "s", False), ("beautiful", "buy", "w", True),
    ("cheap", "buy", "w", True), ("delicious", "eat", "w", True), ("dirty", "wash", "w", True),
    ("interesting", "read", "d", True), ("easy", "understand", "s", True), ("broken", "repair", "f", False),
)  # fmt: skip


def but(c: Chooser) -> Tree:
    """Something, and what contrasts with it, said of the same thing."""
    return _contrast(c) if c.flip(0.5) else _flaw(c)


def _contrast(c: Chooser) -> Tree:
    name, letter, determiners, other, second_letter, negated = c.pick(CONTRASTS)
    subject = phrases.person(c)
    follow = clauses.action_named(c, other)
    action = clauses.action_named(c, name)
    objects, taken_up = (clauses.objects_of(each, subject.feminine) for each in (action, follow))
    nouns = tuple(n for n in objects if n.plural and (n in taken_up or other in ("send", "love")))
    thing = phrases.thing(c, c.pick(nouns), determiners, subject)
    first = Clause(
        subject, action.verb, clauses.TENSES.get(letter, Tense.PRESENT), thing, modal=clauses.MODALS.get(letter)
    )
    return Tree(first, "but", _take_up(subject, thing, follow, second_letter, negated))


def _flaw(c: Chooser) -> Tree:
    quality, name, letter, negated = c.pick(FLAWS)
    subject = phrases.PRONOUNS[c.pick(words.PERSONS)]
    follow = clauses.action_named(c, name)
    thing = _definite(c, subject, follow.objects, [quality])
    first = Clause(thing, clauses.BE, Tense.PRESENT, adjective=c.pick(_among(thing, [quality])))
    return Tree(first, "but", _take_up(subject, thing, follow, letter, negated))


def _take_up(subject: NounPhrase, thing: NounPhrase, follow: Action, letter: str, negated: bool) -> Clause:
    """The second clause, whose object is the thing of the first one."""
    return Clause(
        phrases.again(subject), follow.verb, clauses.TENSES.get(letter, Tense.PRESENT), phrases.again(thing),
        modal=clauses.MODALS.get(letter), negation="not" if negated else "",
    )  # fmt: skip
