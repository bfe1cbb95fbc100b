"""Rules for clauses: which actions, objects, tenses, times and places go together."""

from __future__ import annotations

from functools import cache

from attnbook.data.grammar import phrases, words
from attnbook.data.grammar.actions import ACTIONS, Action
from attnbook.data.grammar.choice import Chooser, DeadEndError, weighted
from attnbook.data.grammar.entries import Noun, Phrase
from attnbook.data.grammar.forms import Det, Form, Weights
from attnbook.data.grammar.lexicon import VERBS, tagged
from attnbook.data.grammar.syntax import Asks, Clause, Location, Negation, NounPhrase

BE = VERBS["be"]
# The determiners that sound natural in each form, and in its negation. Forms that SUITS does not list allow all.
SUITS: dict[Form, set[Det]] = {
    Form.IMPERATIVE: {Det.THE, Det.OWN, Det.THIS},
    Form.PROGRESSIVE: {Det.THE, Det.A, Det.ONE, Det.OWN, Det.GENERAL, Det.THIS, Det.NAME},
    Form.HABIT: {Det.THE, Det.A, Det.ONE, Det.OWN, Det.GENERAL, Det.THIS, Det.NUMBER},
    Form.LIKE: {Det.GENERAL},
    Form.EVER: {Det.THE, Det.A, Det.ONE, Det.OWN, Det.THIS, Det.GENERAL},
}
SUITS_NEGATED: dict[Form, set[Det]] = {
    Form.PROGRESSIVE: {Det.THE, Det.OWN, Det.GENERAL, Det.THIS, Det.NAME},
    Form.PAST: {Det.THE, Det.A, Det.ONE, Det.OWN, Det.THIS, Det.GENERAL, Det.POSSESSIVE, Det.NAME},
    Form.STATE: {Det.THE, Det.A, Det.ONE, Det.OWN, Det.GENERAL, Det.THIS, Det.POSSESSIVE},
    Form.LIKE: {Det.GENERAL},
}
SUITS_NEVER = {Det.THE, Det.A, Det.ONE, Det.OWN}
DEFINITE = {Det.THE, Det.OWN, Det.THIS, Det.POSSESSIVE, Det.NAME}
FORBIDDEN = frozenset(
    {"eat", "drink", "drink.alcohol", "open", "sell", "read", "swim", "run", "sleep", "leave", "drive"}
)
STANDALONE_IT = frozenset(
    {"eat", "buy", "sell", "read", "write", "wash", "repair", "open", "close", "find", "lose", "break", "watch"}
)
# The times that go with a form, and the probability of one.
TIMED = {
    Form.PAST: ("past", 0.5), Form.FUTURE: ("future", 0.5), Form.WANT: ("future", 0.2), Form.CAN: ("future", 0.2),
    Form.PROGRESSIVE: ("progressive", 0.1),
}  # fmt: skip
ONCE = frozenset({Form.PAST, Form.FUTURE, Form.ALREADY, Form.WANT, Form.CAN, Form.MUST})
WORN = frozenset({"wear.clothes", "wash", "want"})
FOR_ADULTS = frozenset({"drive", "drink.alcohol"})
ANY_TIME: frozenset[str] = frozenset()
NO_TIME: tuple[Phrase, ...] = ()


@cache
def _times(tag: str, suited: frozenset[str]) -> tuple[Phrase, ...]:
    """The times with ``tag`` that suit an action: long ones only if it allows them, only days if it requires them."""
    times = (time for time in words.TIMES if tag in time.tags and ("long" in suited or "long" not in time.tags))
    return tuple(time for time in times if "day" not in suited or "day" in time.tags)


def when(c: Chooser, tag: str, suited: frozenset[str] = ANY_TIME) -> tuple[Phrase, ...]:
    """A time, a day with an hour, or an hour alone, as it suits an action."""
    if "hour" in suited and c.flip(0.15):
        return (c.pick(words.CLOCK),)
    time = c.pick(_times(tag, suited))
    return (time, c.pick(words.CLOCK)) if "hour" in suited and "stop" in time.tags and c.flip(0.15) else (time,)


