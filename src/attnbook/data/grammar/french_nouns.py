"""French noun phrases: agreement of articles and adjectives, and where the adjective stands."""

from __future__ import annotations

from attnbook.data.grammar.entries import Determiner, Noun, Pronoun, vowel_sound
from attnbook.data.grammar.line import Line
from attnbook.data.grammar.syntax import NounPhrase

BEFORE_VOWEL = {"ma": "mon", "ta": "ton", "sa": "son", "ce": "cet"}


def noun_phrase(line: Line, phrase: NounPhrase, role: str, *, bare: str = "de", negated: bool = False) -> None:
    """Render ``phrase``.

    Args:
        bare: what replaces a missing English article: "le" (in general), "de" (some of it) or "" (none).
        negated: whether an indefinite article becomes "de".
    """
    head = phrase.head
    if isinstance(head, Pronoun):
        line.add(head.french, role + ".noun")
        return
    noun = head.french_plural if phrase.plural else head.french
    adjective, before = "", False
    if phrase.adjective is not None:
        masculine, feminine, masculines, feminines, vowel = phrase.adjective.french
        before = phrase.adjective.before
        adjective = (masculine, feminine, masculines, feminines)[2 * phrase.plural + head.feminine]
        if before and not phrase.plural and adjective == masculine and vowel_sound(noun):
            adjective = vowel
        line.notes.add("adjective before noun" if before else "adjective after noun")
        if adjective not in (masculine, vowel):
            line.notes.add("adjective agreement")
    following = adjective if before else noun
    _determiner(line, phrase, role, following, bare=bare, negated=negated, before=before)
    line.add(adjective if before else "", role + ".adj")
    line.add(noun, role + ".noun")
    line.add("" if before else adjective, role + ".adj")
    if phrase.owner is not None:
        line.add("de", role + ".of")
        line.add(phrase.owner.french, role + ".owner")


def _determiner(
    line: Line, phrase: NounPhrase, role: str, following: str, *, bare: str, negated: bool, before: bool
) -> None:
    assert isinstance(phrase.head, Noun)
    key = role + (".noun" if "home" in phrase.head.tags else ".det")  # "home" stands for "la maison"
    if "name" in phrase.head.tags:
        return
    determiner = phrase.determiner
    if determiner is None:
        form = ("le", "la", "les")[_column(phrase)]
        line.add(form, key)
        return
    form = determiner.french[_column(phrase)]
    partitive = determiner.kind == "some" or (determiner.kind == "bare" and bare == "de")
    if negated and phrase.indefinite and not (determiner.kind == "bare" and bare != "de"):
        line.add("de", key)
        line.notes.add("negated article")
    elif determiner.kind == "bare" and not bare:
        return
    elif determiner.kind == "many":
        line.add("beaucoup de", key)
    elif partitive and phrase.plural:
        line.add("de" if before else "des", key)
    elif partitive:
        line.add("de " + ("la" if phrase.feminine else "le"), key)
        line.notes.add("partitive")
    else:
        line.add(BEFORE_VOWEL.get(form, form) if vowel_sound(following) else form, key)
        _note_determiner(line, determiner, phrase)


def _column(phrase: NounPhrase) -> int:
    """The form of a determiner: 0 masculine, 1 feminine, 2 plural."""
    return 2 if phrase.plural else int(phrase.feminine)


def _note_determiner(line: Line, determiner: Determiner, phrase: NounPhrase) -> None:
    if determiner.kind == "possessive":
        line.notes.add("possessive")
    if determiner.kind != "number" and _column(phrase):
        line.notes.add("article agreement")
