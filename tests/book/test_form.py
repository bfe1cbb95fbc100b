"""The form that all pages have: drawings, folded code, predictions, mistakes."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bookkit.drawing import PHONE, Drawing
from bookkit.ext.diagrams import load
from bookkit.ext.formulas import MACROS, typeset
from bookkit.ext.pictures import style_sheet
from bookkit.ext.predict import read
from tests.book.history import Step

BOOK = Path(__file__).parents[2] / "book"
PAGES = sorted(BOOK.glob("*.md"))
DIAGRAMS = sorted((BOOK / "diagrams").glob("*.py"))


def test_finished_page_has_all_required_parts(history: dict[str, Step]) -> None:
    html, notebook = history["mended"].html["form"], history["mended"].notebook
    diagram = re.search(r'<figure class="[^"]*diagram[^"]*" id="fig-step".*?</figure>', html, re.S)
    assert diagram and diagram[0].count("<svg") == 2 and "var(--book-query)" in diagram[0]
    assert "A &quot;box&quot; &amp; an arrow." in diagram[0] and "&lt;compare&gt;" in diagram[0]
    assert 'class="enclosing book-query"' in diagram[0]
    assert '<details class="code-fold">' in html and "tag_plumbing" in html
    asked = [match.replace("&quot;", '"') for match in re.findall(r'data-asked="([^"]*)"', html)]
    assert '"right": "2"' in asked[0] and '"right": [0.95]' in asked[1] and '"right": [10.0, 40.0, 80.0]' in asked[2]
    answers = re.findall(r'<details class="predict-answer">(.*?)</details>', html, re.S)
    assert "ANSWER ONE" in answers[0] and "a cell" in answers[0]
    assert "mistake" in html
    assert (
        "data:image/png;base64" in notebook and "textcolor" in notebook and "# @title Imports and settings" in notebook
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"right": "1"}, "^options must"),
        ({"choose": "a | b"}, "^options must"),
        ({"choose": "a | b", "right": "3"}, "^right must"),
        ({"choose": "a", "right": "1"}, "^right must"),
        ({"value": "0 x", "right": "n"}, "^options of value must"),
        ({"value": "1 0 1", "right": "n"}, "must have a minimum"),
        ({"draw": "1", "range": "0 1", "right": "n"}, "must have a minimum"),
        ({"draw": "1 2", "right": "n"}, "draw must have a range"),
    ],
)
def test_predict_raises_for_invalid_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read("What happens?", options)


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_page_loses_no_line_as_a_comment(path: Path) -> None:
    """MyST drops a line that begins with a percent sign, such as one wrapped after a number."""
    assert re.findall(r"^ *%(?! form: done$).*", path.read_text(encoding="utf-8"), re.M) == []


@pytest.mark.parametrize("path", DIAGRAMS, ids=[path.stem for path in DIAGRAMS])
def test_diagrams_fit_phone_width_and_frame(path: Path) -> None:
    for narrow in (True, False):
        drawn = load(path, narrow=narrow)
        assert drawn.width <= (PHONE if narrow else 740)
        svg = drawn.svg("alt")
        assert min(float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)) >= 11
        for x, y in re.findall(r'<(?:text|rect) x="(-?[\d.]+)" y="(-?[\d.]+)"', svg):
            assert 0 <= float(x) <= drawn.width and 0 <= float(y) <= drawn.height, path.stem


def test_drawing_raises_for_small_letters() -> None:
    with pytest.raises(ValueError, match=r"^size must"):
        Drawing(10, 10).text(0, 0, "x", size=9)
    with pytest.raises(ValueError, match=r"^role must"):
        Drawing(10, 10).box(0, 0, 1, 1, role="qurey")


def test_drawing_escapes_text() -> None:
    drawing = Drawing(10, 10)
    drawing.text(0, 0, "<script> *q*_{max} & more")
    svg = drawing.svg('a "name"')
    assert "&lt;script&gt;" in svg and '<tspan font-style="italic">q</tspan>' in svg and ">max</tspan>" in svg
    assert "&amp; more" in svg and "a &quot;name&quot;" in svg
    assert "var(" not in drawing.alone("alt") and "<rect" in drawing.alone("alt")


def test_formulas_have_the_colors_of_pictures() -> None:
    html = typeset(r"\qry{q}^\top \key{k}", display=False, macros=tuple(sorted(MACROS.items())))
    assert "book-query" in html and "book-key" in html
    sheet = style_sheet()
    assert ".book-query { color: var(--book-query); }" in sheet and sheet.count("--book-weight:") == 2
    assert 'class="enclosing' not in typeset(r"\htmlClass{other}{q}", display=False)
    assert "<a " not in typeset(r"\href{javascript:alert(1)}{q}", display=False)


def terms_without_link(glossary: str, page: str) -> list[str]:
    """Terms of the glossary whose first mention in a page's prose is no link."""
    terms = re.findall(r"^(?![ `#:])(\S.*)$", glossary.split("```{glossary}")[1], re.M)
    prose = re.sub(r"\A---$.*?^---$", "", page, flags=re.M | re.S)
    prose = re.sub(r"^(`{3,})\{(?:code-cell|math|self-test|diagram).*?^\1$|\$\$.*?\$\$", "", prose, flags=re.M | re.S)
    prose = re.sub(r"^#.*$|^```.*$|^:[\w-]+:.*$|\$[^$]+\$", "", prose, flags=re.M)
    prose = re.sub(r"(\{term\}`[^`]*`)|(?:\{[\w:]+\})?`[^`]*`", r"\1", prose)  # other roles, and code
    missing = []
    for term in terms:
        word = re.compile(rf"\b{re.escape(term)}(?:e?s)?\b", re.I)
        mentions = re.findall(rf"\{{term\}}`[^`]*`|{word.pattern}", prose, re.I)
        first = next((mention for mention in mentions if word.search(mention)), "{term}")
        if not first.startswith("{term}"):
            missing.append(term)
    return missing


