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

from lxml.cssselect import CSSSelector
from sphinx.application import Sphinx

from attnbook._internal.files import atomic_write
from bookkit.ext.article import read_article
from bookkit.ext.status import reading_order

TARGET = "_static/search/sections.js"
UNSEARCHED = CSSSelector(
    "script, style, nav, button, svg, template, .headerlink, .katex-html, .katex annotation, [data-attnbook-state], "
    ".book-reading, div.cell_input, div.highlight, .symptom-program"
)
PARTS = CSSSelector("section[id], details.symptom[id]")  # a symptom has its own address, like a section
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6", "summary"}
MAX_CHARACTERS = 4000  # characters per section; its beginning says what it is about
MARKED = CSSSelector("p strong, p em, .std-term, figcaption strong")  # emphasis usually marks what a section introduces


def sections(html: str, name: str, *, chapter: bool) -> Iterator[dict[str, Any]]:
    """Yield title, address and text of every section of a page; subsections and symptoms are separate sections."""
    article = read_article(html, without=UNSEARCHED)
    page = _words(article.find(".//h1"))
    parts = PARTS(article)
    for section in parts:
        heading = next((child for child in section if child.tag in HEADINGS), None)
        if heading is None:
            continue
        title = _words(heading)
        children = [child for child in section if child is not heading and child not in parts]
        marked = [_words(mark) for child in children for mark in MARKED(child)]
        first = title == page
        yield {
            "address": f"{name}.html" + ("" if first else f"#{section.get('id')}"),
            "page": page,
            "title": "" if first else title,
            "text": " ".join(filter(None, map(_words, children)))[:MAX_CHARACTERS],
            "marked": "; ".join(dict.fromkeys(marked)),
            "chapter": chapter,
        }


def _words(element: Any) -> str:
    return re.sub(r"\s+([.,;:?!)])", r"\1", " ".join(" ".join(element.itertext()).split()))


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    numbered = set(app.env.toc_secnumbers)
    found: list[dict[str, Any]] = []
    for name in reading_order(app.env, app.config.root_doc):
        if (page := out / f"{name}.html").is_file():
            chapter = name in numbered and bool(app.env.toc_secnumbers[name])
            found += sections(page.read_text(encoding="utf-8"), name, chapter=chapter)
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    atomic_write(out / TARGET, f"window.bookSections = {text};\n")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", write, priority=960)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
