"""Show the definition of a glossary term next to its link.

Every page gets the definitions of its terms in a ``template`` element, which ``book/_static/notes.js`` clones.
Citations, equations and figures need no such copy: the title of a citation's link has its text, and the others are on
the page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup, Tag
from sphinx.application import Sphinx

GLOSSARY = "book/glossary"
LINK = re.compile(r'href="glossary\.html#(term-[^"]+)"')


def definitions(html: str) -> dict[str, str]:
    """The definition of each glossary term as HTML, with formulas as MathML only."""
    found = {}
    for term in BeautifulSoup(html, "html.parser").select("dl.glossary > dt[id]"):
        definition = term.find_next_sibling("dd")
        assert isinstance(definition, Tag), term["id"]
        for formula in definition.select("span.math"):
            formula.replace_with(formula.select_one("math") or formula)
        for element in definition.select("annotation, .after-formula"):
            element.decompose()
        for name in definition.select("[class]"):
            del name["class"]
        found[str(term["id"])] = re.sub(r"\s+", " ", definition.decode_contents()).strip()
    return found


def with_notes(html: str, known: dict[str, str]) -> str:
    """Add the definitions of the terms that a page links to."""
    terms = dict.fromkeys(LINK.findall(html))
    notes = "".join(f'<div data-note="{term}">{known[term]}</div>\n' for term in terms if term in known)
    place = html.rfind("</article>")
    if not notes or place < 0:
        return html
    return f'{html[:place]}<template class="book-notes">\n{notes}</template>\n{html[place:]}'


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    glossary = Path(app.outdir) / f"{GLOSSARY}.html"
    if not glossary.is_file():
        return
    known = definitions(glossary.read_text(encoding="utf-8"))
    for page in glossary.parent.glob("*.html"):
        html = page.read_text(encoding="utf-8")
        if page != glossary and '<template class="book-notes">' not in html:
            page.write_text(with_notes(html, known), encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_js_file("notes.js", loading_method="defer")
    app.connect("build-finished", write, priority=940)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
