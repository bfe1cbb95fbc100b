"""The built book in Chromium, opened from the disk with the network blocked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from bs4 import BeautifulSoup

from tests.browser.conftest import Watched

BUDGET = 1_500_000  # bytes that a page and all it loads may weigh
OpenPage = Callable[..., Watched]


def pages(book: Path) -> list[Path]:
    return sorted((book / "book").rglob("*.html"))


def weight(watched: Watched) -> int:
    files = {unquote(urlparse(url).path) for url in watched.loaded if url.startswith("file:")}
    return sum(Path(file).stat().st_size for file in files)


def test_no_page_asks_the_outside_or_complains(built_book: Path, open_page: OpenPage) -> None:
    assert len(pages(built_book)) >= 3
    for path in [
        built_book / "index.html",
        *pages(built_book),
        built_book / "search.html",
        built_book / "genindex.html",
    ]:
        watched = open_page(path)
        watched.page.wait_for_load_state("networkidle")
        watched.assert_quiet()
        watched.page.context.close()


def test_no_page_is_heavy(built_book: Path, open_page: OpenPage) -> None:
    for path in pages(built_book):
        watched = open_page(path)
        watched.page.wait_for_load_state("networkidle")
        assert weight(watched) < BUDGET, f"{path.name} weighs {weight(watched)} bytes"
        watched.page.context.close()


def test_the_start_page_leads_to_the_introduction(built_book: Path, open_page: OpenPage) -> None:
    watched = open_page(built_book / "index.html")
    watched.page.wait_for_url("**/book/intro.html")
    assert watched.page.locator("h1").first.inner_text().startswith("The Attention Book")


@pytest.mark.parametrize("scripts", [True, False])
def test_formulas_are_typeset_with_and_without_scripts(built_book: Path, open_page: OpenPage, scripts: bool) -> None:
    page = open_page(built_book / "book" / "intro.html", java_script_enabled=scripts).page
    formula = page.locator(".katex-display .katex-html")
    assert formula.count() >= 1
    box = formula.first.bounding_box()
    assert box and box["width"] > 200 and box["height"] > 30
    assert page.locator(".katex-mathml math annotation").count() >= page.locator(".katex").count() > 1
    if scripts:
        assert page.evaluate("document.fonts.check('16px KaTeX_Main')")


def test_no_page_scrolls_sideways(built_book: Path, open_page: OpenPage) -> None:
    drawn = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
    for path in pages(built_book):
        page = open_page(path, width=360).page
        for width in (360, 768, 1280, 2560):
            page.set_viewport_size({"width": width, "height": 900})
            page.evaluate(drawn)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{path.name} is {wide} wide on {width}"
        page.context.close()


def test_light_and_dark(built_book: Path, open_page: OpenPage) -> None:
    path = built_book / "book" / "intro.html"
    background = "getComputedStyle(document.body).backgroundColor"
    light = open_page(path, color_scheme="light").page
    dark = open_page(path, color_scheme="dark").page
    assert light.evaluate(background) != dark.evaluate(background), "the page does not follow the system"
    before = light.evaluate(background)
    for _ in range(3):  # auto, light, dark in some order
        light.locator("button.theme-switch-button:visible").first.click()
        if light.evaluate("document.documentElement.dataset.theme") == "dark":
            break
    assert light.evaluate(background) == dark.evaluate(background) != before


@pytest.mark.parametrize("from_disk", [True, False])
def test_search_finds_a_word(
    built_book: Path, open_page: OpenPage, serve: Callable[[Path], str], from_disk: bool
) -> None:
    start = (built_book / "search.html").as_uri() if from_disk else f"{serve(built_book)}/search.html"
    watched = open_page(f"{start}?q=query")
    result = watched.page.locator("#search-results li a").first
    result.wait_for(timeout=5000)
    assert "html" in (result.get_attribute("href") or "")
    result.click()
    assert "query" in watched.page.locator("article").inner_text().lower()
    watched.assert_quiet()


def test_the_keyboard_reaches_the_content(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "intro.html").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main-content"


def test_every_page_is_reached_by_the_side_bar(built_book: Path, open_page: OpenPage) -> None:
    html = (built_book / "book" / "intro.html").read_text(encoding="utf-8")
    side = BeautifulSoup(html, "html.parser").select_one(".bd-sidebar-primary")
    assert side is not None
    linked = {(built_book / "book" / str(a["href"]).split("#")[0]).resolve() for a in side.select("a[href]")}
    missing = [path.name for path in pages(built_book) if path.resolve() not in linked and path.stem != "intro"]
    assert missing == []


def test_every_widget_of_every_page_is_alive(built_book: Path, open_page: OpenPage) -> None:
    """From the disk, without network. How long each page took is printed, and asserted nowhere."""
    alive = 0
    for path in pages(built_book):
        expected = path.read_text(encoding="utf-8").count("data-attnbook-state>")
        if not expected:
            continue
        watched = open_page(path)
        mounted = f"document.querySelectorAll('[data-attnbook-mounted=yes]').length === {expected}"
        watched.page.wait_for_function(f"{mounted} && (window.widgetsReadyAt ??= performance.now())", timeout=30_000)
        print(f"{path.stem}: {expected} widgets after {watched.page.evaluate('window.widgetsReadyAt'):.0f} ms")
        pictures = watched.page.locator("[data-attnbook-picture]")
        assert not any(pictures.nth(n).is_visible() for n in range(expected))
        watched.assert_quiet()
        watched.page.context.close()
        alive += expected
    assert alive >= 12


def test_without_scripts_every_widget_is_a_described_picture(built_book: Path, open_page: OpenPage) -> None:
    for path in pages(built_book):
        page = open_page(path, java_script_enabled=False).page
        for picture in page.locator("[data-attnbook-picture]").all():
            image = picture.locator("img")
            assert image.is_visible() and len(image.get_attribute("alt") or "") > 20
            box = image.bounding_box()
            assert box and box["width"] > 100 and box["height"] > 50
