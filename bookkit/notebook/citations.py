"""Citations in plain Markdown: author and year in the text, full entries at the end of a notebook."""

from __future__ import annotations

from pathlib import Path

from pybtex.backends.markdown import Backend
from pybtex.database import Entry, parse_file
from pybtex.richtext import Text
from pybtex.style.formatting.plain import Style


class Bibliography:
    """The entries of a BibTeX file, and the keys that a notebook has cited."""

    def __init__(self, path: Path) -> None:
        self.entries = parse_file(str(path)).entries
        self.cited: list[str] = []

    def entry(self, key: str) -> Entry:
        """Return an entry and add it to the notebook's references.

        Raises:
            KeyError: the file has no such entry.
        """
        if key not in self.entries:
            raise KeyError(f"citation must be a key of the bibliography, got {key!r}")
        if key not in self.cited:
            self.cited.append(key)
        return self.entries[key]

    def cite(self, keys: list[str], *, textual: bool) -> str:
        """``([Cho et al., 2014](address); ...)``, or ``Cho et al. ([2014](address))`` as part of a sentence."""
        parts = []
        for key in keys:
            entry = self.entry(key)
            who, year = authors(entry), str(entry.fields.get("year", "n.d."))
            shown = year if textual else f"{who}, {year}"
            linked = f"[{shown}]({address(entry)})" if address(entry) else shown
            parts.append(f"{who} ({linked})" if textual else linked)
        return ", ".join(parts) if textual else f"({'; '.join(parts)})"

    def references(self) -> str:
        """The list of cited entries, sorted by author; empty if nothing was cited."""
        entries = sorted(
            (self.entries[key] for key in self.cited), key=lambda entry: (authors(entry), str(entry.fields))
        )
        backend = Backend()
        lines = []
        for formatted in Style(backend="markdown").format_entries(entries):
            lines.append(f"- {formatted.text.render(backend)}")
        return "\n".join(lines)


def authors(entry: Entry) -> str:
    """Last names of one or two authors, or of the first one with *et al.*"""
    people = entry.persons.get("author") or entry.persons.get("editor") or []
    names = [str(Text.from_latex(" ".join([*person.prelast_names, *person.last_names]))) for person in people]
    if not names:
        return str(Text.from_latex(entry.fields.get("title", entry.key)))
    return names[0] if len(names) == 1 else " and ".join(names) if len(names) == 2 else f"{names[0]} et al."


def address(entry: Entry) -> str:
    if "doi" in entry.fields:
        return f"https://doi.org/{entry.fields['doi']}"
    if "eprint" in entry.fields:
        return f"https://arxiv.org/abs/{entry.fields['eprint']}"
    return str(entry.fields.get("url", ""))
