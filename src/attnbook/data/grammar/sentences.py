"""Rules for whole sentences: statements, questions, imperatives, and two clauses in one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from attnbook.data.grammar import clauses, phrases, states, words
from attnbook.data.grammar.choice import Chooser, DeadEndError
from attnbook.data.grammar.linked import because, but
from attnbook.data.grammar.syntax import Clause, Tense, Tree
from attnbook.data.grammar.verbs import VERBS

Rule = Callable[[Chooser], Tree]


def statement(c: Chooser) -> Clause:
    """Any one clause that states something."""
    return c.pick(STATEMENTS)(c)


def simple(c: Chooser) -> Tree:
    """One clause."""
    return Tree(statement(c))


def imperative(c: Chooser) -> Tree:
    """Please do, or do not do."""
    action, letter = clauses.any_action(c, "i")
    clause = clauses.act(c, phrases.PRONOUNS[words.YOU], action, letter, pronouns=False)
    forbidden = action.name in clauses.FORBIDDEN and (action.name != "read" or c.flip(0.5))
    return Tree(replace(clause, negation="not" if forbidden or c.flip(0.2) else ""))


def yes_no(c: Chooser) -> Tree:
    """A question answered by yes or no."""
    subject = phrases.addressee(c)
    kind = c.pick(("act", "act", "act", "ever", "quality", "gift", "there"))
    if kind == "there":
        clause = states.existence(c)
    elif kind == "gift":
        clause = clauses.gift(c, subject)
    elif kind == "quality":
        clause = Clause(subject, clauses.BE, Tense.PRESENT, adjective=c.pick(phrases.qualities(subject.head)))
    elif kind == "ever":
        action, _ = clauses.any_action(c, "e")
        clause = clauses.act(c, subject, action, "e", pronouns=False)
    else:
        action, letter = clauses.any_action(c, "pddffwwcs")
        clause = clauses.act(c, subject, action, letter, pronouns=False)
    return Tree(replace(clause, asks="polar", negation=""))


def wh(c: Chooser) -> Tree:
    """A question with a question word."""
    return Tree(c.pick(WH_QUESTIONS)(c))


def _what(c: Chooser) -> Clause:
    action, letter = clauses.any_action(c, "ppddffw")
    if action.name not in ASKED_FOR:
        raise DeadEndError
    return clauses.act(c, phrases.addressee(c), action, letter, asks="what")


def _whom(c: Chooser) -> Clause:
    action, letter = clauses.any_action(c, "pddfw")
    if not action.someone or action.verb.french_preposition:
        raise DeadEndError
    return clauses.act(c, phrases.addressee(c), action, letter, asks="whom")


def _who(c: Chooser) -> Clause:
    action, letter = clauses.any_action(c, "ppddffw")
    if action.someone:
        raise DeadEndError
    return clauses.act(c, phrases.PRONOUNS[words.HE], action, letter, asks="who", pronouns=False)


def _where(c: Chooser) -> Clause:
    if c.flip(0.3):
        subject = states.pet(c) if c.flip(0.3) else states.belonging(c)
        return Clause(subject, clauses.BE, Tense.PRESENT, asks="where")
    action, letter = clauses.any_action(c, "dddfws")
    if not action.places or (letter == "s" and action.verb is not VERBS["live"]):
        raise DeadEndError
    return clauses.act(c, phrases.addressee(c), action, letter, asks="where", pronouns=False)


def _when(c: Chooser) -> Clause:
    action, letter = clauses.any_action(c, "ddffw")
    return clauses.act(c, phrases.addressee(c), action, letter, asks="when", pronouns=False)


def _why(c: Chooser) -> Clause:
    subject = phrases.addressee(c)
    if c.flip(0.35):
        adjective = c.pick(tuple(a for a in phrases.qualities(subject.head) if not a.attributes))
        return Clause(subject, clauses.BE, Tense.PRESENT, adjective=adjective, asks="why")
    action, letter = clauses.any_action(c, "ppddwl")
    clause = clauses.act(c, subject, action, letter, asks="why", pronouns=False)
    negatable = letter == "d" and action.name not in MISHAPS and not _indefinite(clause)
    return replace(clause, negation="not" if negatable and c.flip(0.5) else "")


def _indefinite(clause: Clause) -> bool:
    return clause.object is not None and (clause.object.indefinite or clause.object.counted)


def that(c: Chooser) -> Tree:
    """Somebody thinks, says, knows, hopes or believes something."""
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
    """Somebody is going to do something."""
    subject = phrases.person(c)
    action, letter = clauses.any_action(c, "f")
    return clauses.act(c, subject, action, letter, negation=clauses.negation_of(c, action, letter))


REPORTS = (VERBS["think"], VERBS["think"], VERBS["say"], VERBS["say"], VERBS["know"], VERBS["hope"], VERBS["believe"])
STATEMENTS: tuple[Callable[[Chooser], Clause], ...] = (
    *(clauses.event,) * 9,
    *(states.any_quality,) * 3,
    *(states.whereabouts,) * 2,
    states.existence,
    states.trade,
    states.age,
    states.weather,
    lambda c: clauses.gift(c, phrases.person(c)),
    lambda c: clauses.gift(c, phrases.person(c)),
    lambda c: clauses.put(c, phrases.person(c)),
)
MISHAPS = frozenset({"fall", "lose", "break", "break.device", "miss", "cry", "forget", "receive"})
ASKED_FOR = frozenset(
    {"eat", "drink", "buy", "sell", "read", "write", "watch", "look.seek", "find", "lose", "forget", "cook", "make"}
    | {"draw", "repair", "see"}
)
WH_QUESTIONS = (_what, _what, _whom, _who, _where, _where, _when, _why)
RULES: tuple[Rule, ...] = (
    *(simple,) * 22,
    imperative,
    *(yes_no,) * 5,
    *(wh,) * 5,
    *(that,) * 4,
    *(because,) * 5,
    *(but,) * 3,
)


def sentence(c: Chooser) -> Tree:
    """Any sentence of the grammar."""
    return c.pick(RULES)(c)
