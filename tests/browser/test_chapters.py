"""The chapters' widgets in the built book, opened from the disk with the network blocked."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.browser.conftest import Watched

OpenPage = Callable[..., Watched]
SOURCES = Path(__file__).parents[2] / "book"
WIDGETS = {
    "02-nadaraya-watson": ".kernel .plot",
    "04-bahdanau": ".heatmap canvas",
    "07-self-attention-and-position": ".order svg",
}
VIEWS = r"^(?:(?:Kernel|Order|Position|Rotary|Translate)View\(|    display\(CurvesView\("
VIEWS += r"|    view = AttentionView\(|```{translator})"


def open_chapter(built_book: Path, open_page: OpenPage, name: str) -> Watched:
    watched = open_page(built_book / "book" / f"{name}.html")
    watched.page.wait_for_selector(WIDGETS[name])
    source = (SOURCES / f"{name}.md").read_text(encoding="utf-8")
    shown = len(re.findall(VIEWS, source, re.M))
    assert watched.page.locator("[data-attnbook-widget]").count() == shown >= 1
    return watched


def drawn(page: Any, selector: str) -> str:
    return hashlib.sha256(page.locator(selector).first.screenshot()).hexdigest()


def test_dragging_and_keys_move_the_kernel(built_book: Path, open_page: OpenPage) -> None:
    watched = open_chapter(built_book, open_page, "02-nadaraya-watson")
    page = watched.page
    picture = page.locator(".kernel .plot")
    picture.scroll_into_view_if_needed()
    box = picture.bounding_box()
    before = drawn(page, ".kernel .plot")
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.02 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.02 * box["height"], steps=4)
    page.mouse.up()
    dragged = drawn(page, ".kernel .plot")
    assert dragged != before
    page.get_by_label("Width h").focus()
    page.keyboard.press("Home")
    assert drawn(page, ".kernel .plot") != dragged
    watched.assert_quiet()


def test_scrubbing_moves_the_heatmap_by_mouse_and_keys(built_book: Path, open_page: OpenPage) -> None:
    watched = open_chapter(built_book, open_page, "04-bahdanau")
    page = watched.page
    slider = page.get_by_label("Training step", exact=True)
    slider.scroll_into_view_if_needed()
    assert int(slider.get_attribute("max")) >= 5, "training left frames to scrub through"
    slider.focus()
    page.keyboard.press("End")
    last = drawn(page, ".heatmap canvas")
    page.keyboard.press("Home")
    first = drawn(page, ".heatmap canvas")
    assert first != last
    box = slider.bounding_box()
    page.mouse.click(box["x"] + box["width"] - 4, box["y"] + box["height"] / 2)
    assert drawn(page, ".heatmap canvas") != first
    watched.assert_quiet()


def test_words_move_and_their_outputs_change_with_positions_only(built_book: Path, open_page: OpenPage) -> None:
    watched = open_chapter(built_book, open_page, "07-self-attention-and-position")
    order = watched.page.locator(".order")
    order.get_by_role("button", name="Move right").click()
    assert "no word's output has changed" in order.locator("output").inner_text()
    order.get_by_role("checkbox").check()
    assert "the largest change" in order.locator("output").inner_text()
    clocks = watched.page.locator(".rotary")
    before = clocks.locator("output").inner_text()
    watched.page.get_by_label("Query at i").press("ArrowRight")
    assert clocks.locator("output").inner_text() != before
    watched.assert_quiet()


def test_print_is_light_and_has_pictures_below_the_fold(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "05-luong.html", color_scheme="dark").page
    missing = "[...document.images].filter((image) => !image.complete).length"
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(missing) > 0 and page.evaluate(theme) == "dark"
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function(f"{missing} === 0")
    assert page.evaluate(theme) == "light"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.evaluate(theme) == "dark"
