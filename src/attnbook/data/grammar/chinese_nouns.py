"""Chinese noun phrases: measure words, 的, 们 and the localizers of places.

English "the" becomes 那 and a measure word, or nothing where a bare noun is understood as definite: rooms and mass
nouns, nouns after a preposition, and a person in a known role, a place or an animal in a statement about a temporary
state. Before an adjective it is always rendered.
"""

from __future__ import annotations

from attnbook.data.grammar.entries import Noun, Pronoun
from attnbook.data.grammar.line import Line
from attnbook.data.grammar.syntax import Location, NounPhrase


def noun_phrase(line: Line, phrase: NounPhrase, role: str, *, topic: bool = False, bare: bool = False) -> None:
    """Render ``phrase``.

    Args:
        topic: whether it is the subject of a statement about a temporary state, so that a bare noun is definite.
        bare: whether to omit articles; "the" before an adjective is rendered all the same.
    """
    head = phrase.head
    if isinstance(head, Pronoun):
        line.add(head.chinese, role + ".noun")
        return
    if phrase.owner is not None:
        line.add(phrase.owner.chinese, role + ".owner")
        line.add("的", role + ".of")
        line.notes.add("的")
    group = _determine(line, phrase, head, role, topic=topic, bare=bare)
    if phrase.adjective is not None:
        owned = phrase.possessed
        attribute = phrase.adjective.attribute
        if attribute.endswith(" 的"):
            line.notes.add("的")
            attribute = attribute.removesuffix(" 的") if owned else attribute
        line.add(attribute, role + ".adj")
    line.add(head.chinese, role + ".noun")
    if group:
        line.add("们", role + ".noun")
        line.notes.add("plural 们")


def _determine(line: Line, phrase: NounPhrase, head: Noun, role: str, *, topic: bool, bare: bool) -> bool:
    """Render the determiner, and return whether 们 follows the noun."""
    kind, person = kind_of(phrase), "person" in head.tags
    key = role + ".det"
    if kind == "possessive":
        assert phrase.determiner is not None
        kin = "kin" in head.tags and phrase.adjective is None and "们" not in phrase.determiner.chinese[0]
        line.add(phrase.determiner.chinese[0] + ("" if kin else " 的"), key)
        line.notes.update(() if kin else ("的",))
        return phrase.plural and person
    if kind in ("", "bare") or (bare and kind in ("a", "some")):
        return False
    if kind == "the" and phrase.adjective is None and (bare or _known(phrase, head, topic)):
        return phrase.plural and person
    if kind == "the" and phrase.plural and person and phrase.adjective is None:
        return True
    assert phrase.determiner is not None
    form = phrase.determiner.chinese[phrase.plural]
    if "M" in form.split():
        line.notes.add("measure word")
    line.add(form.replace("M", head.measure), key)
    return False


def kind_of(phrase: NounPhrase) -> str:
    return "" if phrase.determiner is None else phrase.determiner.kind


def _known(phrase: NounPhrase, head: Noun, topic: bool) -> bool:
    """Whether a bare noun renders English "the"."""
    if head.tags & {"room", "mass", "known"}:
        return True
    return topic and bool(head.tags & {"role", "place"} or ("animal" in head.tags and not phrase.plural))


def location(line: Line, place: Location, prefix: str) -> None:
    """Render the noun and its localizer, without 在."""
    noun_phrase(line, place.phrase, prefix + "place", bare=True)
    line.add(place.preposition.chinese, prefix + "place.prep")
