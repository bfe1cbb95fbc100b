"""Rules for whole sentences: statements, questions, imperatives, and two clauses in one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attnbook.data.grammar import clauses, phrases, states, words
from attnbook.data.grammar.choice import Chooser, DeadEndError, weighted
from attnbook.data.grammar.forms import Form
from attnbook.data.grammar.lexicon import VERBS
from attnbook.data.grammar.linked import because, but
from attnbook.data.grammar.syntax import Clause, Tense, Tree


def statement(c: Chooser) -> Clause:
    """A clause that states something."""
    return c.pick(STATEMENTS)(c)


def simple(c: Chooser) -> Tree:
    """One clause."""
    return Tree(statement(c))


def imperative(c: Chooser) -> Tree:
    """A request ("please ...") or a prohibition ("do n't ...")."""
    action, form = clauses.any_action(c, Form.IMPERATIVE)
    clause = clauses.act(c, phrases.PRONOUNS[words.YOU], action, form, pronouns=False)
    forbidden = action.name in clauses.FORBIDDEN and (action.name != "read" or c.flip(0.5))
    return Tree(replace(clause, negation="not" if forbidden or c.flip(0.2) else ""))


def yes_no(c: Chooser) -> Tree:
    """A question answered by yes or no."""
    subject = phrases.addressee(c)
    kind = c.pick(weighted({"act": 3, "ever": 1, "quality": 1, "gift": 1, "there": 1}))
    if kind == "there":
        clause = states.existence(c)
    elif kind == "gift":
        clause = clauses.gift(c, subject)
    elif kind == "quality":
        clause = Clause(subject, clauses.BE, Tense.PRESENT, adjective=c.pick(phrases.qualities(subject.head)))
    elif kind == "ever":
        action, form = clauses.any_action(c, Form.EVER)
        clause = clauses.act(c, subject, action, form, pronouns=False)
    else:
        action, form = clauses.any_action(c, *ASKED, Form.CAN, Form.STATE)
        clause = clauses.act(c, subject, action, form, pronouns=False)
    return Tree(replace(clause, asks="polar", negation=""))


def wh(c: Chooser) -> Tree:
    """A question with a question word."""
    return Tree(c.pick(WH_QUESTIONS)(c))


def _what(c: Chooser) -> Clause:
    action, form = clauses.any_action(c, *ASKED)
    if action.name not in ASKED_FOR:
        raise DeadEndError
    return clauses.act(c, phrases.addressee(c), action, form, asks="what")


def _whom(c: Chooser) -> Clause:
    action, form = clauses.any_action(c, *ASKED)
    if not action.someone or action.verb.french_preposition:
        raise DeadEndError
    return clauses.act(c, phrases.addressee(c), action, form, asks="whom")


def _who(c: Chooser) -> Clause:
    action, form = clauses.any_action(c, *ASKED)
    if action.someone:
        raise DeadEndError
    return clauses.act(c, phrases.PRONOUNS[words.HE], action, form, asks="who", pronouns=False)


def _where(c: Chooser) -> Clause:
    if c.flip(0.3):
        subject = states.pet(c) if c.flip(0.3) else states.belonging(c)
        return Clause(subject, clauses.BE, Tense.PRESENT, asks="where")
    action, form = clauses.any_action(c, Form.PAST, Form.FUTURE, Form.WANT, Form.STATE)
    if not action.places or (form is Form.STATE and action.verb is not VERBS["live"]):
        raise DeadEndError
    return clauses.act(c, phrases.addressee(c), action, form, asks="where", pronouns=False)


def _when(c: Chooser) -> Clause:
    action, form = clauses.any_action(c, Form.PAST, Form.FUTURE, Form.WANT)
    return clauses.act(c, phrases.addressee(c), action, form, asks="when", pronouns=False)


def _why(c: Chooser) -> Clause:
    subject = phrases.addressee(c)
    if c.flip(0.35):
        adjective = c.pick(tuple(a for a in phrases.qualities(subject.head) if not a.attributes))
        return Clause(subject, clauses.BE, Tense.PRESENT, adjective=adjective, asks="why")
    action, form = clauses.any_action(c, Form.PROGRESSIVE, Form.PAST, Form.WANT, Form.LIKE)
    clause = clauses.act(c, subject, action, form, asks="why", pronouns=False)
    negatable = form is Form.PAST and action.name not in MISHAPS and not _indefinite(clause)
    return replace(clause, negation="not" if negatable and c.flip(0.5) else "")


def _indefinite(clause: Clause) -> bool:
    return clause.object is not None and (clause.object.indefinite or clause.object.counted)


def that(c: Chooser) -> Tree:
    """A person thinks, says, knows, hopes or believes something."""
    verb = c.pick(REPORTS)
    reporter = phrases.third_person(c) if verb is VERBS["say"] else phrases.person(c)
    matrix = Clause(reporter, verb, Tense.PRESENT)
    if verb is VERBS["hope"]:
        content = replace(_expected(c), negation="")
    elif verb is VERBS["believe"]:
        content = _expected(c) if c.flip(0.5) else states.any_quality(c)
    else:
        content = statement(c)
    if content.subject.head is reporter.head and not reporter.pronoun:
        raise DeadEndError
    if verb is VERBS["think"] and c.flip(0.3):
        matrix = replace(matrix, subject=phrases.addressee(c), asks="polar")
    return Tree(matrix, "that", content)


def _expected(c: Chooser) -> Clause:
    """A person is going to do something."""
    subject = phrases.person(c)
    action, form = clauses.any_action(c, Form.FUTURE)
    return clauses.act(c, subject, action, form, negation=clauses.negation_of(c, action, form))


def _gift(c: Chooser) -> Clause:
    return clauses.gift(c, phrases.person(c))


def _put(c: Chooser) -> Clause:
    return clauses.put(c, phrases.person(c))


ASKED = (Form.PROGRESSIVE, Form.PAST, Form.FUTURE, Form.WANT)
REPORTS = weighted({VERBS["think"]: 2, VERBS["say"]: 2, VERBS["know"]: 1, VERBS["hope"]: 1, VERBS["believe"]: 1})
STATEMENTS: tuple[Callable[[Chooser], Clause], ...] = weighted(
    {
        clauses.event: 9, states.any_quality: 3, states.whereabouts: 2, states.existence: 1, states.trade: 1,
        states.age: 1, states.weather: 1, _gift: 2, _put: 1,
    }
)  # fmt: skip
MISHAPS = frozenset({"fall", "lose", "break", "break.device", "miss", "cry", "forget", "receive"})
ASKED_FOR = frozenset(
    {"eat", "drink", "buy", "sell", "read", "write", "watch", "look.seek", "find", "lose", "forget", "cook", "make"}
    | {"draw", "repair", "see"}
)
WH_QUESTIONS = weighted({_what: 2, _whom: 1, _who: 1, _where: 2, _when: 1, _why: 1})
RULES: tuple[Callable[[Chooser], Tree], ...] = weighted(
    {simple: 22, imperative: 1, yes_no: 5, wh: 5, that: 4, because: 5, but: 3}
)


def sentence(c: Chooser) -> Tree:
    """Any sentence of the grammar."""
    return c.pick(RULES)(c)
