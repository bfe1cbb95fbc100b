"""Clause frames: which objects, forms, times and places a verb can take (the grammar's selectional restrictions).

A row of the table has: a verb; the tags of its objects, or "someone"; the determiners that an object may have, with
weights other than 1; the forms that the action may take; the times ("long" allows long ones such as "last year",
"hour" allows clock times, "day" excludes parts of a day); and the places. Verbs without forms have separate rules.
"""

from __future__ import annotations

from dataclasses import dataclass

from attnbook.data.grammar.entries import Entry, Noun, Verb
from attnbook.data.grammar.forms import Form, Weights, weights
from attnbook.data.grammar.lexicon import VERBS, tagged
from attnbook.data.grammar.table import Row, rows


@dataclass(frozen=True, eq=False, repr=False)
class Action(Entry):
    """One row of the table."""

    name: str
    verb: Verb
    objects: tuple[Noun, ...]
    someone: bool
    determiners: Weights
    forms: tuple[Form, ...]
    times: frozenset[str]
    places: tuple[Noun, ...]


def _action(row: Row) -> Action:
    verb = VERBS[row["verb"]]
    someone = row["objects"] == "someone"
    return Action(
        verb.english, row["verb"], verb, () if someone else tagged(row["objects"]), someone,
        weights(row["determiners"]), tuple(map(Form, row["forms"].split())), frozenset(row["times"].split()),
        tagged(row["places"]),
    )  # fmt: skip


ACTIONS: tuple[Action, ...] = tuple(map(_action, rows("frames")))
