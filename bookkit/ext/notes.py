"""What a term's link shows before it is followed: its definition from the glossary, in a template at the page's end.

``book/_static/notes.js`` clones it. Citations, equations and figures need nothing here: a citation's text is the title
of its link, and equations and figures are on the page.
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
    """What the glossary says of each of its terms, formulas as MathML only."""
    found = {}
    for term in BeautifulSoup(html, "html.parser").select("dl.glossary > dt[id]"):
        said = term.find_next_sibling("dd")
        assert isinstance(said, Tag), term["id"]
        for formula in said.select("span.math"):
            formula.replace_with(formula.select_one("math") or formula)
        for element in said.select("annotation, .after-formula"):
            element.decompose()
        for name in said.select("[class]"):
            del name["class"]
        found[str(term["id"])] = re.sub(r"\s+", " ", said.decode_contents()).strip()
    return found


def with_notes(html: str, known: dict[str, str]) -> str:
    """A page with the definitions of the terms that it links to."""
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
