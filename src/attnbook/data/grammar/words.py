"""The small words of the grammar: pronouns, determiners, prepositions, adverbs, times and other fixed phrases.

What English leaves open is fixed here: "i", "we", "you" and "they" are masculine, and "you" is one person addressed
as tu and 你. "it", "they" and "their" take the gender of their antecedent if there is one.
"""

from __future__ import annotations

from attnbook.data.grammar.entries import Determiner, Phrase, Preposition, Pronoun
from attnbook.data.grammar.table import Row, marked, rows, spellings


def _pronoun(row: Row) -> Pronoun:
    return Pronoun(
        spellings(row["subject"], row["object"]), row["subject"], row["object"], row["french"], row["direct"],
        row["indirect"], row["chinese"], int(row["person"]), row["number"] == "plural", row["gender"] == "feminine",
    )  # fmt: skip


(
    I,  # noqa: E741
    YOU, HE, SHE, WE, THEY, THEY_FEMININE, IT, IT_FEMININE, THINGS, THINGS_FEMININE, SKY, RAIN,
) = map(_pronoun, rows("pronouns"))  # fmt: skip
PERSONS = (I, YOU, HE, SHE, WE, THEY)
OWNERS = {pronoun.french: pronoun for pronoun in (*PERSONS, THEY_FEMININE)}


def _determiner(row: Row) -> Determiner:
    singular, plural = row["singular"], row["plural"]
    other = {"a": "an", "some": "any"}.get(row["kind"], "")
    return Determiner(
        spellings(singular, plural, other), row["kind"], singular, plural,
        (row["masculine"], row["feminine"], row["french_plural"]), (row["chinese"], row["chinese_plural"]),
        OWNERS.get(row["owner"]),
    )  # fmt: skip


THE, A, SOME, BARE, THIS, THAT, MANY, *_OTHERS = map(_determiner, rows("determiners"))
*POSSESSIVES, THEIR_FEMININE = (determiner for determiner in _OTHERS if determiner.kind == "possessive")
NUMBERS = tuple(determiner for determiner in _OTHERS if determiner.kind == "number")


def _preposition(english: str, french: str, chinese: str) -> Preposition:
    return Preposition(spellings(english), english, french, chinese)


IN = _preposition("in", "dans", "里")
ON = _preposition("on", "sur", "上")
UNDER = _preposition("under", "sous", "下面")
BEHIND = _preposition("behind", "derrière", "后面")
IN_FRONT_OF = _preposition("in front of", "devant", "前面")
NEXT_TO = _preposition("next to", "à côté de", "旁边")
NEAR = _preposition("near", "près de", "附近")


def _phrases(kind: str) -> tuple[Phrase, ...]:
    """The phrases of one kind. A digit after a word names the part of the meaning that it expresses.

    Tags: the tense a time goes with (past, future, habit, progressive), "long" for a stretch of days, "day" for a
    whole day, "stop" for a day that a clock time can follow.
    """
    found = []
    for row in rows("phrases"):
        if row["kind"] == kind:
            english, french, chinese = (marked(row[language], "0") for language in ("english", "french", "chinese"))
            words = tuple(word for word, _ in english)
            found.append(Phrase((words,), english, french, chinese, frozenset(row["tags"].split())))
    return tuple(found)


TIMES, CLOCK, AGES = _phrases("time"), _phrases("clock"), _phrases("age")
OFTEN, ALWAYS, SOMETIMES, ALREADY, VERY = _phrases("adverb")
*_, TODAY, NOW = TIMES
LAST_NIGHT = TIMES[1]
AGES_OF_CHILDREN, AGES_OF_ADULTS = AGES[:6], AGES[7:]
