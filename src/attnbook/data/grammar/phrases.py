"""Rules for noun phrases: subjects, determiners and adjectives of a noun, and places."""

from __future__ import annotations

from functools import cache

from attnbook.data.grammar import words
from attnbook.data.grammar.choice import Chooser, DeadEndError, weighted
from attnbook.data.grammar.entries import Adjective, Determiner, Noun, Preposition, Pronoun
from attnbook.data.grammar.forms import Det, Weights
from attnbook.data.grammar.lexicon import ADJECTIVES, NAMED, NOUNS, tagged
from attnbook.data.grammar.syntax import Location, NounPhrase

ROLES = tagged("role")
FAMILY = tagged("kin kin kin spouse friend neighbor")
GROUPS = tagged("child student neighbor")
FOLK = tagged("boy girl man woman")
PERSONAL_NAMES = tuple(noun for noun in NOUNS if {"name", "person"} <= noun.tags)
PRONOUNS = {pronoun: NounPhrase(pronoun) for pronoun in words.PERSONS}
COLORS = frozenset({"red", "blue", "green", "yellow", "black", "white", "gray"})


def pronoun_for(phrase: NounPhrase) -> Pronoun:
    """The pronoun that stands for ``phrase`` when it is mentioned again."""
    if isinstance(phrase.head, Pronoun):
        return phrase.head
    if "person" in phrase.tags:
        if phrase.plural:
            return words.THEY_FEMININE if phrase.feminine else words.THEY
        return words.SHE if phrase.feminine else words.HE
    if phrase.plural:
        return words.THINGS_FEMININE if phrase.feminine else words.THINGS
    return words.IT_FEMININE if phrase.feminine else words.IT


def again(phrase: NounPhrase) -> NounPhrase:
    """``phrase`` mentioned again, as a pronoun."""
    return NounPhrase(pronoun_for(phrase))


def person(c: Chooser) -> NounPhrase:
    """Someone who does or feels something."""
    kind = c.pick(weighted({"pronoun": 5, "name": 2, "role": 1, "kin": 2, "group": 1, "folk": 1}))
    if kind == "pronoun":
        return PRONOUNS[c.pick(words.PERSONS)]
    return _person(c, kind)


def third_person(c: Chooser) -> NounPhrase:
    """Someone who is neither speaker nor hearer."""
    kind = c.pick(weighted({"pronoun": 2, "name": 2, "role": 1, "kin": 1, "group": 1, "folk": 1}))
    if kind == "pronoun":
        return PRONOUNS[c.pick((words.HE, words.SHE, words.THEY))]
    return _person(c, kind)


def addressee(c: Chooser) -> NounPhrase:
    """Someone a question is about: mostly "you"."""
    return PRONOUNS[words.YOU] if c.flip(0.5) else third_person(c)


def someone(c: Chooser, subject: NounPhrase) -> NounPhrase:
    """Someone else, as an object."""
    kind = c.pick(weighted({"pronoun": 5, "name": 2, "role": 1, "kin": 1, "folk": 1}))
    if kind == "pronoun":
        return PRONOUNS[c.pick(tuple(p for p in words.PERSONS if other(p, subject)))]
    if kind == "kin":
        family = tuple(noun for noun in FAMILY if own(subject) in _possessors(noun) and not _too_young(subject, noun))
        return NounPhrase(c.pick(family), own(subject))
    phrase = _person(c, kind)
    if phrase.head is subject.head:
        raise DeadEndError
    return phrase


def _too_young(subject: NounPhrase, noun: Noun) -> bool:
    """Whether a child would have a child, a wife or a husband."""
    return "young_one" in subject.tags and bool(noun.tags & {"son", "daughter", "spouse"})


def other(pronoun: Pronoun, subject: NounPhrase) -> bool:
    """Whether ``pronoun`` can refer to someone other than ``subject``: no "i see me" or "we see me"."""
    return pronoun.person == 3 or pronoun.person != subject.person


def own(subject: NounPhrase) -> Determiner:
    """The possessive that stands for ``subject``."""
    owner = pronoun_for(subject)
    return next(p for p in (*words.POSSESSIVES, words.THEIR_FEMININE) if p.owner is owner)


