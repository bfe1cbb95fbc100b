"""Nouns, verbs and adjectives of three languages, read from the tables."""

from __future__ import annotations

from functools import cache

from attnbook.data.grammar.entries import Adjective, Noun, Preposition, Verb
from attnbook.data.grammar.table import Row, rows, spellings


def _noun(row: Row) -> Noun:
    singular, plural = row["singular"], row["plural"]
    at = Preposition(spellings(row["at"]), row["at"], row["french_at"], row["chinese_at"]) if row["at"] else None
    return Noun(
        spellings(singular, plural), singular, plural, row["french"], row["french_plural"], row["gender"] == "f",
        row["french_other"], row["chinese"], row["measure"],
        frozenset({row["class"], *row["tags"].split(), singular.replace(" ", "_")}), at,
    )  # fmt: skip


def _english(row: Row) -> tuple[str, str, str, str, str]:
    """Base, third person, past, participle and -ing; a regular verb lists only its base."""
    base = row["base"]
    third = base + "es" if base.endswith(("ch", "sh")) else base + "s"
    return (
        base, row["third"] or third, row["past"] or base + "ed", row["participle"] or base + "ed",
        row["ing"] or base + "ing",
    )  # fmt: skip


def _french(row: Row) -> tuple[tuple[str, str, str, str, str], str]:
    """Present and participle; a regular verb in -er lists only its infinitive."""
    if row["done"]:
        return (row["je"], row["tu"], row["il"], row["nous"], row["ils"]), row["done"]
    stem = row["infinitive"].removesuffix("er")
    before_o = {"g": stem + "e", "c": stem[:-1] + "ç"}.get(stem[-1], stem)
    return (stem + "e", stem + "es", stem + "e", before_o + "ons", stem + "ent"), stem + "é"


def _verb(row: Row) -> Verb:
    english = _english(row)
    present, done = _french(row)
    return Verb(
        spellings(*english), *english, row["infinitive"], present, done, row["auxiliary"] == "être",
        row["preposition"], row["french_preposition"], row["chinese"], row["coverb"], frozenset(row["traits"].split()),
    )  # fmt: skip


def _agreeing(row: Row) -> tuple[str, str, str, str, str]:
    """Masculine, feminine, their plurals, and masculine before a vowel; all equal if no feminine is listed."""
    masculine, feminine = row["masculine"], row["feminine"]
    if not feminine:
        return (masculine,) * 5
    many = row["masculine_plural"] or (masculine if masculine[-1] in "sx" else masculine + "s")
    return masculine, feminine, many, feminine + "s", row["before_vowel"] or masculine


def _adjective(row: Row) -> Adjective:
    return Adjective(
        spellings(row["english"]), row["english"], row["place"] == "before", _agreeing(row), row["place"] == "having",
        row["chinese_attribute"], row["chinese_predicate"], frozenset(row["stands_before"].split()),
        frozenset(row["said_of"].split()), row["degree"] == "very",
    )  # fmt: skip


NOUNS: tuple[Noun, ...] = tuple(map(_noun, rows("nouns")))
VERBS: dict[str, Verb] = {row["name"]: _verb(row) for row in rows("verbs")}
ADJECTIVES: tuple[Adjective, ...] = tuple(map(_adjective, rows("adjectives")))
NAMED: dict[str, Noun] = {noun.singular: noun for noun in NOUNS}
WEATHER: tuple[Adjective, ...] = tuple(adjective for adjective in ADJECTIVES if "sky" in adjective.predicates)


@cache
def tagged(tags: str) -> tuple[Noun, ...]:
    """The nouns that have any of the tags, which are separated by spaces; a noun's name is also a tag.

    Raises:
        ValueError: no noun has one of the tags.
    """
    found: dict[Noun, None] = {}
    for tag in tags.split():
        nouns = [noun for noun in NOUNS if tag in noun.tags]
        if not nouns:
            raise ValueError(f"tags must each belong to some noun, got {tag!r}")
        found.update(dict.fromkeys(nouns))
    return tuple(found)
