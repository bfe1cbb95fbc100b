"""Finished pages: valid roles, policy, picture sizes, sitemap; and the single page."""

from __future__ import annotations

import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest

from bookkit.ext.pages import inline_scripts, policy, repair, site_map, size_pictures
from bookkit.ext.single import chapter, local
from bookkit.serve_book import configured_headers
from tests.book.pages import parsed


def test_repair_is_idempotent() -> None:
    html = (
        '<div role="list" class="citation-list"><div class="citation" role="doc-biblioentry">x</div></div>'
        "<th class=\"head\"><p></p></th><script>DOCUMENTATION_OPTIONS.pagename = 'book/a';</script>"
    )
    wanted = '<div class="citation-list"><div class="citation">x</div></div><td class="head"></td>'
    assert repair(html) == wanted == repair(wanted)


def test_repair_keeps_card_styles_only_on_pages_with_cards() -> None:
    link = '<link rel="stylesheet" href="../_static/sphinx-design.min.css?v=1" />'
    assert repair(f"{link}<p>x</p>") == "<p>x</p>"
    assert repair(f'{link}<p class="a sd-card">x</p>').startswith(link)


def test_policy_hashes_every_inline_script() -> None:
    html = '<script src="a.js"></script><script>one()</script><script type="application/json">{}</script>'
    assert inline_scripts(html) == {"one()"}
    # echo -n 'one()' | openssl dgst -sha256 -binary | base64
    assert policy({"one()"}).split("; ")[1].startswith("script-src 'self' blob: 'sha256-")
    assert policy({"one()"}) != policy({"two()"}) and policy({"one()", "two()"}).count("sha256-") == 2


def test_server_sends_policy_of_headers_file(tmp_path: Path) -> None:
    (tmp_path / "_headers").write_text("/*\n  Content-Security-Policy: default-src 'none'; x\n  A: b:c\n")
    assert configured_headers(tmp_path) == [("Content-Security-Policy", "default-src 'none'; x"), ("A", "b:c")]
    assert configured_headers(tmp_path / "none") == []


def test_size_pictures_adds_size_and_lazy_loading(tmp_path: Path) -> None:
    (tmp_path / "_images").mkdir()
    (tmp_path / "_images" / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 30, 20))
    html = '<img alt="a" src="_images/a.png" /><img alt="b" src="_images/a.png" /><img src="https://a.b/_images/c.png">'
    wanted = (
        '<img width="30" height="20" alt="a" src="_images/a.png" />'
        '<img width="30" height="20" loading="lazy" alt="b" src="_images/a.png" /><img src="https://a.b/_images/c.png">'
    )
    assert size_pictures(html, tmp_path) == wanted == size_pictures(wanted, tmp_path)


def test_repair_removes_theme_search_and_uncolored_spans() -> None:
    html = (
        '<script src="../searchindex.js"></script>\n<script src="../_static/searchtools.js?v=1"></script><p>'
        '<div class="highlight"><pre><span></span><span class="n">x</span>'
        '<span class="o">.</span><span class="o">=</span></pre></div>'
        '<span class="n">kept</span>'
    )
    wanted = (
        '<p><div class="highlight"><pre><span></span>x.<span class="o">=</span></pre></div><span class="n">kept</span>'
    )
    assert repair(html) == wanted


@pytest.mark.parametrize("kind", ["module", "bytes"])
def test_repair_keeps_one_copy_of_widget_programs_and_bytes(kind: str) -> None:
    one, other = (
        f'<script type="application/json" data-attnbook-{kind}="{key}">"x"</script>\n' for key in ("a1", "b2")
    )
    assert repair(f"{one}<p>{other}{one}</p>{other}") == f"{one}<p>{other}</p>"


BUDGET = 1_800_000  # bytes of a page with everything it refers to, including lazily loaded pictures


def test_page_weight_with_pictures_is_within_budget(built_book: Path) -> None:
    heavy = {}
    for page in (built_book / "book").rglob("*.html"):
        html = parsed(page)
        # of a figure's drawings a browser asks for the one that it shows: the others are loaded lazily, and hidden
        tags = html.select("img[src]:not(.dark):not(.narrow), script[src], link[rel=stylesheet]")
        named = {str(tag.get("src") or tag.get("href")).split("?")[0] for tag in tags}
        files = {(page.parent / name).resolve() for name in named if not name.startswith("data:")}
        weight = page.stat().st_size + sum(path.stat().st_size for path in files if path.is_file())
        if weight > BUDGET:
            heavy[page.name] = weight
    assert heavy == {}


def test_pages_show_no_memory_addresses(built_book: Path) -> None:
    shown = re.compile(r"&lt;[\w. ]+ at 0x[0-9a-f]+")
    pages = sorted((built_book / "book").rglob("*.html"))
    assert [page.name for page in pages if shown.search(page.read_text(encoding="utf-8"))] == []


def test_site_map_lists_escaped_addresses() -> None:
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
def test_single_page_links_are_local(target: str, wanted: str) -> None:
    assert local(target, "book/one", {"book/one", "book/two"}) == wanted


def test_single_page_chapter_has_prefixed_ids_and_no_scripts() -> None:
    html = (
        '<article class="bd-article"><h1 id="a">T<a class="headerlink" href="#a">#</a></h1><script>x()</script>'
        '<label for="q">l</label><input id="q" name="q"/>'
        '<div data-attnbook-picture><img alt="p" src="../_images/p.png"/></div></article>'
    )
    contents, section = chapter(html, "book/one", {"book/one"})
    assert contents == '<li><a href="#one">T</a></li>'
    assert section == (
        '<section class="book-chapter" id="one"><h1 id="one--a">T</h1><label for="one--q">l</label>'
        '<input id="one--q" name="one--q">'
        '<div data-attnbook-picture><img alt="p" src="_images/p.png"></div></section>'
    )
