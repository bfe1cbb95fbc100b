"""Render the errata page: entries as MyST cards, worked examples as HTML."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from torch import Tensor

from bookkit import ROOT
from bookkit.errata.core import Outcome
from bookkit.errata.worked import Step

FILE = ROOT / "book" / "errata.yml"
KINDS = ("number", "formula", "claim", "history", "code", "term")
VERDICTS = ("wrong", "imprecise")


@dataclass(frozen=True)
class Note:
    """One of the five notes.

    Args:
        name: key in ``book/errata.yml``.
        title: title in English.
        file: first characters of the file name.
    """

    name: str
    title: str
    file: str


@dataclass(frozen=True)
class Entry:
    """One erratum; its fields are explained at the top of ``book/errata.yml``."""

    id: str
    note: str
    heading: str
    quote: tuple[str, ...]
    english: str
    kind: str
    verdict: str
    fault: str
    right: str
    chapter: str
    cite: tuple[str, ...] = ()
    check: str | None = None
    step: str | None = None
    rows: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"kind of {self.id} must be one of {KINDS}, got {self.kind!r}")
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict of {self.id} must be one of {VERDICTS}, got {self.verdict!r}")
        if not (self.cite or self.check or self.step):
            raise ValueError(f"{self.id} must have a source or a computation: cite, check or step")


def load(file: Path = FILE) -> tuple[dict[str, Note], list[Entry]]:
    """Read the notes by name, and all entries in order.

    Raises:
        TypeError: an entry has an unknown field or lacks one.
        ValueError: a field has an unknown value.
    """
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    notes = {name: Note(name, **fields) for name, fields in content["notes"].items()}
    return notes, [_entry(fields) for fields in content["entries"]]


def _entry(fields: Mapping[str, Any]) -> Entry:
    given = dict(fields)
    quote = given.pop("quote")
    given["quote"] = (quote,) if isinstance(quote, str) else tuple(quote)
    for name in ("cite", "rows"):
        if name in given:
            given[name] = tuple(given[name])
    return Entry(**given)


def search_form(notes: Mapping[str, Note], entries: Sequence[Entry]) -> str:
    """The style sheet of the entries, and a form that filters them; entries also open without JavaScript."""
    page = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    fields = {
        "Note": {f"note-{note.name}": note.title for note in notes.values()},
        "Verdict": {f"verdict-{verdict}": verdict for verdict in VERDICTS},
        "Kind": {f"kind-{kind}": kind for kind in KINDS},
        "Chapter": {f"chapter-{chapter}": _place(chapter) for chapter in sorted(count(entries, "chapter"))},
    }
    return page.replace("<!-- fields -->", "\n".join(_choice(name, values) for name, values in fields.items()))


def _choice(name: str, values: Mapping[str, str]) -> str:
    options = "".join(f'<option value="{key}">{html.escape(text)}</option>' for key, text in values.items())
    return f'<label>{name} <select data-errata="class"><option value="">all</option>{options}</select></label>'


def _place(chapter: str) -> str:
    """The name of a page in the form: number and title of a chapter, title of any other page."""
    number, _, _ = chapter.partition("-")
    page = (FILE.parent / f"{chapter}.md").read_text(encoding="utf-8")
    (title,) = re.findall(r"^# (.+)", page.split("\n---\n", 1)[-1].split("```")[0], re.MULTILINE)
    return f"{int(number)} {title}" if number.isdigit() else title


def count(entries: Iterable[Entry], field: str) -> Counter[str]:
    """Count the entries for each value of a field."""
    return Counter(getattr(entry, field) for entry in entries)


def summary(notes: Mapping[str, Note], entries: Sequence[Entry]) -> str:
    """A Markdown table that counts the verdicts of each note."""
    lines = ["| note | wrong | imprecise | together |", "|---|---|---|---|"]
    for note in notes.values():
        found = count([entry for entry in entries if entry.note == note.name], "verdict")
        lines.append(f"| {note.title} | {found['wrong']} | {found['imprecise']} | {found.total()} |")
    found = count(entries, "verdict")
    lines.append(f"| **all** | {found['wrong']} | {found['imprecise']} | {found.total()} |")
    return "\n".join(lines)


def entries_cards(
    entries: Sequence[Entry], outcomes: Mapping[str, Outcome], steps: Mapping[str, Step], first: int
) -> str:
    """A folded MyST container for each entry, numbered from ``first``: one line, then fault and correction."""
    return "\n\n".join(
        _card(entry, number, _evidence(entry, outcomes, steps)) for number, entry in enumerate(entries, first)
    )


def _card(entry: Entry, number: int, evidence: str) -> str:
    quotes = " … ".join(f'<q lang="zh">{quoted(quote)}</q>' for quote in entry.quote)
    kinds = f"note-{entry.note} verdict-{entry.verdict} kind-{entry.kind} chapter-{entry.chapter}"
    return f"""\
````{{container}} erratum {kinds}
:name: erratum-{entry.id}

<details><summary>{_line(entry, number)}</summary>

**{entry.heading}:** {quotes}

**{"Wrong" if entry.verdict == "wrong" else "Misleading"}:** {entry.fault}

**Right:** {entry.right}

{evidence}

