"""The page shows the reader's place in a chapter, and keeps it when the layout changes."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import Watched

OpenPage = Callable[..., Watched]
LINKS = """() => {
  const link = document.querySelector("#pst-page-toc-nav a.active");
  const { top, bottom } = link?.getBoundingClientRect() ?? {};
  return link && [link.hash, top > 0 && bottom < innerHeight];
}"""


def test_place_contents_and_head_follow_the_reader(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "08-transformer.html", height=720).page
    left = []
    for heading in page.locator(".bd-article section > h2").all():
        heading.evaluate("(it) => it.parentElement.scrollIntoView({ behavior: 'instant' })")
        page.wait_for_timeout(350)
        link, visible = page.evaluate(LINKS)
        assert visible, link
        told = page.locator(".book-place").inner_text()
        assert re.match(r"section \d+ of \d+, (\d+ min left|nearly done)", told), told
        left.append(int((re.search(r"(\d+) min", told) or [0, 0])[1]))
    assert left == sorted(left, reverse=True) and left[0] > 40 and left[-1] < 5


def test_place_all_code_keeps_what_is_read_in_place(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "04-bahdanau.html", height=720).page
    heading = page.locator("#looking-back > h2")
    heading.evaluate("(it) => scrollBy({ top: it.getBoundingClientRect().top - 120, behavior: 'instant' })")
    before = heading.evaluate("(it) => it.getBoundingClientRect().top")
    page.locator('[data-book="code"]').first.evaluate("(it) => it.click()")  # Playwright's own click scrolls first
    page.wait_for_timeout(200)
    assert page.locator(".cell.tag_plumbing > .cell_input:visible").count()
    assert abs(heading.evaluate("(it) => it.getBoundingClientRect().top") - before) < 3


def test_notebook_button_from_disk_says_how_to_keep_it(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "04-bahdanau.html").page
    page.locator('[data-book="notebook"]').first.click()
    assert "Save link as" in page.locator(".book-note[role=status]").inner_text()
    assert page.url.endswith("04-bahdanau.html")


def test_page_without_scripts_has_its_colors(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "08-transformer.html", java_script_enabled=False).page
    html = (built_book / "book" / "08-transformer.html").read_text(encoding="utf-8")
    assert 'data-theme="light"' in html.partition("<head>")[0]
    assert html.count('name="viewport"') == 1
    assert page.locator(".predict-answer").first.is_visible()
