"""The word tables of the grammar, stored as tab-separated text files whose first line names the columns."""

from __future__ import annotations

import csv
from importlib.resources import files


class Row(dict[str, str]):
    """A row of a table, from column to cell; a cell may be empty. Hashable by identity, as choosers require."""

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)


def rows(name: str) -> tuple[Row, ...]:
    """The rows of the table ``name``."""
    text = (files("attnbook.data.grammar") / "tables" / f"{name}.tsv").read_text(encoding="utf-8")
    return tuple(map(Row, csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)))


def marked(cell: str, unmarked: str) -> tuple[tuple[str, str], ...]:
    """The words of a cell, each with the mark after its colon, or with ``unmarked``."""
    return tuple((word, mark or unmarked) for word, _, mark in (part.partition(":") for part in cell.split()))


def spellings(*forms: str) -> tuple[tuple[str, ...], ...]:
    """The distinct non-empty forms, each as its tokens."""
    return tuple(tuple(form.split()) for form in dict.fromkeys(forms) if form)
