"""Write the whole book as one page, ``single.html``, to print, save or search; ``make pdf`` prints it.

The page is assembled from the finished pages. Widgets appear as static pictures, and solutions are open.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag

from lxml.cssselect import CSSSelector
from sphinx.application import Sphinx

from bookkit.ext.article import inner_html, read_article
from bookkit.ext.status import reading_order

NAMES = ("id", "for", "name", "aria-labelledby", "aria-describedby", "aria-controls")
DROPPED = CSSSelector(
    "script, .headerlink, [data-attnbook-state], [data-attnbook-module], template, button, .tableofcontents-wrapper"
)
SECTIONS = CSSSelector("section[id]")
PAGE = """\
<!doctype html>
<html lang="en" data-theme="light">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>The Attention Book, on one page</title>
<meta name="color-scheme" content="light dark">
{styles}
<script src="_static/single.js"></script>
<link rel="icon" href="_static/favicon.svg">
</head>
<body class="book-single">
<main class="bd-main">
<article class="bd-article">
<nav class="book-contents" aria-label="Contents"><h2>Contents</h2><ol>
{contents}
</ol></nav>
{chapters}
</article>
</main>
</body>
</html>
"""


def key(name: str) -> str:
    """The prefix of a page's identifiers."""
    return re.sub(r"[^\w-]", "-", name.split("/")[-1])


def local(target: str, page: str, pages: set[str]) -> str:
    """Convert a link of a page for the single page."""
    path, fragment = urldefrag(target)
    if re.match(r"[a-z]+:|//", target):
        return target
    name = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else f"{page}.html"
    if name.removesuffix(".html") in pages:
        name = key(name.removesuffix(".html"))
        return f"#{name}--{fragment}" if fragment else f"#{name}"
    return name + (f"#{fragment}" if fragment else "")


def chapter(html: str, page: str, pages: set[str]) -> tuple[str, str]:
    """Return a page's item in the table of contents, and its article with unique identifiers and local links."""
    article = read_article(html, without=DROPPED)
    for element in article.iter("*"):
        rename(element, page, pages)
    return item(article, page), f'<section class="book-chapter" id="{key(page)}">{inner_html(article)}</section>'


def item(article: Any, page: str) -> str:
    """The page's title and those of its sections, as links."""
    title = article.find(".//h1")
    below = [
        f'<li><a href="#{section.get("id")}">{inner_html(heading)}</a></li>'
        for section in SECTIONS(article)
        if (heading := section.find("h2")) is not None
    ]
    listed = f"<ol>{''.join(below)}</ol>" if below else ""
    return f'<li><a href="#{key(page)}">{page if title is None else inner_html(title)}</a>{listed}</li>'


def rename(element: Any, page: str, pages: set[str]) -> None:
    for attribute in NAMES:
        if value := element.get(attribute):
            element.set(attribute, " ".join(f"{key(page)}--{name}" for name in value.split()))
    element.attrib.pop("loading", None)  # a printer does not scroll
    if "predict-answer" in element.get("class", ""):
        element.set("open", "")
    for attribute in ("href", "src"):
        if value := element.get(attribute):
            element.set(attribute, local(value, page, pages))


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    names = [name for name in reading_order(app.env, app.config.root_doc) if (out / f"{name}.html").is_file()]
    sheets = re.findall(r'<link [^>]*rel="stylesheet"[^>]*>', "".join(read(out, name) for name in names))
    styles = "\n".join(dict.fromkeys(sheet.replace('href="../', 'href="') for sheet in sheets))
    items, chapters = zip(*(chapter(read(out, name), name, set(names)) for name in names), strict=True)
    page = PAGE.format(styles=styles, contents="\n".join(items), chapters="\n".join(chapters))
    (out / "single.html").write_text(page, encoding="utf-8")


def read(out: Path, name: str) -> str:
    return (out / f"{name}.html").read_text(encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", write, priority=950)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