def _possessors(noun: Noun) -> tuple[Determiner, ...]:
    """Who has such a relative: a wife or a husband has one spouse."""
    spouses = {"wife": (words.I, words.YOU, words.HE), "husband": (words.SHE,)}
    owners = spouses.get(noun.singular, words.PERSONS)
    return tuple(p for p in words.POSSESSIVES if p.owner in owners)


def _person(c: Chooser, kind: str) -> NounPhrase:
    if kind == "name":
        return NounPhrase(c.pick(PERSONAL_NAMES))
    if kind == "kin":
        noun = c.pick(FAMILY)
        return NounPhrase(noun, c.pick(_possessors(noun)))
    if kind == "group":
        noun = c.pick(GROUPS)
        return NounPhrase(noun, c.pick((words.THE, words.THE, *words.POSSESSIVES)), plural=True)
    if kind == "folk":
        determiner = c.pick((words.THE, words.THE, words.THIS, words.THAT))
        return modified(c, NounPhrase(c.pick(FOLK), determiner, plural=c.flip(0.3)), 0.25)
    return modified(c, NounPhrase(c.pick(ROLES), words.THE), 0.2)


def thing(c: Chooser, noun: Noun, determiners: Weights, subject: NounPhrase | None = None) -> NounPhrase:
    """A noun with one of ``determiners``, and perhaps an adjective."""
    if subject is not None and _too_young(subject, noun):
        raise DeadEndError
    if "name" in noun.tags:
        return NounPhrase(noun)
    if "bare" in noun.tags:
        return NounPhrase(noun, words.BARE)
    det = c.pick(weighted({det: weight for det, weight in determiners.items() if _fits(det, noun, subject)}))
    if det is Det.NAME:
        return modified(c, NounPhrase(noun, owner=c.pick(_owners(noun, subject))))
    determiner, plural = c.pick(_determiners(det, noun, subject))
    return modified(c, NounPhrase(noun, determiner, plural))


def _fits(det: Det, noun: Noun, subject: NounPhrase | None) -> bool:
    if det in (Det.OWN, Det.POSSESSIVE, Det.NAME) and "food" in noun.tags:
        return False
    if "mass" in noun.tags:
        return det in (Det.THE, Det.A, Det.ONE, Det.GENERAL)
    if det is Det.OWN:
        return subject is not None and (subject.feminine or "womens" not in noun.tags)
    return bool(noun.plural) or det not in (Det.NUMBER, Det.MANY, Det.GENERAL)


def _owners(noun: Noun, subject: NounPhrase | None) -> tuple[Noun, ...]:
    others = (name for name in PERSONAL_NAMES if subject is None or name is not subject.head)
    return tuple(name for name in others if name.feminine or "womens" not in noun.tags)


def _determiners(det: Det, noun: Noun, subject: NounPhrase | None) -> tuple[tuple[Determiner, bool], ...]:
    """The determiners of a kind, with the number of the noun."""
    if "mass" in noun.tags:
        return ((MASS.get(det, words.THE), False),)
    if det is Det.OWN and subject is not None:
        options = _owned(noun, (own(subject),))
    elif det is Det.POSSESSIVE:
        ambiguous = subject is not None and pronoun_for(subject) is words.THEY_FEMININE  # "their" may be the subject's
        options = _owned(noun, tuple(p for p in words.POSSESSIVES if not (ambiguous and p.owner is words.THEY)))
    elif det is Det.ONE and subject is not None and subject.many and noun.tags & {"clothes", "worn"}:
        options = DETERMINERS[Det.GENERAL]  # "they wear coats", not "a coat"
    else:
        options = DETERMINERS[det]
    return options if noun.plural else tuple(option for option in options if not option[1])


def _owned(noun: Noun, possessives: tuple[Determiner, ...]) -> tuple[tuple[Determiner, bool], ...]:
    """Possessives with the number of the noun: plural if each owner has one ("our coats"); only women own dresses."""
    owners = [(p, p.owner) for p in possessives if p.owner is not None]
    suited = [(p, owner) for p, owner in owners if owner.feminine or "womens" not in noun.tags]
    each = bool(noun.tags & PERSONAL)
    options = tuple((p, each and owner.plural) for p, owner in suited)
    if noun.tags & OWNED_IN_NUMBERS:
        options = (*options, *options, *((p, True) for p, _ in suited))
    return options