</details>
````"""


def _line(entry: Entry, number: int) -> str:
    """The visible line of a folded entry: number, verdict, kind, and what the note says, in English."""
    english = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(entry.english, quote=False))
    return (
        f'<span class="errata-number">{number}</span> <span class="errata-{entry.verdict}">{entry.verdict}</span> '
        f'<span class="errata-kind">{entry.kind}</span> {english}'
    )


def _evidence(entry: Entry, outcomes: Mapping[str, Outcome], steps: Mapping[str, Step]) -> str:
    parts = []
    if entry.step is not None:
        parts.append(_step_evidence(steps[entry.step], entry.rows))
    if entry.check is not None:
        outcome = outcomes[entry.check]
        word = "not run" if outcome.shows is None else "run" if outcome.shows else "**the fault does not appear**"
        parts.append(f"[Check]{{.errata-check}} `{entry.check}`, {word}: {escaped(outcome.seen)}")
    if entry.cite:
        parts.append(f"{{cite}}`{','.join(entry.cite)}`")
    role = "chap" if entry.chapter[0].isdigit() else "doc"
    parts.append(f"Treated in {{{role}}}`{entry.chapter}`.")
    return "\n\n".join(parts)


def _step_evidence(step: Step, rows: Sequence[int] | None) -> str:
    """Printed rows and correct ones, from the step's own inputs and, where that differs, from the start."""
    if step.from_inputs is None:
        return "[Recomputed]{.errata-check}: not possible, because the note prints no inputs."
    printed, own, start = (
        _two_axes(t) if t is not None else None for t in (step.printed, step.from_inputs, step.from_start)
    )
    assert printed is not None and own is not None
    shown = range(len(printed)) if rows is None else rows
    lines = [f"[Recomputed]{{.errata-check}} (`{step.formula}`):", ""]
    for i in shown:
        wrong_here = not bool(step.right(step.from_inputs).reshape(printed.shape)[i].all())  # type: ignore[union-attr]
        text = f"- `{_row(printed[i], step)}`"
        text += f" should be `{_row(own[i], step)}`" if wrong_here else " is right for the printed inputs"
        if start is not None and not bool(((start[i] - own[i]).abs() < 10.0**-step.decimals / 2).all()):
            text += f"; from the start of the example `{_row(start[i], step)}`"
        lines.append(text)
    return "\n".join(lines)


def _two_axes(values: Tensor) -> Tensor:
    return values.reshape(-1, values.shape[-1])


def _row(values: Tensor, step: Step) -> str:
    return " ".join(step.formatted(value) for value in values.tolist())


def escaped(text: str) -> str:
    """Escape every character of a text that has a meaning in Markdown."""
    return re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", text)


def quoted(text: str) -> str:
    """Escape a text, but keep formulas between dollar signs."""
    parts = re.split(r"(\$[^$]+\$)", text)
    return "".join(part if i % 2 else escaped(part) for i, part in enumerate(parts))


# Worked numbers


def worked_summary(steps: Iterable[Step]) -> dict[str, int]:
    """Count the printed numbers, those that can be recomputed, and those that are right."""
    found: Counter[str] = Counter()
    for step in steps:
        found["printed"] += step.printed.numel()
        for way in ("inputs", "start"):
            right = getattr(step, f"right_from_{way}")
            if right is not None:
                found[f"recomputed_from_{way}"] += right.numel()
                found[f"right_from_{way}"] += int(right.sum())
    return dict(found)


def worked_html(steps: Iterable[Step]) -> str:
    """Tables of all steps: printed numbers, with wrong ones struck out, and the recomputed ones."""
    parts = []
    for example, group in _by_example(steps).items():
        rows = "".join(_worked_row(step) for step in group)
        parts.append(
            f'<table class="table worked"><caption>{html.escape(example)}</caption><thead><tr><th scope="col">Step</th>'
            '<th scope="col">Right by its own inputs</th><th scope="col">Right from the start</th></tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )
    return "".join(parts)


def _by_example(steps: Iterable[Step]) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = {}
    for step in steps:
        found.setdefault(step.example, []).append(step)
    return found


def _worked_row(step: Step) -> str:
    matrices = [_matrix("printed", step.printed, step, step.right_from_inputs)]
    if step.from_inputs is not None:
        matrices.append(_matrix("from its own inputs", step.from_inputs, step))
    if step.from_start is not None:
        matrices.append(_matrix("from the start", step.from_start, step))
    formula = f'<span class="formula">{html.escape(step.formula)}</span>'
    return (
        f"<tr><td><details><summary>{html.escape(step.heading)}: {formula}</summary>"
        f'<div class="matrices">{"".join(matrices)}</div></details></td>'
        f"<td>{_share(step.right_from_inputs)}</td><td>{_share(step.right_from_start)}</td></tr>"
    )


def _share(right: Tensor | None) -> str:
    if right is None:
        return "not given"
    kind = "right" if bool(right.all()) else "wrong"
    return f'<span class="worked-{kind}">{int(right.sum())} of {right.numel()}</span>'


def _matrix(caption: str, values: Tensor, step: Step, right: Tensor | None = None) -> str:
    table = _two_axes(values)
    good = None if right is None else right.reshape(table.shape)
    rows = ""
    for i, row in enumerate(table.tolist()):
        cells = ""
        for j, value in enumerate(row):
            number = step.formatted(value)
            cells += f"<td>{number}</td>" if good is None or good[i, j] else f"<td><del>{number}</del></td>"
        rows += f"<tr>{cells}</tr>"
    return f'<div class="matrix"><div>{caption}</div><table>{rows}</table></div>'
