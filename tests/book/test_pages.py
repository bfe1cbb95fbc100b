"""What finished pages carry: description, policy, map of the site; and the single page put together from them."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from book_pages import LENGTH, describe, inline_scripts, mend, policy, site_map
from book_single import chapter, local
from docutils import nodes

from tools.serve_book import asked_headers


def document(*texts: str) -> nodes.document:
    tree = nodes.document(None, None)  # type: ignore[arg-type]
    for text in texts:
        tree += nodes.paragraph(text, text)
    return tree


def test_a_page_is_described_by_its_first_words() -> None:
    assert describe(document("Short.", "A page about\nattention and weights.")) == "A page about attention and weights."
    long = describe(document("word " * 100))
    assert long.endswith("word …") and len(long) <= LENGTH + 2
    assert describe(document()) == ""


def test_pages_are_mended_once() -> None:
    html = (
        '<div role="list" class="citation-list"><div class="citation" role="doc-biblioentry">x</div></div>'
        "<th class=\"head\"><p></p></th><script>DOCUMENTATION_OPTIONS.pagename = 'book/a';</script>"
    )
    wanted = '<div class="citation-list"><div class="citation">x</div></div><td class="head"></td>'
    assert mend(html) == wanted == mend(wanted)


def test_the_policy_names_every_inline_script_and_nothing_else() -> None:
    html = '<script src="a.js"></script><script>one()</script><script type="application/json">{}</script>'
    assert inline_scripts(html) == {"one()"}
    # echo -n 'one()' | openssl dgst -sha256 -binary | base64
    assert policy({"one()"}).split("; ")[1].startswith("script-src 'self' blob: 'sha256-")
    assert policy({"one()"}) != policy({"two()"}) and policy({"one()", "two()"}).count("sha256-") == 2


def test_the_policy_reaches_the_server(tmp_path: Path) -> None:
    (tmp_path / "_headers").write_text("/*\n  Content-Security-Policy: default-src 'none'; x\n  A: b:c\n")
    assert asked_headers(tmp_path) == [("Content-Security-Policy", "default-src 'none'; x"), ("A", "b:c")]
    assert asked_headers(tmp_path / "none") == []


def test_the_map_of_the_site() -> None:
    places = ElementTree.fromstring(site_map("https://a.b/c/", ["book/x&y.html"])).iter()
    assert [place.text for place in places if place.tag.endswith("loc")] == ["https://a.b/c/book/x&y.html"]


@pytest.mark.parametrize(
    ("target", "wanted"),
    [
        ("#here", "#one--here"),
        ("two.html", "#two"),
        ("two.html#there", "#two--there"),
        ("../_images/a.png", "_images/a.png"),
        ("../search.html", "search.html"),
        ("https://a.b/c#d", "https://a.b/c#d"),
    ],
)
def test_links_on_the_single_page(target: str, wanted: str) -> None:
    assert local(target, "book/one", {"book/one", "book/two"}) == wanted


def test_a_chapter_of_the_single_page_has_names_of_its_own_and_no_scripts() -> None:
    html = (
        '<article class="bd-article"><h1 id="a">T<a class="headerlink" href="#a">#</a></h1><script>x()</script>'
        '<label for="q">l</label><input id="q" name="q"/>'
        '<div data-attnbook-picture><img alt="p" src="../_images/p.png"/></div></article>'
    )
    assert chapter(html, "book/one", {"book/one"}) == (
        '<section class="book-chapter" id="one"><h1 id="one--a">T</h1><label for="one--q">l</label>'
        '<input id="one--q" name="one--q"/>'
        '<div data-attnbook-picture=""><img alt="p" src="_images/p.png"/></div></section>'
    )
