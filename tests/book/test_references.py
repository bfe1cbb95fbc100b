"""References between chapters: "chapter 5" and "section 8.2" on the built page and in the notebook."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.errors import SphinxWarning
from sphinx.util.docutils import docutils_namespace

from bookkit.notebook.citations import Bibliography
from bookkit.notebook.index import make_index
from bookkit.notebook.writer import PageLinks
from bookkit.references import UnknownReference, pieces

TOC = """\
format: jb-book
root: intro
parts:
  - caption: Chapters
    numbered: true
    chapters:
      - file: one
      - file: two
  - caption: Appendices
    chapters:
      - file: words
"""
PAGES = {
    "intro": "# A book\n",
    "one": "# The first\n\n## Begin\n\n### Deep\n\n(here)=\n### Deeper\n\n(next)=\n## Next\n",
    "two": "# The second\n\nSee {chap}`one`, {chap}`here`. {Chap}`one, two`; {chap}`here, next`.\n",
    "words": "# Words\n\n(loose)=\n## A word\n\n{Chap}`two`, {chap}`one, two, one`.\n",
}


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    (folder / "_toc.yml").write_text(TOC)
    (folder / "_config.yml").write_text("html: {use_multitoc_numbering: true}\n")
    for name, text in PAGES.items():
        (folder / f"{name}.md").write_text(text)
    return folder


def build(book: Path, out: Path) -> Sphinx:
    extensions = ["myst_parser", "sphinx_external_toc", "bookkit.ext.chapters"]
    with docutils_namespace():
        app = Sphinx(
            book, None, out, out / "doctrees", "html", {"extensions": extensions, "language": "en"}, warningiserror=True
        )
        app.build()
        return app


def words_of(page: Path) -> tuple[str, list[str]]:
    body = BeautifulSoup(page.read_text(), "html.parser").select_one("div.body")
    assert body is not None
    links = [str(link["href"]) for link in body.select("p a.reference")]
    return re.sub(r"\s+", " ", " ".join(p.get_text() for p in body.select("p"))).strip(), links


def test_role_prints_number_and_links_to_the_place(book: Path, tmp_path: Path) -> None:
    build(book, tmp_path)
    assert words_of(tmp_path / "two.html") == (
        "See chapter 1, section 1.1.2. Chapters 1 and 2; sections 1.1.2 and 1.2.",
        ["one.html", "one.html#here", "one.html", "#", "one.html#here", "one.html#next"],
    )
    assert words_of(tmp_path / "words.html")[0] == "Chapter 2, chapters 1, 2 and 1."


def test_section_numbers_are_those_of_the_built_page(book: Path, tmp_path: Path) -> None:
    numbers = build(book, tmp_path).env.toc_secnumbers["one"]
    assert ".".join(map(str, numbers["#deeper"])) == make_index(book).labels["here"].number
    assert ".".join(map(str, numbers["#next"])) == make_index(book).labels["next"].number


@pytest.mark.parametrize("content", ["words", "loose", "nowhere", "one, here"])
def test_reference_without_a_number_is_an_error(book: Path, content: str) -> None:
    with pytest.raises(UnknownReference, match="chap must name"):
        pieces(make_index(book), content, capital=False)


def test_role_without_a_number_fails_the_build(book: Path, tmp_path: Path) -> None:
    (tmp_path / "words.md").write_text("# Words\n\nSee {chap}`words`.\n")
    for name in ("_toc.yml", "_config.yml", "intro.md", "one.md", "two.md"):
        (tmp_path / name).write_text((book / name).read_text())
    with pytest.raises(SphinxWarning, match="chap must name"):
        build(tmp_path, tmp_path / "out")


def test_notebook_prints_the_same_words(book: Path) -> None:
    links = PageLinks("two", make_index(book), None, Bibliography.__new__(Bibliography), strict=True)
    assert links.chapter("one", capital=True) == "Chapter 1"
    assert links.chapter("two, one", capital=False) == "chapters [2](#) and 1"


def test_label_of_a_figure_gives_the_section_around_it(book: Path, tmp_path: Path) -> None:
    for name in ("_toc.yml", "_config.yml", *(f"{page}.md" for page in PAGES)):
        (tmp_path / name).write_text((book / name).read_text())
    figure = "```{figure} a.png\n:name: fig-a\n\nA dot.\n```\n"
    (tmp_path / "two.md").write_text(f"# The second\n\n## Look\n\n{figure}")
    assert pieces(make_index(tmp_path), "fig-a", capital=True) == [("Section 2.1", "fig-a")]
    (tmp_path / "two.md").write_text(f"# The second\n\n{figure}")
    with pytest.raises(UnknownReference, match="chap must name"):
        pieces(make_index(tmp_path), "fig-a", capital=True)


def test_sentences_refer_to_chapters_by_number(root: Path) -> None:
    """Sentences name a chapter by its number; its title appears only in generated lists."""
    chapter = re.compile(r"\{doc\}`\d\d-[a-z-]+`")
    found = [
        f"{path.name}: {line}"
        for path in sorted((root / "book").glob("*.md"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if chapter.search(line)
    ]
    assert not found
