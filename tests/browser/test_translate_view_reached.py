"""The translator's picture by keyboard and during redraws, and its text alternative."""

from __future__ import annotations

from typing import Any

import pytest

from attnbook.widgets.translate_view import TranslateView
from tests.browser.translators import MODELS, enter, settle, show_as
from tests.browser.widgets import said, stand, write

LONG = "the red house is old and the big car is red and she sees a house"


@pytest.fixture
def page(open_page: Any, tmp_path: Any) -> Any:
    path = write(TranslateView(MODELS, LONG, target="chinese"), tmp_path)
    watched = stand(open_page, path, width=360, height=780, reduced_motion="reduce")
    yield watched.page
    watched.assert_quiet()


def test_arrow_keys_scroll_to_and_announce_choice(page: Any) -> None:
    box = page.get_by_role("application")
    show_as(page, "cells")
    box.focus()
    top = box.evaluate("node => node.scrollTop")
    for _ in range(30):
        page.keyboard.press("ArrowDown")
    assert "with probability" in said(page)
    page.keyboard.press("End")  # is the browser's
    for _ in range(16):
        page.keyboard.press("ArrowRight")
    assert "attends to “house”" in said(page)
    chosen, inside = page.locator(".picture .chosen").bounding_box(), box.bounding_box()
    assert inside["y"] <= chosen["y"] and chosen["y"] + chosen["height"] <= inside["y"] + inside["height"]
    assert chosen["x"] + chosen["width"] <= inside["x"] + inside["width"]
    assert box.evaluate("node => node.scrollTop + node.scrollLeft") > top


def test_press_during_redraw_still_counts(page: Any) -> None:
    word = page.locator(".picture text.row").nth(1)
    name, place = word.text_content(), word.bounding_box()
    page.mouse.move(place["x"] + 4, place["y"] + 6)
    page.mouse.down()
    page.locator("#tab-more select").evaluate("node => node.dispatchEvent(new Event('change'))")
    page.mouse.up()
    assert said(page).startswith(f"“{name}” with")


def test_language_is_marked_and_text_is_not_cut(page: Any) -> None:
    assert page.locator(".compare dt").inner_text() == "Chinese"
    assert page.locator(".compare dd.large").get_attribute("lang") == "zh"
    for line in page.locator(".note, .about:visible").all():
        assert line.evaluate("node => node.scrollWidth <= node.clientWidth")


def test_hovered_word_shows_its_lines(translator: Any) -> None:
    page = translator.page
    strong = page.locator(".picture .line.strong")
    page.locator(".picture text.row").nth(0).hover()
    ends = {line.get_attribute("d").split(" ")[-1] for line in strong.all()}
    assert len(ends) == 1 and page.locator(".picture .number").count() >= strong.count() > 0
    page.locator(".picture text.column").nth(1).hover()
    begins = {line.get_attribute("d").split("C")[0] for line in strong.all()}
    assert len(begins) == 1 and page.locator(".picture text.column.strong").all_text_contents() == ["red"]


def test_preset_changes_translation_and_toggles(translator: Any) -> None:
    page = translator.page
    before = page.locator(".compare").inner_text()
    preset = page.locator(".presets button").first
    preset.click()
    settle(page)
    assert page.locator(".compare dt").all_inner_texts() == ["now", "before"]
    assert preset.get_attribute("aria-pressed") == "true"
    preset.click()
    settle(page)
    assert page.locator(".compare").inner_text() == before


def test_messages_disappear_with_their_cause(translator: Any) -> None:
    page = translator.page
    note = page.locator(".note")
    enter(page, "the zebra 我")
    assert "我" in note.inner_text() and "warns" in note.get_attribute("class")
    enter(page, "the zebra")
    assert "“zebra”" in note.inner_text() and "我" not in note.inner_text()
    enter(page, "the car .")
    assert "zebra" not in note.inner_text() and "warns" not in note.get_attribute("class")
    enter(page, "")
    assert page.locator(".compare dd").count() == 0 and page.locator(".presets [aria-pressed]").count() == 0
