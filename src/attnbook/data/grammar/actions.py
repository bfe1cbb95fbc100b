"""What people do, with what and where: the clause frames, which are the selectional restrictions of the grammar.

A line of the table has a verb; the tags of its objects, or "someone"; the determiners that an object may have, those
that weigh more with their weight; the forms in which it may be said; "long" where the time may be a long one such as
"last year", "hour" where it may be an hour, "day" where it is no part of a day; and the places. A verb without forms
is chosen by rules of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from attnbook.data.grammar.entries import Entry, Noun, Verb
from attnbook.data.grammar.forms import Form, Weights, weights
from attnbook.data.grammar.lexicon import VERBS, tagged
from attnbook.data.grammar.table import Row, rows


@dataclass(frozen=True, eq=False, repr=False)
class Action(Entry):
    """One line of the table, read."""

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