def act(
    c: Chooser, subject: NounPhrase, action: Action, form: Form, *, negation: Negation = "", asks: Asks = "",
    pronouns: bool = True, plain: bool = False,
) -> Clause:  # fmt: skip
    """A clause of ``action`` in a form.

    Args:
        pronouns: whether "it" may stand for an object that was not mentioned.
        plain: whether time and place are left out.
    """
    if "young_one" in subject.tags and action.name in FOR_ADULTS:
        raise DeadEndError
    object_ = None
    if asks not in ("what", "whom"):
        object_ = _object(c, subject, action, form, negation, asks, pronouns)
    place = _place(c, action, form, plain, asks)
    adverb, times = None, NO_TIME
    if not plain or form in (Form.HABIT, Form.ALREADY):
        adverb, times = _occasion(c, form, negation, asks, action.times)
    return Clause(
        subject, action.verb, form.tense, object_, place=place, modal=form.modal, negation=negation, adverb=adverb,
        times=times, asks=asks,
    )  # fmt: skip


def _object(
    c: Chooser, subject: NounPhrase, action: Action, form: Form, negation: Negation, asks: Asks, pronouns: bool
) -> NounPhrase | None:
    """The object: definite in a "where" or "when" question, and without "his own" in a "who" question."""
    if action.someone:
        return phrases.someone(c, subject)
    if not action.objects:
        return None
    if pronouns and action.name in STANDALONE_IT and form in ONCE and c.flip(0.08):
        return NounPhrase(words.IT)
    if "plain" in action.verb.traits:
        return NounPhrase(c.pick(action.objects), words.THE)
    noun = c.pick(objects_of(action, subject.feminine))
    determiners = suitable(action.determiners, form, negation)
    if asks in ("where", "when"):
        definite = {det: weight for det, weight in determiners.items() if det in DEFINITE}
        determiners = definite if definite and noun.plural else {**definite, Det.GENERAL: 1}
    return phrases.thing(c, noun, determiners, None if asks == "who" else subject)


@cache
def objects_of(action: Action, feminine: bool) -> tuple[Noun, ...]:
    """The objects that suit the subject's sex: a man does not wear, wash or want dresses and skirts."""
    anything = feminine or action.name not in WORN
    return tuple(noun for noun in action.objects if anything or "womens" not in noun.tags)


def suitable(determiners: Weights, form: Form, negation: Negation) -> Weights:
    """The ``determiners`` that sound natural in the form."""
    suits = SUITS.get(form, set(Det))
    if form is Form.HABIT and negation and Det.GENERAL in determiners:
        suits = {Det.GENERAL}
    elif form is Form.HABIT and negation == "never":
        suits = SUITS_NEVER
    elif negation:
        suits = SUITS_NEGATED.get(form, SUITS_NEGATED[Form.PAST])
    return {det: weight for det, weight in determiners.items() if det in suits}


def _place(c: Chooser, action: Action, form: Form, plain: bool, asks: Asks) -> Location | None:
    if not action.places or asks == "where":
        return None
    if action.verb.traits & {"at", "goal"}:
        return phrases.at(c, c.pick(action.places))
    unplaced = plain or form in (Form.ALREADY, Form.IMPERATIVE) or "zhe" in action.verb.traits
    if unplaced or not c.flip(0.25):
        return None
    return phrases.at(c, c.pick(action.places))


