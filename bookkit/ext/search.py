"""The index of the book's search: every section with its text, written as a script, so that it works from a folder.

Sphinx's own search finds pages, not sections, and asks for each page again to show an excerpt, which a browser refuses
on a page that was opened from a folder. ``bookkit/search`` ranks and shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

from attnbook._internal.files import atomic_write
from bookkit.ext.status import reading_order
from bookkit.kept import kept

TARGET = "_static/search/sections.js"
ENTRY = "details.symptom[id]"  # has an address of its own, as a section has
UNREAD = (
    "script, style, nav, button, svg, template, .headerlink, .katex-html, .katex annotation, [data-attnbook-state], "
    ".book-reading"
)
CODE = "div.cell_input, div.highlight, .symptom-program"
LONGEST = 4000  # characters of a section: what it is about stands at its beginning
MARKED = "p strong, p em, .std-term, figcaption strong"  # what a section introduces stands out


def sections(html: str, name: str, *, chapter: bool) -> Iterator[dict[str, Any]]:
    """Title, address and text of every section of a page; its subsections and entries are sections of their own."""
    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    assert article is not None, name
    for element in article.select(f"{UNREAD}, {CODE}"):
        element.decompose()
    page = _words(article.find("h1"))
    parts = article.select(f"section[id], {ENTRY}")
    separate = {id(part) for part in parts}
    for section in parts:
        heading = section.find(re.compile("^(h[1-6]|summary)$"), recursive=False)
        if heading is None:
            continue
        title = _words(heading.extract())
        children = [child for child in section.children if id(child) not in separate]
        own = " ".join(_words(child) for child in children)
        marked = [_words(mark) for child in children if isinstance(child, Tag) for mark in child.select(MARKED)]
        first = title == page
        yield {
            "address": f"{name}.html" + ("" if first else f"#{section['id']}"),
            "page": page,
            "title": "" if first else title,
            "text": " ".join(own.split())[:LONGEST],
            "marked": "; ".join(dict.fromkeys(marked)),
            "chapter": chapter,
        }


def _words(element: Any) -> str:
    text = element.get_text(" ") if isinstance(element, Tag) else str(element or "")
    return re.sub(r"\s+([.,;:?!)])", r"\1", " ".join(text.split()))


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    numbered = set(app.env.toc_secnumbers)
    found: list[dict[str, Any]] = []
    for name in reading_order(app.env, app.config.root_doc):
        if (page := out / f"{name}.html").is_file():
            chapter = name in numbered and bool(app.env.toc_secnumbers[name])
            found += sections_of(app, page.read_text(encoding="utf-8"), name, chapter=chapter)
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    atomic_write(out / TARGET, f"window.bookSections = {text};\n")


def sections_of(app: Sphinx, html: str, name: str, *, chapter: bool) -> list[dict[str, Any]]:
    """:func:`sections`; pages that did not change since the last build are not parsed again."""
    place = Path(app.doctreedir) / "search" / f"{name.replace('/', '-')}.json"
    return kept(place, [html, name, repr(chapter)], lambda: list(sections(html, name, chapter=chapter)))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", write, priority=960)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