PERSONAL = frozenset({"clothes", "worn", "losable"})
OWNED_IN_NUMBERS = frozenset({"text", "key", "ticket", "toyish", "dish", "shown", "task"})
MASS = {Det.A: words.SOME, Det.ONE: words.SOME, Det.GENERAL: words.BARE}
DETERMINERS: dict[Det, tuple[tuple[Determiner, bool], ...]] = {
    Det.THE: weighted({(words.THE, False): 2, (words.THE, True): 1}),
    Det.A: weighted({(words.A, False): 2, (words.SOME, True): 1}),
    Det.ONE: ((words.A, False),),
    Det.THIS: ((words.THIS, False), (words.THAT, False), (words.THIS, True), (words.THAT, True)),
    Det.NUMBER: tuple((number, True) for number in words.NUMBERS),
    Det.MANY: ((words.MANY, True),),
    Det.GENERAL: ((words.BARE, True),),
}


def modified(c: Chooser, phrase: NounPhrase, probability: float = 0.35) -> NounPhrase:
    """``phrase``, perhaps with an adjective that suits its noun."""
    adjectives = _attributes(phrase.head, phrase.possessed)
    if not adjectives or not c.flip(probability):
        return phrase
    return NounPhrase(phrase.head, phrase.determiner, phrase.plural, c.pick(adjectives), phrase.owner)


@cache
def _attributes(noun: Noun | Pronoun, owned: bool) -> tuple[Adjective, ...]:
    """The adjectives that suit ``noun``. After a possessor, only those that need no second 的 in Chinese."""
    if isinstance(noun, Pronoun):
        return ()
    suited = [a for a in ADJECTIVES if a.attribute and noun.tags & a.attributes]
    if owned:
        colors = COLORS if len(noun.chinese) > 1 else frozenset()
        suited = [a for a in suited if not a.attribute.endswith("的") or a.word in colors]
    return tuple(suited)


@cache
def qualities(noun: Noun | Pronoun) -> tuple[Adjective, ...]:
    """The adjectives that can be said of ``noun`` after "be"."""
    tags = NounPhrase(noun).tags
    return tuple(a for a in ADJECTIVES if a.predicate and tags & a.predicates)


def at(c: Chooser, noun: Noun) -> Location:
    """The place where something happens: "at the station", "in the garden"."""
    assert noun.at is not None
    phrase = place(noun)
    return Location(noun.at, modified(c, phrase, 0.1) if phrase.determiner is words.THE else phrase)


def place(noun: Noun) -> NounPhrase:
    """A place as a noun phrase: with "the", or without an article as "school" and "paris"."""
    if "name" in noun.tags:
        return NounPhrase(noun)
    return NounPhrase(noun, words.BARE if "bare" in noun.tags else words.THE)


def outside(c: Chooser) -> Location:
    """Where a building is: near, next to, in front of, behind another."""
    preposition, tag = c.pick(OUTSIDE)
    return Location(preposition, place(c.pick(tagged(tag))))


def table(c: Chooser) -> Location:
    """On the table."""
    return Location(words.ON, modified(c, NounPhrase(NAMED["table"], words.THE), 0.15))


def spot(c: Chooser) -> Location:
    """Where a thing lies: on, under, in, behind, in front of, near something."""
    preposition, tag = c.pick(SPOTS)
    noun = c.pick(tagged(tag))
    return Location(preposition, modified(c, NounPhrase(noun, words.THE), 0.15))


SPOTS: tuple[tuple[Preposition, str], ...] = (
    (words.ON, "surface"),
    (words.ON, "surface"),
    (words.UNDER, "below"),
    (words.IN, "container"),
    (words.NEXT_TO, "furniture"),
)
OUTSIDE: tuple[tuple[Preposition, str], ...] = (
    (words.NEAR, "near"),
    (words.NEXT_TO, "near"),
    (words.IN_FRONT_OF, "near"),
    (words.BEHIND, "house"),
)
HOME = NAMED["home"]
