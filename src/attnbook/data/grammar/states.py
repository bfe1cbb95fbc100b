"""Rules for sentences with "be": qualities, places, trades, ages, existence, and the weather."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attnbook.data.grammar import phrases, words
from attnbook.data.grammar.choice import Chooser, DeadEndError
from attnbook.data.grammar.clauses import BE, NO_TIME, SMALL_THINGS, TIMED, perhaps_not, when
from attnbook.data.grammar.entries import Adjective, Pronoun
from attnbook.data.grammar.forms import Det, Form, weights
from attnbook.data.grammar.lexicon import VERBS, WEATHER, tagged
from attnbook.data.grammar.syntax import Clause, Location, NounPhrase, Tense
from attnbook.data.grammar.table import rows


def any_quality(c: Chooser) -> Clause:
    """A quality of a person or thing: big, tired, red ..."""
    subject = phrases.person(c) if c.flip(0.45) else _described(c)
    adjective = c.pick(phrases.qualities(subject.head))
    if adjective.attributes and subject.adjective is not None and not _classifies(subject.adjective, adjective):
        subject = replace(subject, adjective=None)
    return quality(c, subject, adjective)


def _classifies(attribute: Adjective, adjective: Adjective) -> bool:
    """Whether an attribute and a predicate can describe the same thing: "the white flowers are beautiful"."""
    return attribute.word in phrases.COLORS and adjective.word not in phrases.COLORS


def _described(c: Chooser) -> NounPhrase:
    """A thing, animal, food or place that an adjective can describe."""
    noun = c.pick(DESCRIBED)
    possessive = {} if noun.tags & {"place", "food"} else {Det.POSSESSIVE: 1}
    return phrases.thing(c, noun, {Det.THE: 3, Det.THIS: 1, **possessive})


def quality(c: Chooser, subject: NounPhrase, adjective: Adjective) -> Clause:
    """``subject`` is, was or is going to be ``adjective``, perhaps with a negation or "very"."""
    clause = Clause(subject, BE, Tense.PRESENT, adjective=adjective)
    temporary = not adjective.attributes and "person" in subject.tags
    if temporary and c.flip(0.25):
        return replace(clause, tense=Tense.PAST, times=when(c, "past"), negation=perhaps_not(c))
    if temporary and adjective.word in FORESEEN and c.flip(0.12):
        return replace(clause, tense=Tense.FUTURE, times=when(c, "future"), negation=perhaps_not(c))
    if c.flip(0.2):
        return replace(clause, negation="not")
    return replace(clause, degree=words.VERY) if adjective.graded and c.flip(0.3) else clause


def whereabouts(c: Chooser) -> Clause:
    """The place of a person or thing."""
    if c.flip(0.5):
        place = phrases.at(c, c.pick(PLACES))
        times = (words.NOW,) if c.flip(0.1) else NO_TIME
        return Clause(phrases.person(c), BE, Tense.PRESENT, place=place, negation=perhaps_not(c), times=times)
    if c.flip(0.3):
        return Clause(pet(c), BE, Tense.PRESENT, place=phrases.at(c, c.pick(INDOORS)), negation=perhaps_not(c))
    return Clause(belonging(c), BE, Tense.PRESENT, place=phrases.spot(c), negation=perhaps_not(c))


def pet(c: Chooser) -> NounPhrase:
    """A pet."""
    return phrases.thing(c, c.pick(PETS), {Det.THE: 2, Det.POSSESSIVE: 2})


def belonging(c: Chooser) -> NounPhrase:
    """A small thing that someone may look for."""
    return phrases.thing(c, c.pick(SMALL_THINGS), {Det.THE: 3, Det.POSSESSIVE: 2})


def existence(c: Chooser) -> Clause:
    """There is something, or nothing, somewhere."""
    row = c.pick(EXISTING)
    where = row["place"]
    place = PLACING[where](c) if where in PLACING else phrases.at(c, c.pick(tagged(where)))
    negation = perhaps_not(c)
    noun = c.pick(tagged(row["objects"]))
    object_ = phrases.thing(c, noun, {Det.A: 1} if negation else weights(row["determiners"]))
    return Clause(EXPLETIVE, VERBS["be.there"], Tense.PRESENT, object_, place=place, negation=negation)


def trade(c: Chooser) -> Clause:
    """The trade of a person, such as "doctor"."""
    subject = phrases.person(c)
    if subject.tags & {"job", "young_one"}:
        raise DeadEndError
    many = subject.many
    object_ = NounPhrase(c.pick(TRADES), words.BARE if many else words.A, many)
    return Clause(subject, BE, Tense.PRESENT, object_, negation=perhaps_not(c))


def age(c: Chooser) -> Clause:
    """The age of a person."""
    subject = phrases.person(c)
    tags = subject.tags
    if subject.plural or "elder" in tags:
        raise DeadEndError
    ages = words.AGES if isinstance(subject.head, Pronoun) or "name" in tags else words.AGES_OF_ADULTS
    return Clause(subject, BE, Tense.PRESENT, age=c.pick(words.AGES_OF_CHILDREN if "young_one" in tags else ages))


def weather(c: Chooser) -> Clause:
    """It is cold, it rained, it is going to snow."""
    if c.flip(0.5):
        adjective = c.pick(WEATHER)
        if c.flip(0.4):
            return Clause(SKY, VERBS["be.weather"], Tense.PAST, adjective=adjective, times=when(c, "past"))
        times = (c.pick((words.TODAY, words.NOW)),) if c.flip(0.4) else NO_TIME
        today = Clause(SKY, VERBS["be.weather"], Tense.PRESENT, adjective=adjective, times=times)
        return replace(today, negation=perhaps_not(c))
    verb = c.pick((VERBS["rain"], VERBS["snow"]))
    form = c.pick((Form.PROGRESSIVE, Form.PAST, Form.FUTURE))
    tag, _ = TIMED[form]
    times = when(c, tag) if form is not Form.PROGRESSIVE or c.flip(0.3) else NO_TIME
    return Clause(RAIN, verb, form.tense, times=times, negation=perhaps_not(c))


FORESEEN = frozenset({"happy", "sad", "tired", "late", "angry", "hungry", "busy"})
DESCRIBED = tuple(n for n in tagged("thing animal food place") if phrases.qualities(n) and "name" not in n.tags)
PLACES = tuple(n for n in tagged("place") if n not in tagged("river lake bridge"))
PETS = tagged("pet")
INDOORS = tagged("indoors")
TRADES = tagged("job")
EXISTING = rows("existing")
PLACING: dict[str, Callable[[Chooser], Location]] = {
    "spot": phrases.spot, "table": phrases.table, "near": phrases.outside,
}  # fmt: skip
EXPLETIVE = NounPhrase(words.IT)
SKY = NounPhrase(words.SKY)
RAIN = NounPhrase(words.RAIN)
