"""Rules for clauses: what can be said of whom, in which tense, when and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from attnbook.data.grammar import phrases, words
from attnbook.data.grammar.actions import ACTIONS, Action
from attnbook.data.grammar.adjectives import WEATHER
from attnbook.data.grammar.choice import Chooser, DeadEndError
from attnbook.data.grammar.entries import Adjective, Phrase, Pronoun
from attnbook.data.grammar.nouns import tagged
from attnbook.data.grammar.syntax import Asks, Clause, Location, Negation, NounPhrase, Tense
from attnbook.data.grammar.verbs import VERBS

BE = VERBS["be"]
TENSES = {
    "p": Tense.PROGRESSIVE, "h": Tense.HABIT, "d": Tense.PAST, "f": Tense.FUTURE, "x": Tense.PERFECT,
    "e": Tense.PERFECT, "s": Tense.PRESENT, "i": Tense.IMPERATIVE,
}  # fmt: skip
MODALS = {"w": VERBS["want.to"], "l": VERBS["like"], "c": VERBS["can"], "u": VERBS["must"]}
# The determiners that sound right in a tense, and under "not" or "never" in it.
SUITS = {"i": "tod", "p": "taogdw", "h": "taogdn", "l": "g", "s": "taogdnmpw", "e": "taodg"}
SUITS_NEGATED = {"p": "togdw", "h": "g", "never": "gtao", "s": "taogdp", "d": "taodgpw", "l": "g"}
FORBIDDEN = frozenset({"eat", "drink", "open", "sell", "read", "swim", "run", "sleep", "leave", "drive"})
STANDALONE_IT = frozenset(
    {"eat", "buy", "sell", "read", "write", "wash", "repair", "open", "close", "find", "lose", "break", "watch"}
)
PLACED = frozenset({"at", "goal"})


@cache
def _times(tag: str, long: bool) -> tuple[Phrase, ...]:
    """The times with ``tag``; those that stretch over days only if ``long``."""
    return tuple(time for time in words.TIMES if tag in time.tags and (long or "long" not in time.tags))


def when(c: Chooser, tag: str, *, long: bool = False, clock: bool = True) -> tuple[Phrase, ...]:
    """A time, a day with an hour, or an hour alone."""
    if clock and c.flip(0.15):
        return (c.pick(words.CLOCK),)
    time = c.pick(_times(tag, long))
    return (time, c.pick(words.CLOCK)) if clock and "day" in time.tags and c.flip(0.15) else (time,)


def act(
    c: Chooser, subject: NounPhrase, action: Action, letter: str, *, negation: Negation = "", asks: Asks = "",
    pronouns: bool = True, plain: bool = False,
) -> Clause:  # fmt: skip
    """A clause of ``action`` in the tense or with the modal of ``letter``.

    Args:
        pronouns: whether "it" may stand for an object that was not mentioned.
        plain: whether time and place are left out.
    """
    object_ = _object(c, subject, action, letter, negation, pronouns) if asks not in ("what", "whom") else None
    place = _place(c, action, letter, plain, asks)
    adverb, times = (None, NEVER_SAID) if plain and letter != "h" else _occasion(c, letter, negation, asks, action)
    tense, modal = TENSES.get(letter, Tense.PRESENT), MODALS.get(letter)
    return Clause(
        subject, action.verb, tense, object_, place=place, modal=modal, negation=negation, adverb=adverb,
        times=times, asks=asks,
    )  # fmt: skip


def _object(
    c: Chooser, subject: NounPhrase, action: Action, letter: str, negation: Negation, pronouns: bool
) -> NounPhrase | None:
    if action.someone:
        return phrases.someone(c, subject)
    if not action.objects:
        return None
    if pronouns and action.name in STANDALONE_IT and letter in "dfxwcu" and c.flip(0.08):
        return NounPhrase(words.IT)
    if "plain" in action.verb.traits:
        return NounPhrase(c.pick(action.objects), words.THE)
    determiners = suitable(action.determiners, letter, negation)
    return phrases.thing(c, c.pick(action.objects), determiners, subject)


def suitable(determiners: str, letter: str, negation: Negation) -> str:
    """Those of ``determiners`` that sound right in the tense of ``letter``; all of them where none does."""
    suits = SUITS.get(letter, "taogdnmpw")
    if negation:
        suits = SUITS_NEGATED.get(negation if letter == "h" else letter, SUITS_NEGATED["d"])
    return "".join(letter for letter in determiners if letter in suits)


def _place(c: Chooser, action: Action, letter: str, plain: bool, asks: Asks) -> Location | None:
    if not action.places or asks == "where":
        return None
    if action.verb.traits & PLACED:
        return phrases.at(c, c.pick(action.places))
    if plain or letter in "xi" or "zhe" in action.verb.traits or not c.flip(0.25):
        return None
    return phrases.at(c, c.pick(action.places))


def _occasion(
    c: Chooser, letter: str, negation: Negation, asks: Asks, action: Action
) -> tuple[Phrase | None, tuple[Phrase, ...]]:
    """How often and when."""
    if letter == "x":
        return words.ALREADY, NEVER_SAID
    if letter == "h" and not negation and asks not in ("where", "when"):
        if c.flip(0.4):
            return c.pick((words.OFTEN, words.ALWAYS, words.SOMETIMES, words.OFTEN)), NEVER_SAID
        return None, when(c, "habit", clock=False)
    if asks == "when" or letter not in TIMED:
        return None, NEVER_SAID
    tag, probability = TIMED[letter]
    return None, when(c, tag, long="+" in action.tenses, clock=letter in "df" and "@" in action.tenses) if c.flip(
        probability
    ) else NEVER_SAID


TIMED = {
    "d": ("past", 0.5),
    "f": ("future", 0.5),
    "w": ("future", 0.2),
    "c": ("future", 0.2),
    "p": ("progressive", 0.12),
}


def negation_of(c: Chooser, action: Action, letter: str) -> Negation:
    """Whether it is negated: one time in five, where that sounds right."""
    if letter == "e":
        return "never"
    if letter in "xi" or (letter == "u" and action.name not in FORBIDDEN) or not c.flip(0.22):
        return ""
    if letter == "h":
        objectless = not action.objects and not action.someone
        general = objectless or "g" in action.determiners
        return c.pick(("not", "never")) if general else "never"
    return "not" if not action.objects or suitable(action.determiners, letter, "not") else ""


def any_action(c: Chooser, letters: str) -> tuple[Action, str]:
    """An action and one of its tenses among ``letters``."""
    action = c.pick(_actions(letters))
    return action, c.pick(tuple(letter for letter in action.tenses if letter in letters))


@cache
def _actions(letters: str) -> tuple[Action, ...]:
    return tuple(action for action in ACTIONS if set(letters) & set(action.tenses))


def action_named(c: Chooser, names: str) -> Action:
    """One of the actions of those names."""
    return c.pick(_named(names))


@cache
def _named(names: str) -> tuple[Action, ...]:
    return tuple(action for action in ACTIONS if action.name in names.split())


def event(c: Chooser) -> Clause:
    """Somebody does something."""
    subject = phrases.person(c)
    action, letter = any_action(c, "pphdddffxewlcus")
    return act(c, subject, action, letter, negation=negation_of(c, action, letter))


def any_quality(c: Chooser) -> Clause:
    """Somebody or something is big, tired, red ..."""
    subject = phrases.person(c) if c.flip(0.45) else _described(c)
    adjective = c.pick(phrases.qualities(subject.head))
    if adjective.attributes and subject.adjective is not None and not _classifies(subject.adjective, adjective):
        subject = replace(subject, adjective=None)
    return quality(c, subject, adjective)


def _classifies(attribute: Adjective, adjective: Adjective) -> bool:
    """Whether both can be said of one thing without a clash: "the white flowers are beautiful"."""
    return attribute.word in phrases.COLOURS and adjective.word not in phrases.COLOURS


def _described(c: Chooser) -> NounPhrase:
    """Something that has qualities."""
    noun = c.pick(DESCRIBED)
    return phrases.thing(c, noun, "tttd" if noun.tags & {"place", "food"} else "tttdp")


def quality(c: Chooser, subject: NounPhrase, adjective: Adjective) -> Clause:
    """``subject`` is, was or is going to be ``adjective``; not so, or very much so."""
    clause = Clause(subject, BE, Tense.PRESENT, adjective=adjective)
    passing = not adjective.attributes and "person" in subject.tags
    if passing and c.flip(0.25):
        return replace(clause, tense=Tense.PAST, times=when(c, "past", clock=False), negation=_not(c))
    if passing and adjective.word in FORESEEN and c.flip(0.12):
        return replace(clause, tense=Tense.FUTURE, times=when(c, "future", clock=False), negation=_not(c))
    if c.flip(0.2):
        return replace(clause, negation="not")
    return replace(clause, degree=words.VERY) if adjective.graded and c.flip(0.3) else clause


def _not(c: Chooser) -> Negation:
    return "not" if c.flip(0.2) else ""


def whereabouts(c: Chooser) -> Clause:
    """Somebody or something is somewhere."""
    if c.flip(0.5):
        place = phrases.at(c, c.pick(PLACES))
        times = (words.NOW,) if c.flip(0.1) else NEVER_SAID
        return Clause(phrases.person(c), BE, Tense.PRESENT, place=place, negation=_not(c), times=times)
    subject, place = lying(c)
    return Clause(subject, BE, Tense.PRESENT, place=place, negation=_not(c))


def lying(c: Chooser) -> tuple[NounPhrase, Location]:
    """A thing or an animal, and where it is."""
    if c.flip(0.3):
        return phrases.thing(c, c.pick(PETS), "ttpp"), phrases.at(c, c.pick(INDOORS))
    return phrases.thing(c, c.pick(SMALL_THINGS), "tttpp"), phrases.spot(c)


def existence(c: Chooser) -> Clause:
    """There is something, or nothing, somewhere."""
    objects, determiners, where = c.pick(EXISTING)
    place = PLACING[where](c) if where in PLACING else phrases.at(c, c.pick(tagged(where)))
    negation = _not(c)
    noun = c.pick(tagged(objects))
    object_ = phrases.thing(c, noun, "a" if negation else determiners)
    return Clause(NOBODY, VERBS["there.be"], Tense.PRESENT, object_, place=place, negation=negation)


def trade(c: Chooser) -> Clause:
    """Somebody is a doctor."""
    subject = phrases.person(c)
    many = subject.many
    object_ = NounPhrase(c.pick(TRADES), words.BARE if many else words.A, many)
    return Clause(subject, BE, Tense.PRESENT, object_, negation=_not(c))


def age(c: Chooser) -> Clause:
    """Somebody is ten years old."""
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
            return Clause(SKY, VERBS["be.weather"], Tense.PAST, adjective=adjective, times=when(c, "past", clock=False))
        times = (c.pick((words.TODAY, words.NOW)),) if c.flip(0.4) else NEVER_SAID
        return Clause(SKY, VERBS["be.weather"], Tense.PRESENT, adjective=adjective, times=times, negation=_not(c))
    verb = c.pick((VERBS["rain"], VERBS["snow"]))
    letter = c.pick("pdf")
    tag, _ = TIMED[letter]
    times = when(c, tag, clock=False) if letter != "p" or c.flip(0.3) else NEVER_SAID
    return Clause(RAIN, verb, TENSES[letter], times=times, negation=_not(c))


def gift(c: Chooser, subject: NounPhrase, *, asks: Asks = "") -> Clause:
    """Somebody gives, lends, shows, sends or tells something to somebody."""
    gift_ = c.pick(GIFTS)
    letter = c.pick("ddfw" if gift_.name == "give" else "ddfwc")
    recipient = phrases.someone(c, subject)
    if asks != "what" and c.flip(0.1):
        object_ = NounPhrase(words.IT)
    else:
        determiners = suitable(gift_.determiners, letter, "")
        object_ = phrases.thing(c, c.pick(gift_.objects), determiners, subject)
    _, times = _occasion(c, letter, "", asks, gift_)
    negation = "" if object_.counted or (object_.plural and object_.indefinite) else _not(c)
    return Clause(
        subject, gift_.verb, TENSES.get(letter, Tense.PRESENT), object_, recipient,
        modal=MODALS.get(letter), negation=negation, times=times, asks=asks,
    )  # fmt: skip


def put(c: Chooser, subject: NounPhrase) -> Clause:
    """Somebody puts something somewhere."""
    letter = c.pick("ddfcu")
    object_ = phrases.thing(c, c.pick(SMALL_THINGS), "ttto", subject)
    _, times = _occasion(c, letter, "", "", ACTIONS[0])
    negation = _not(c) if letter != "u" else ""
    return Clause(
        subject, VERBS["put"], TENSES.get(letter, Tense.PRESENT), object_, place=phrases.spot(c),
        modal=MODALS.get(letter), negation=negation, times=times,
    )  # fmt: skip


NEVER_SAID: tuple[Phrase, ...] = ()
FORESEEN = frozenset({"happy", "sad", "tired", "late", "angry", "hungry", "busy"})
DESCRIBED = tuple(n for n in tagged("thing animal food place") if phrases.qualities(n) and "name" not in n.tags)
PLACES = tuple(n for n in tagged("place") if n not in tagged("river lake bridge"))
PETS = tagged("pet")
INDOORS = tagged("indoors")
TRADES = tagged("job")
SMALL_THINGS = tagged("losable bookish press letter dish tool fruit clothes worn present")
EXISTING = (
    ("fruit dish bookish letter tool cake sandwich egg", "aanm", "spot"),
    ("bread cheese water milk wine juice chocolate", "a", "table"),
    ("pet bird", "aanm", "indoors"),
    ("child bird dog tree flower", "aanm", "park garden forest"),
    ("child student boy girl", "aanm", "library school museum zoo beach"),
    ("table chair lamp television bed sofa", "aan", "indoors"),
    ("museum castle park church bridge", "aam", "city"),
    ("restaurant hotel museum church castle park bridge", "aa", "near"),
    ("car bike truck", "aanm", "street"),
)
PLACING: dict[str, Callable[[Chooser], Location]] = {
    "spot": phrases.spot, "table": phrases.table, "near": phrases.outside,
}  # fmt: skip
NOBODY = NounPhrase(words.IT)
SKY = NounPhrase(words.SKY)
RAIN = NounPhrase(words.RAIN)
GIFTS = tuple(action for action in ACTIONS if action.name in ("give", "lend", "show", "send", "tell"))