def _occasion(
    c: Chooser, form: Form, negation: Negation, asks: Asks, suited: frozenset[str]
) -> tuple[Phrase | None, tuple[Phrase, ...]]:
    """How often and when."""
    days = suited - {"hour"}
    if form is Form.ALREADY:
        return words.ALREADY, NO_TIME
    if form is Form.HABIT and not negation and asks not in ("where", "when"):
        if c.flip(0.4):
            return c.pick((words.OFTEN, words.ALWAYS, words.SOMETIMES, words.OFTEN)), NO_TIME
        return None, when(c, "habit", days)
    if asks == "when" or form not in TIMED:
        return None, NO_TIME
    tag, probability = TIMED[form]
    if not c.flip(probability):
        return None, NO_TIME
    return None, when(c, tag, suited if form in (Form.PAST, Form.FUTURE) and not negation else days)


def negation_of(c: Chooser, action: Action, form: Form) -> Negation:
    """The negation of an action, in about one case in five where it sounds natural."""
    if form is Form.EVER:
        return "never"
    allowed = form is Form.MUST and action.name not in FORBIDDEN
    if form in (Form.ALREADY, Form.IMPERATIVE) or allowed or not c.flip(0.22):
        return ""
    if form is Form.HABIT:
        objectless = not action.objects and not action.someone
        general = objectless or Det.GENERAL in action.determiners
        return c.pick(("not", "never")) if general else "never"
    return "not" if not action.objects or suitable(action.determiners, form, "not") else ""


def any_action(c: Chooser, *forms: Form) -> tuple[Action, Form]:
    """An action and one of its forms among ``forms``."""
    action = c.pick(_actions(forms))
    return action, c.pick(tuple(form for form in action.forms if form in forms))


@cache
def _actions(forms: tuple[Form, ...]) -> tuple[Action, ...]:
    return tuple(action for action in ACTIONS if set(forms) & set(action.forms))


@cache
def named(names: str) -> tuple[Action, ...]:
    """The actions with these names, which are separated by spaces."""
    return tuple(action for action in ACTIONS if action.name in names.split())


def event(c: Chooser) -> Clause:
    """A person does something."""
    subject = phrases.person(c)
    action, form = any_action(c, *STATED)
    return act(c, subject, action, form, negation=negation_of(c, action, form))


def perhaps_not(c: Chooser) -> Negation:
    """A negation in one case in five."""
    return "not" if c.flip(0.2) else ""


def gift(c: Chooser, subject: NounPhrase) -> Clause:
    """A person gives, lends, shows, sends or tells something to another person."""
    gift_ = c.pick(GIFTS)
    able = {} if gift_.name == "give" else {Form.CAN: 1}
    form = c.pick(weighted({Form.PAST: 2, Form.FUTURE: 1, Form.WANT: 1, **able}))
    recipient = phrases.someone(c, subject)
    if gift_.name != "tell" and c.flip(0.1):
        object_ = NounPhrase(words.IT)
    else:
        object_ = phrases.thing(c, c.pick(gift_.objects), suitable(gift_.determiners, form, ""), subject)
    _, times = _occasion(c, form, "", "", gift_.times)
    negation = "" if object_.counted or (object_.plural and object_.indefinite) else perhaps_not(c)
    return Clause(
        subject, gift_.verb, form.tense, object_, recipient, modal=form.modal, negation=negation, times=times
    )  # fmt: skip


def put(c: Chooser, subject: NounPhrase) -> Clause:
    """A person puts something somewhere."""
    form = c.pick(weighted({Form.PAST: 2, Form.FUTURE: 1, Form.MUST: 1}))
    object_ = phrases.thing(c, c.pick(SMALL_THINGS), {Det.THE: 3, Det.OWN: 1}, subject)
    _, times = _occasion(c, form, "", "", ANY_TIME)
    negation = perhaps_not(c) if form is not Form.MUST else ""
    return Clause(
        subject, VERBS["put"], form.tense, object_, place=phrases.spot(c), modal=form.modal, negation=negation,
        times=times,
    )  # fmt: skip


STATED = tuple(form for form in Form if form is not Form.IMPERATIVE)
SMALL_THINGS = tagged("losable bookish press letter dish tool fruit clothes worn present")
GIFTS = named("give lend show send tell")
