"""The book's search finds the section about a topic and shows an excerpt, also from disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml
from playwright.sync_api import Page

from tests.browser.conftest import Watched

QUERIES = yaml.safe_load(Path(__file__).with_name("search_queries.yml").read_text(encoding="utf-8"))

# Topics that a reader may search for, and the chapter about each.
TOPICS = {
    "volitional cue": "01",
    "binding": "01",
    "kernel regression": "02",
    "width of the kernel": "02",
    "additive score": "03",
    "dot product": "03",
    "scaled dot product": "03",
    "bottleneck of one vector": "04",
    "alignment error rate": "04",
    "input feeding": "05",
    "local attention window": "05",
    "attention head": "06",
    "multi-head attention": "06",
    "rotary positions": "07",
    "positional encoding": "07",
    "order is lost": "07",
    "residual": "08",
    "warm-up": "08",
    "BLEU": "09",
    "beam search": "09",
    "flash attention": "11",
    "key value cache": "10",
}


@pytest.fixture
def results(built_book: Path, open_page: Callable[..., Watched]) -> Callable[[str], Watched]:
    return lambda query: open_page(f"{(built_book / 'search.html').as_uri()}?q={quote(query)}")


def found(page: Page, query: str) -> list[str]:
    addresses: list[str] = page.evaluate("(query) => bookSearch(query).map(({ address }) => address)", query)
    return addresses


def address(section: str) -> str:
    page, _, name = section.partition("#")
    return f"book/{page}.html" + (f"#{name}" if name else "")


def test_search_topic_returns_its_chapter_first(results: Callable[[str], Watched]) -> None:
    page = results("").page
    first = {topic: found(page, topic)[0] for topic in TOPICS}
    assert {topic: at for topic, at in first.items() if not at.startswith(f"book/{TOPICS[topic]}-")} == {}


def test_search_learners_query_returns_right_section_first(results: Callable[[str], Watched]) -> None:
    page = results("").page
    sections = set(page.evaluate("bookSections.map(({ address }) => address)"))
    places = {}
    for asked in QUERIES:
        right = [address(section) for section in (asked["section"], *asked.get("or", ()))]
        assert set(right) <= sections, "a section was renamed: change search_queries.yml too"
        places[asked["query"]] = next((n for n, at in enumerate(found(page, asked["query"]), 1) if at in right), 0)
    assert len(places) == 50
    assert {query: place for query, place in places.items() if not 1 <= place <= 3} == {}
    assert sum(place == 1 for place in places.values()) >= 45, {q: p for q, p in places.items() if p != 1}


def test_result_links_to_section_and_marks_words(results: Callable[[str], Watched]) -> None:
    watched = results("grouped queries")
    result = watched.page.locator("#search-results li").first
    assert {mark.lower() for mark in result.locator("mark").all_inner_texts()} & {"grouped", "query", "queries"}
    address = result.locator("a").get_attribute("href") or ""
    result.locator("a").click()
    watched.page.wait_for_url("**/book/**")
    if "#" in address:
        assert watched.page.locator(f"[id='{address.split('#')[1]}']").count() == 1
    watched.assert_quiet()


def test_search_page_query_without_match_is_shown_as_text(results: Callable[[str], Watched]) -> None:
    watched = results("<b>zzzqqq</b>")
    said = watched.page.locator("#search-results [role=status]")
    assert "<b>zzzqqq</b>" in said.inner_text() and watched.page.locator("#search-results b").count() == 0


def test_search_page_breaks_a_long_word(results: Callable[[str], Watched]) -> None:
    page = results("q" * 400).page
    assert "qqqq" in page.locator("#search-results [role=status]").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_search_page_field_shows_results_while_typing(results: Callable[[str], Watched]) -> None:
    watched = results("")
    field = watched.page.locator(".bd-search-container input[type=search]")
    field.press_sequentially("layernorm")
    watched.page.locator("#search-results li a", has_text="Norm").first.wait_for()
    field.fill("")
    watched.page.locator("#search-results").wait_for(state="hidden")
    watched.assert_quiet()


@pytest.mark.parametrize("from_disk", [True, False])
def test_search_box_shows_results_while_typing_and_follows_keys(
    built_book: Path, open_page: Callable[..., Watched], serve: Callable[[Path], str], from_disk: bool
) -> None:
    start = built_book.as_uri() if from_disk else serve(built_book)
    watched = open_page(f"{start}/book/08-transformer.html")
    page = watched.page
    assert not [url for url in watched.loaded if "/search/" in url], "loaded when it is needed"
    page.keyboard.press("Control+k")
    page.locator("#pst-search-dialog[open] input").wait_for()
    page.keyboard.type("layernorm")
    page.locator("#search-live li:first-child a[href*='08-transformer.html#norm']").wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**#norm*")
    assert not page.locator("#pst-search-dialog").is_visible(), "a result on this page closes the box"
    watched.assert_quiet()


@pytest.mark.parametrize("width", [1280, 360])
def test_search_field_icon_does_not_overlap_text(
    built_book: Path, open_page: Callable[..., Watched], width: int
) -> None:
    page = open_page(built_book / "search.html", width=width).page
    places = "(it) => [it.getBoundingClientRect().left, it.getBoundingClientRect().right]"
    icon = page.locator(".bd-search-container .fa-magnifying-glass").evaluate(places)
    field = page.locator(".bd-search-container input[type=search]")
    assert icon[1] <= field.evaluate(places)[0]