DONE = [
    path for path in sorted(DIAGRAMS[0].parent.parent.glob("*.md")) if "\n% form: done\n" in path.read_text("utf-8")
]


@pytest.mark.parametrize("path", DONE, ids=[path.stem for path in DONE])
def test_first_mention_of_a_term_is_a_link(path: Path) -> None:
    glossary = (path.parent / "glossary.md").read_text(encoding="utf-8")
    assert terms_without_link(glossary, path.read_text(encoding="utf-8")) == []


def test_unlinked_term_is_reported() -> None:
    glossary = "```{glossary}\nkey\n  What it is.\n\nattention weight\n  It.\n```"
    page = "A `key` and two keys.\n\nAn {term}`attention weight`, attention weights."
    assert terms_without_link(glossary, page) == ["key"]
    assert terms_without_link(glossary, "```{code-cell} x\nkey\n```\n{term}`keys <key>`: a key.") == []


def test_chapter_cards_have_animated_drawings() -> None:
    book = DIAGRAMS[0].parent.parent
    chapters = sorted(path.stem for path in book.glob("[0-9][0-9]-*.md"))
    front = (book / "intro.md").read_text(encoding="utf-8")
    assert re.findall(r"^:link: (\d\d-\S+)$", front, re.M) == re.findall(r"{thumbnail} (\S+)", front) == chapters
    moving = re.findall(r"^\.thumbnail \.(\w+) {$", (book / "_static" / "book.css").read_text(encoding="utf-8"), re.M)
    for chapter in chapters:
        drawn = ElementTree.parse(book / "thumbnails" / f"{chapter}.svg").getroot()
        assert drawn.get("class") == "thumbnail" and drawn.get("aria-hidden") == "true"
        classes = {part.get("class") for part in drawn.iter() if part is not drawn} - {None}
        assert classes and classes <= set(moving), chapter
