"""The book's search leads to the section that treats a topic, with an excerpt, from a folder too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.browser.conftest import Watched

# What somebody may look for, and the chapter that teaches it.
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


def test_the_chapter_that_treats_a_topic_comes_first(built_book: Path, open_page: Callable[..., Watched]) -> None:
    address = (built_book / "search.html").as_uri()
    page = open_page(address).page
    found = {}
    for topic, chapter in TOPICS.items():
        page.goto(f"{address}?q={quote(topic)}")
        first = page.locator("#search-results li a").first.get_attribute("href") or ""
        if not first.startswith(f"book/{chapter}-"):
            found[topic] = first
    assert found == {}


def test_a_result_leads_to_its_section_and_shows_the_words(results: Callable[[str], Watched]) -> None:
    watched = results("grouped queries")
    result = watched.page.locator("#search-results li").first
    assert {mark.lower() for mark in result.locator("mark").all_inner_texts()} & {"grouped", "query", "queries"}
    address = result.locator("a").get_attribute("href") or ""
    result.locator("a").click()
    watched.page.wait_for_url("**/book/**")
    if "#" in address:
        assert watched.page.locator(f"[id='{address.split('#')[1]}']").count() == 1
    watched.assert_quiet()


def test_nothing_found_is_said_and_text_is_no_html(results: Callable[[str], Watched]) -> None:
    watched = results("<b>zzzqqq</b>")
    said = watched.page.locator("#search-results [role=status]")
    assert "<b>zzzqqq</b>" in said.inner_text() and watched.page.locator("#search-results b").count() == 0
