"""The grammatical phenomena that the abstract form of a sentence determines, in any language."""

from __future__ import annotations

from attnbook.data.grammar.lexicon import VERBS
from attnbook.data.grammar.syntax import Clause, Tense, Tree

PHENOMENA = (
    # of the sentence, in every language
    "present", "past", "near future", "imperative", "negation", "yes-no question", "wh-question", "that-clause",
    "because-clause", "but-clause", "place", "time", "frequency", "possessive", "modal", "recipient", "existence",
    "pronoun with antecedent",
    # of the French target
    "article agreement", "adjective agreement", "participle agreement", "adjective before noun",
    "adjective after noun", "object clitic", "negated article", "elision", "contraction", "partitive",
    # of the Chinese target
    "measure word", "的", "aspect 了", "aspect 过", "aspect 在", "aspect 着", "negation 不", "negation 没",
    "question 吗", "time before verb", "place before verb", "plural 们", "把", "是 的",
)  # fmt: skip
"""Every name that ``Pair.phenomena`` can hold."""

TENSES = {
    Tense.PRESENT: "present", Tense.PROGRESSIVE: "present", Tense.HABIT: "present", Tense.PAST: "past",
    Tense.PERFECT: "past", Tense.FUTURE: "near future", Tense.IMPERATIVE: "imperative",
}  # fmt: skip


def notes(tree: Tree) -> frozenset[str]:
    """The names of the phenomena in ``tree``."""
    found: set[str] = set()
    for clause in (tree.first, tree.second):
        if clause is not None:
            found |= _of_clause(clause)
    if tree.link:
        found.add(tree.link + "-clause")
    if tree.second is not None and _takes_up(tree.first, tree.second):
        found.add("pronoun with antecedent")
    return frozenset(found)


def _of_clause(clause: Clause) -> set[str]:
    phrases = [p for p in (clause.subject, clause.object, clause.recipient) if p is not None]
    found = {
        "negation": clause.negation != "",
        "yes-no question": clause.asks == "polar",
        "wh-question": clause.asks not in ("", "polar"),
        "place": clause.place is not None,
        "time": bool(clause.times),
        "frequency": clause.adverb is not None,
        "modal": clause.modal is not None,
        "recipient": clause.recipient is not None,
        "existence": clause.verb is VERBS["be.there"],
        "possessive": any(p.possessed for p in phrases),
    }
    return {TENSES[clause.tense], *(name for name, holds in found.items() if holds)}


def _takes_up(first: Clause, second: Clause) -> bool:
    """Whether "it" or "them" of the second clause stands for a thing of the first."""
    things = [p for p in (first.subject, first.object) if p is not None and p.pronoun is None]
    again = [p.pronoun for p in (second.subject, second.object) if p is not None and p.pronoun is not None]
    return bool(things) and any(p.chinese in ("它", "它们") for p in again)
