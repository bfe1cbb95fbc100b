"""Rules for clauses: what can be said of whom, in which tense, when and where."""

from __future__ import annotations

from functools import cache

from attnbook.data.grammar import phrases, words
from attnbook.data.grammar.actions import ACTIONS, Action
from attnbook.data.grammar.choice import Chooser, DeadEndError
from attnbook.data.grammar.entries import Noun, Phrase
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
SUITS = {"i": "tod", "p": "tasogdw", "h": "tasogdn", "l": "g", "s": "tasogdnmpw", "e": "tasodg"}
SUITS_NEGATED = {"p": "togdw", "h": "g", "never": "taso", "s": "tasogdp", "d": "tasodgpw", "l": "g"}
FORBIDDEN = frozenset(
    {"eat", "drink", "drink.alcohol", "open", "sell", "read", "swim", "run", "sleep", "leave", "drive"}
)
STANDALONE_IT = frozenset(
    {"eat", "buy", "sell", "read", "write", "wash", "repair", "open", "close", "find", "lose", "break", "watch"}
)
# The times that go with a tense, and how often one is said.
TIMED = {
    "d": ("past", 0.5),
    "f": ("future", 0.5),
    "w": ("future", 0.2),
    "c": ("future", 0.2),
    "p": ("progressive", 0.1),
}
WORN = frozenset({"wear.clothes", "wash", "want"})
PLACED = frozenset({"at", "goal"})


@cache
def _times(tag: str, marks: str) -> tuple[Phrase, ...]:
    """The times with ``tag`` that suit an action with ``marks``: + allows long ones, * whole days only."""
    times = (time for time in words.TIMES if tag in time.tags and ("+" in marks or "long" not in time.tags))
    return tuple(time for time in times if "*" not in marks or "day" in time.tags)


def when(c: Chooser, tag: str, marks: str = "") -> tuple[Phrase, ...]:
    """A time, a day with an hour, or an hour alone; the hour with the mark @ only."""
    if "@" in marks and c.flip(0.15):
        return (c.pick(words.CLOCK),)
    time = c.pick(_times(tag, marks))
    return (time, c.pick(words.CLOCK)) if "@" in marks and "stop" in time.tags and c.flip(0.15) else (time,)


def act(
    c: Chooser, subject: NounPhrase, action: Action, letter: str, *, negation: Negation = "", asks: Asks = "",
    pronouns: bool = True, plain: bool = False,
) -> Clause:  # fmt: skip
    """A clause of ``action`` in the tense or with the modal of ``letter``.

    Args:
        pronouns: whether "it" may stand for an object that was not mentioned.
        plain: whether time and place are left out.
    """
    if "young_one" in subject.tags and action.name in ("drive", "drink.alcohol"):
        raise DeadEndError
    object_ = None
    if asks not in ("what", "whom"):
        object_ = _object(c, subject, action, letter, negation, asks, pronouns)
    place = _place(c, action, letter, plain, asks)
    adverb, times = (None, NEVER_SAID) if plain and letter not in "hx" else _occasion(c, letter, negation, asks, action)
    tense, modal = TENSES.get(letter, Tense.PRESENT), MODALS.get(letter)
    return Clause(
        subject, action.verb, tense, object_, place=place, modal=modal, negation=negation, adverb=adverb,
        times=times, asks=asks,
    )  # fmt: skip


def _object(
    c: Chooser, subject: NounPhrase, action: Action, letter: str, negation: Negation, asks: Asks, pronouns: bool
) -> NounPhrase | None:
    """The object: definite in a question about the time or place of an event, and not the own one of "who"."""
    if action.someone:
        return phrases.someone(c, subject)
    if not action.objects:
        return None
    if pronouns and action.name in STANDALONE_IT and letter in "dfxwcu" and c.flip(0.08):
        return NounPhrase(words.IT)
    if "plain" in action.verb.traits:
        return NounPhrase(c.pick(action.objects), words.THE)
    noun = c.pick(objects_of(action, subject.feminine))
    determiners = suitable(action.determiners, letter, negation)
    if asks in ("where", "when"):
        definite = "".join(letter for letter in determiners if letter in "todpw")
        determiners = definite if definite and noun.plural else definite + "g"
    return phrases.thing(c, noun, determiners, None if asks == "who" else subject)


@cache
def objects_of(action: Action, feminine: bool) -> tuple[Noun, ...]:
    """What somebody of that sex does it with: a man does not wear, wash or want dresses and skirts."""
    anything = feminine or action.name not in WORN
    return tuple(noun for noun in action.objects if anything or "womens" not in noun.tags)


def suitable(determiners: str, letter: str, negation: Negation) -> str:
    """Those of ``determiners`` that sound right in the tense of ``letter``."""
    suits = SUITS.get(letter, "tasogdnmpw")
    if letter == "h" and negation and "g" in determiners:
        suits = "g"
    elif negation:
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
        return None, when(c, "habit", action.marks.replace("@", ""))
    if asks == "when" or letter not in TIMED:
        return None, NEVER_SAID
    tag, probability = TIMED[letter]
    if not c.flip(probability):
        return None, NEVER_SAID
    return None, when(c, tag, action.marks if letter in "df" and not negation else action.marks.replace("@", ""))


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


def perhaps_not(c: Chooser) -> Negation:
    """A negation one time in five."""
    return "not" if c.flip(0.2) else ""


def gift(c: Chooser, subject: NounPhrase) -> Clause:
    """Somebody gives, lends, shows, sends or tells something to somebody."""
    gift_ = c.pick(GIFTS)
    letter = c.pick("ddfw" if gift_.name == "give" else "ddfwc")
    recipient = phrases.someone(c, subject)
    if gift_.name != "tell" and c.flip(0.1):
        object_ = NounPhrase(words.IT)
    else:
        determiners = suitable(gift_.determiners, letter, "")
        object_ = phrases.thing(c, c.pick(gift_.objects), determiners, subject)
    _, times = _occasion(c, letter, "", "", gift_)
    negation = "" if object_.counted or (object_.plural and object_.indefinite) else perhaps_not(c)
    return Clause(
        subject, gift_.verb, TENSES.get(letter, Tense.PRESENT), object_, recipient,
        modal=MODALS.get(letter), negation=negation, times=times,
    )  # fmt: skip


def put(c: Chooser, subject: NounPhrase) -> Clause:
    """Somebody puts something somewhere."""
    letter = c.pick("ddfu")
    object_ = phrases.thing(c, c.pick(SMALL_THINGS), "ttto", subject)
    _, times = _occasion(c, letter, "", "", ACTIONS[0])
    negation = perhaps_not(c) if letter != "u" else ""
    return Clause(
        subject, VERBS["put"], TENSES.get(letter, Tense.PRESENT), object_, place=phrases.spot(c),
        modal=MODALS.get(letter), negation=negation, times=times,
    )  # fmt: skip


NEVER_SAID: tuple[Phrase, ...] = ()
SMALL_THINGS = tagged("losable bookish press letter dish tool fruit clothes worn present")
GIFTS = tuple(action for action in ACTIONS if action.name in ("give", "lend", "show", "send", "tell"))
