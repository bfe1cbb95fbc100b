"""The sentence as running text in the attention view: a hovered, focused or selected token tints the other words."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.attention_samples import (
    CROSS,
    DECODER,
    SOURCES,
    TARGETS,
    Sample,
    choose,
    control,
    open_more,
    settle,
    shades,
    to_the_end,
)

LAST = -1
WORDS = ".running-text .word"


@pytest.fixture
def page(path: Path, open_page: Callable[..., Any]) -> Any:
    watched = open_page(path, reduced_motion="reduce")
    to_the_end(watched.page)
    control(watched.page, "view-text").click()
    settle(watched.page)
    yield watched.page
    watched.assert_quiet()


def tints(page: Any, line: int) -> np.ndarray:
    """The background colors of a line's words, ``(words, 3)``; NaN for a word without one."""
    settle(page)
    grounds = (
        page.locator(".running-text p")
        .nth(line)
        .locator(".word")
        .evaluate_all("all => all.map(node => node.style.backgroundColor)")
    )
    return np.array([[int(n) for n in re.findall(r"\d+", ground)] or [np.nan] * 3 for ground in grounds])


def assert_tinted(page: Any, line: int, weights: np.ndarray) -> None:
    table = shades(page).astype(int)
    for found, weight in zip(tints(page, line), weights, strict=True):
        low, high = (int(np.clip(round((weight + error) * 1023), 0, 1023)) for error in (-0.005, 0.005))
        assert (np.abs(table[low : high + 1] - found).sum(1) <= 2).any(), (found, weight)


def test_word_tints_other_text_on_hover_and_choice(page: Any, known: Sample) -> None:
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    assert page.locator(".running-text p").all_inner_texts() == [" ".join(TARGETS[0]), " ".join(SOURCES[0])]
    assert_tinted(page, 1, matrix[0])
    words = page.locator(WORDS)
    words.nth(2).hover()
    assert_tinted(page, 1, matrix[2])
    assert np.isnan(tints(page, 0)).all(), "only what is attended to has a tint"
    said = page.locator("output").inner_text()
    best = SOURCES[0][int(matrix[2].argmax())]
    assert said.startswith(f"“{TARGETS[0][2]}” attends to “{best}” {matrix[2].max():.2f}, “")
    words.nth(len(TARGETS[0]) + 4).hover()  # a word of the source
    assert_tinted(page, 0, matrix[:, 4])
    assert f"“{SOURCES[0][4]}” is attended to by “" in page.locator("output").inner_text()
    words.nth(5).click()
    page.mouse.move(2, 2)
    page.evaluate("document.activeElement.blur()")
    page.locator("section.card").evaluate("node => node.getRootNode().activeElement?.blur()")
    assert_tinted(page, 1, matrix[5])
    assert page.locator(".word[aria-pressed=true]").all_inner_texts() == [TARGETS[0][5]]


def test_text_view_works_by_keyboard(page: Any, known: Sample) -> None:
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    assert page.locator(f"{WORDS}[tabindex='0']").count() == 2, "one stop a text, however long it is"
    page.locator(WORDS).first.focus()
    for key, row in (("ArrowRight", 1), ("End", 6), ("ArrowRight", 6), ("ArrowLeft", 5), ("Home", 0)):
        page.keyboard.press(key)
        assert_tinted(page, 1, matrix[row])
        assert f"“{TARGETS[0][row]}” attends to" in page.locator("output").inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    settle(page)
    assert page.locator(".word[aria-pressed=true]").all_inner_texts() == [TARGETS[0][1]]
    page.keyboard.press("Escape")
    settle(page)
    assert page.locator(".word[aria-pressed=true]").count() == 0


def test_shorter_sentence_replaces_the_one_under_the_pointer(page: Any) -> None:
    page.locator(WORDS).nth(len(TARGETS[0]) - 1).hover()
    settle(page)
    control(page, "sentence").press("ArrowDown")
    settle(page)
    assert "a cat sleeps" in control(page, "sentence").locator("option:checked").inner_text()
    shown = page.locator(".running-text p").first.inner_text()
    assert shown.split() == list(TARGETS[1])
    assert page.locator(".details .subject").first.inner_text() in TARGETS[1]


def test_self_attention_is_one_text_and_a_difference_has_signs(page: Any, known: Sample) -> None:
    choose(page, "kind", str(DECODER))
    matrix = known.matrix(LAST, DECODER, 0, 1, "mean")
    assert page.locator(".running-text p").count() == 1
    page.locator(WORDS).nth(3).hover()
    assert_tinted(page, 0, matrix[3])
    open_more(page)
    choose(page, "compare", "step")
    control(page, "view-text").click()
    settle(page)
    assert page.locator(".running-text").count() == 2
    control(page, "difference").check()
    page.locator(WORDS).nth(3).hover()
    settle(page)
    earlier = known.matrix(0, DECODER, 0, 1, "mean")
    assert re.search(r"attends to “.*” [+−]0\.\d\d, .*: differences$", page.locator("output").inner_text())
    falls = (matrix - earlier)[3] < -0.02
    red, _, blue = tints(page, 0).T
    assert (red[falls] > blue[falls]).all() and (red[~falls] <= blue[~falls] + 12).all()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_view_on_phone_is_stable_and_accessible(path: Path, open_page: Any, scheme: str) -> None:
    watched = open_page(path, width=360, has_touch=True, is_mobile=True, color_scheme=scheme, reduced_motion="reduce")
    page = to_the_end(watched.page)
    control(page, "view-text").tap()
    settle(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    heights = set()
    for word in (0, 3, 8):
        page.locator(WORDS).nth(word).tap()
        settle(page)
        heights.add(page.locator("section.card").bounding_box()["height"])
    assert len(heights) == 1
    assert page.locator(".word[aria-pressed=true]").all_inner_texts() == [SOURCES[0][1]]
    result = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})
    assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in result.response["violations"]] == []
    watched.assert_quiet()
