"""The built book in Chromium, opened from the disk with the network blocked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlparse

import pytest
from bs4 import BeautifulSoup

from tests.browser.conftest import Watched

BUDGET = 1_820_000  # maximum bytes of a page with everything it loads; its figures differ a little between processors
OpenPage = Callable[..., Watched]


def pages(book: Path) -> list[Path]:
    return sorted((book / "book").rglob("*.html"))


def weight(watched: Watched) -> int:
    files = {unquote(urlparse(url).path) for url in watched.loaded if url.startswith("file:")}
    return sum(Path(file).stat().st_size for file in files)


@dataclass
class Visit:
    """What was observed on a page, opened once from disk without network."""

    complaints: list[str]
    weight: int  # with what the other widths load
    widgets: int  # that live
    pictures: int  # of widgets, which must be hidden by now
    widths: dict[int, int]  # of the page by the width of the window


def look(watched: Watched, path: Path) -> Visit:
    page = watched.page
    for seen in (watched.outside, watched.complaints, watched.loaded):
        seen.clear()
    page.goto(path.as_uri())
    expected = path.read_text(encoding="utf-8").count("data-attnbook-state>")
    mounted = f"document.querySelectorAll('[data-attnbook-mounted=yes]').length === {expected}"
    page.wait_for_function(f"{mounted} && (window.widgetsReadyAt ??= performance.now())", timeout=30_000)
    print(f"{path.stem}: {expected} widgets after {page.evaluate('window.widgetsReadyAt'):.0f} ms")
    pictures = page.locator("[data-attnbook-picture]:visible").count()
    drawn = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
    widths = {}
    for width in (360, 768, 1280, 2560):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(drawn)
        widths[width] = page.evaluate("document.documentElement.scrollWidth")
    page.wait_for_load_state("networkidle")  # half a second without requests, most of which has passed
    return Visit(watched.outside + watched.complaints, weight(watched), expected, pictures, widths)


@pytest.fixture(scope="module")
def visits(built_book: Path, keep_page: OpenPage) -> dict[str, Visit]:
    """Every page, opened once for all tests of all pages."""
    watched = keep_page("about:blank")
    paths = [*pages(built_book), built_book / "search.html", built_book / "genindex.html"]
    return {path.stem: look(watched, path) for path in paths}


def test_pages_make_no_requests_and_log_no_errors(visits: dict[str, Visit]) -> None:
    assert len(visits) >= 6
    assert {name: seen.complaints for name, seen in visits.items() if seen.complaints} == {}


def test_page_weight_is_within_budget(visits: dict[str, Visit]) -> None:
    assert {name: seen.weight for name, seen in visits.items() if seen.weight >= BUDGET} == {}


def test_pages_do_not_scroll_sideways(visits: dict[str, Visit]) -> None:
    too_wide = {name: seen.widths for name, seen in visits.items() if any(w > it for it, w in seen.widths.items())}
    assert too_wide == {}


def test_widgets_of_pages_render(visits: dict[str, Visit]) -> None:
    """The time of each page is printed but not checked."""
    assert sum(seen.widgets for seen in visits.values()) >= 12
    assert {name for name, seen in visits.items() if seen.pictures} == set()


def test_start_page_links_to_introduction(built_book: Path, open_page: OpenPage) -> None:
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
    result.wait_for()
    assert "html" in (result.get_attribute("href") or "")
    result.click()
    assert "query" in watched.page.locator("article").inner_text().lower()
    watched.assert_quiet()


def test_keyboard_reaches_content(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "intro.html").page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.getAttribute('href')") == "#main-content"


def test_sidebar_links_every_page(built_book: Path, open_page: OpenPage) -> None:
    html = (built_book / "book" / "intro.html").read_text(encoding="utf-8")
    side = BeautifulSoup(html, "html.parser").select_one(".bd-sidebar-primary")
    assert side is not None
    linked = {(built_book / "book" / str(a["href"]).split("#")[0]).resolve() for a in side.select("a[href]")}
    missing = [path.name for path in pages(built_book) if path.resolve() not in linked and path.stem != "intro"]
    assert missing == []


# Pictures of widgets that are not seen, not described or hardly larger than a letter, once every answer is open.
DESCRIBED = """() => {
  for (const answer of document.querySelectorAll("details.predict-answer")) answer.open = true;
  return [...document.querySelectorAll("[data-attnbook-picture]")]
    .map((picture) => [picture, picture.querySelector("img")])
    .filter(([, image]) => !image || !image.checkVisibility() || image.alt.length <= 20 ||
      image.getBoundingClientRect().width <= 100 || image.getBoundingClientRect().height <= 50)
    .map(([picture]) => picture.outerHTML.slice(0, 120));
}"""


def test_widgets_without_scripts_are_described_pictures(built_book: Path, open_page: OpenPage) -> None:
    page = open_page("about:blank", java_script_enabled=False).page
    for path in pages(built_book):
        if "data-attnbook-state>" in path.read_text(encoding="utf-8"):
            page.goto(path.as_uri())
            assert page.evaluate(DESCRIBED) == [], path.stem


def test_wide_table_shows_on_a_phone_that_it_continues(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "11-less-than-all-pairs.html", width=360, height=780).page
    table = page.wait_for_selector("table.table[data-more]")  # this one, also when it has been scrolled
    assert table is not None
    assert "gradient" in table.evaluate("(table) => getComputedStyle(table).maskImage")
    table.evaluate("(table) => { table.scrollLeft = table.scrollWidth; }")
    page.wait_for_function("(table) => !table.hasAttribute('data-more')", arg=table)


def test_name_in_code_is_whole_in_a_table_on_a_phone(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "notation.html", width=360, height=780).page
    broken = """all => all.filter(({ textContent }) => !/[^\\w.]/.test(textContent))
        .filter((code) => code.getClientRects().length > 1).map(({ textContent }) => textContent)"""
    names = page.locator("table.table td code")
    assert names.count() > 10
    assert names.evaluate_all(broken) == []
