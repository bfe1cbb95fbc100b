"""Links to terms, sources and figures show a note, by pointer, keyboard and touch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Watched

OpenPage = Callable[..., Watched]
TERM = ".bd-article a:has(> .std-term)"
SOURCE = ".bd-article a.reference[href*='references.html#']"
FIGURE = ".bd-article p a.reference[href^='#fig-']"


@pytest.mark.parametrize("from_disk", [True, False])
def test_note_pointer_rests_shows_definition_and_source(
    built_book: Path, open_page: OpenPage, serve: Callable[[Path], str], from_disk: bool
) -> None:
    start = built_book.as_uri() if from_disk else serve(built_book)
    watched = open_page(f"{start}/book/08-transformer.html", height=720)
    page = watched.page
    note = page.locator(".book-note")
    for selector, words in ((TERM, "glossary"), (SOURCE, "bibliography"), (FIGURE, "Fig. 8")):
        link = page.locator(f"{selector}:visible").first
        link.hover()
        note.wait_for()
        assert words in note.inner_text() and note.count() == 1
        assert link.get_attribute("aria-describedby") == "book-note"
        note.hover()  # it can be entered
        page.wait_for_timeout(400)
        assert note.count() == 1
        page.keyboard.press("Escape")
        expect(note).to_have_count(0)
        page.mouse.move(0, 0)
    watched.assert_quiet()


def test_note_keyboard_focus_shows_and_escape_closes(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "08-transformer.html").page
    note = page.locator(".book-note")
    page.locator(".book-reading summary").focus()
    for _ in range(4):  # the line on minutes lies between
        page.keyboard.press("Tab")
        if note.count():
            break
    assert "Transformer" in note.inner_text()
    page.keyboard.press("Tab")  # into the note
    assert page.evaluate("document.activeElement.closest('.book-note') !== null")
    page.keyboard.press("Escape")
    expect(note).to_have_count(0)
    assert "Transformer" in page.evaluate("document.activeElement.textContent")


def test_note_first_tap_shows_second_follows(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "08-transformer.html", width=360, height=780, has_touch=True).page
    note = page.locator(".book-note")
    for link in page.locator(TERM).all()[:4]:
        page.locator(".bd-article h1").tap(position={"x": 5, "y": 5})
        expect(note).to_have_count(0)
        link.tap()
        note.wait_for()
        assert note.count() == 1 and page.url.endswith("08-transformer.html")
        box = note.bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 360 and box["y"] >= 0
    page.locator(TERM).nth(3).tap()
    page.wait_for_url("**/glossary.html#term-*")
