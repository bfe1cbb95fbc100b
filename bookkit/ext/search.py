"""Write the index of the book's search: the text of every section, as a script that also works from disk.

Sphinx's own search finds pages, not sections. It also fetches each page again to show an excerpt, which browsers block
on ``file://`` pages. The JavaScript in ``bookkit/search`` ranks and displays the results.
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
from bookkit.disk_cache import cached
from bookkit.ext.status import reading_order

TARGET = "_static/search/sections.js"
ENTRY = "details.symptom[id]"  # has its own address, like a section
UNSEARCHED = (
    "script, style, nav, button, svg, template, .headerlink, .katex-html, .katex annotation, [data-attnbook-state], "
    ".book-reading"
)
CODE = "div.cell_input, div.highlight, .symptom-program"
MAX_CHARACTERS = 4000  # characters per section; its beginning says what it is about
MARKED = "p strong, p em, .std-term, figcaption strong"  # emphasis usually marks what a section introduces


def sections(html: str, name: str, *, chapter: bool) -> Iterator[dict[str, Any]]:
    """Yield title, address and text of every section of a page; subsections and symptoms are separate sections."""
    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    assert article is not None, name
    for element in article.select(f"{UNSEARCHED}, {CODE}"):
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
            "text": " ".join(own.split())[:MAX_CHARACTERS],
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
    """Return the sections of a page, from the cache if the page has not changed since the last build."""
    place = Path(app.doctreedir) / "search" / f"{name.replace('/', '-')}.json"
    return cached(place, [html, name, repr(chapter)], lambda: list(sections(html, name, chapter=chapter)))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", write, priority=960)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
