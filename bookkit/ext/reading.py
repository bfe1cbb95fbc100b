"""The reading time of a chapter: a line below its title, which ``book/_static/place.js`` also uses.

The line has the number of sections, the minutes they take (``bookkit.teaching``), and the main path of about an hour.
The main path leaves out practice, further reading, and sections that the chapter marks as optional, by a class in the
line above the heading::

    {.optional}
    ## What else was tried

A section below an optional one is optional too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

from bookkit import teaching

OFF_PATH = ("Common mistakes", "Exercises", "Check yourself", "Further reading")  # not on the main path
FENCE = re.compile(r"(`{3,}|~{3,}|:{3,})")
HEADING = re.compile(r"(##|###) ")


@dataclass
class Part:
    """A section of a chapter without its subsections."""

    level: int  # 2 for ##
    text: str


def parts(text: str) -> list[Part]:
    """The introduction of a chapter, and its sections in order."""
    found: list[Part] = [Part(1, "")]
    fence = ""
    for line in text.splitlines(keepends=True):
        if (heading := HEADING.match(line)) and not fence:
            found.append(Part(len(heading[1]), ""))
        elif fence and line.strip() == fence:
            fence = ""
        elif not fence and (opened := FENCE.match(line)):
            fence = opened[1]
        found[-1].text += line
    return found


def sections(doctree: nodes.document) -> Iterator[tuple[int, nodes.section]]:
    """Yield the sections below the title in order, each with its level."""
    for top in doctree.findall(nodes.section):
        if isinstance(top.parent, nodes.document):
            for section in top.findall(nodes.section):
                level = 1
                parent: Any = section
                while parent is not top:
                    parent, level = parent.parent, level + 1
                if 1 < level < 4:
                    yield level, section
            return


def is_optional(section: nodes.section) -> bool:
    return "optional" in section["classes"] or "optional" in section.parent["classes"]


def add(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    numbers = app.env.toc_secnumbers.get(docname)
    if not numbers:
        return
    text = Path(app.env.doc2path(docname)).read_text(encoding="utf-8")
    found, written = list(sections(doctree)), parts(text)
    if len(found) + 1 != len(written) or not found:
        return
    spent = [teaching.reading(part.text) for part in written]
    each: list[float] = [spent[0]]  # minutes of the introduction and of each section with its subsections
    path, hour = [], spent[0]
    for (level, section), minutes in zip(found, spent[1:], strict=True):
        if level == 2:
            each.append(0.0)
        each[-1] += minutes
        if not is_optional(section) and not off_path(section):
            hour += minutes
            if level == 2:
                path.append(section)
    title = next(doctree.findall(nodes.title))
    line = reading_line(text, each)
    summary = f"In about {round(hour / 5) * 5} minutes: the main path"
    line += nodes.raw("", f"<details><summary>{summary}</summary>", format="html")
    line += main_path(path, numbers)
    line += nodes.raw("", "</details>", format="html")
    title.parent.insert(title.parent.index(title) + 1, line)


def off_path(section: nodes.section) -> bool:
    chapter = section if isinstance(section.parent.parent, nodes.document) else section.parent
    return any(one.next_node(nodes.title).astext() in OFF_PATH for one in (section, chapter))


class reading_place(nodes.General, nodes.Element):
    """The line; ``minutes`` has the minutes of the introduction and of each section."""


def reading_line(text: str, each: list[float]) -> reading_place:
    needed = teaching.minutes(text)
    words = f"{len(each) - 1} sections, about {needed['reading']} minutes"
    if needed["exercises"]:
        words += f"; the exercises take about {needed['exercises']} more"
    return reading_place("", nodes.paragraph("", f"{words}."), minutes=" ".join(f"{minutes:.1f}" for minutes in each))


def main_path(path: list[nodes.section], numbers: dict[str, tuple[int, ...]]) -> nodes.paragraph:
    line = nodes.paragraph("", "Read sections ")
    for place, section in enumerate(path):
        name = section["ids"][0]
        number = ".".join(map(str, numbers[f"#{name}"]))
        line += nodes.Text(", " if 0 < place < len(path) - 1 else " and " if place else "")
        line += nodes.reference("", number, refid=name, internal=True)
    line += nodes.Text(" without the parts that are marked optional. They hold what later chapters build on.")
    return line


def visit(self: Any, node: nodes.Element) -> None:
    self.body.append(f'<div class="book-reading" data-minutes="{node["minutes"]}">\n')


def depart(self: Any, node: nodes.Element) -> None:
    self.body.append("</div>\n")


def ignore(self: Any, node: nodes.Element) -> None:
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_node(reading_place, html=(visit, depart), latex=(ignore, None), text=(ignore, None))
    app.add_js_file("place.js", loading_method="defer")
    app.connect("doctree-resolved", add)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
