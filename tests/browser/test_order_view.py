"""The order widget in a browser without network: moved words change the outputs only with positions."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.widgets.order_view import OrderView, outputs
from tests.browser.widgets import said

torch.manual_seed(0)
WORDS = ["the", "dog", "bit", "the", "man"]
GIVEN = {"x": torch.randn(5, 4)} | {W: torch.randn(4, 4) for W in ("W_q", "W_k", "W_v")}


@pytest.fixture(scope="module")
def widget():
    return OrderView(WORDS, **GIVEN)


def changes(page):
    """The text below each word, in the order of the words."""
    texts = page.locator("svg text").all_text_contents()
    return [float(text[1:]) for text in texts if text.startswith("±")]


def move(page, word, by):
    page.locator("select").select_option(str(word))
    for _ in range(abs(by)):
        page.get_by_role("button", name="Move right" if by > 0 else "Move left").click()


def test_outputs_without_positions_are_unchanged(page):
    move(page, 1, 2)
    assert "“the bit the dog man”, positions off" in said(page)
    assert "no word's output has changed" in said(page)
    assert changes(page) == [0] * 5


def test_outputs_with_positions_equal_package(page):
    page.get_by_role("checkbox").check()
    move(page, 1, 2)
    order = [0, 2, 3, 1, 4]
    first = outputs(**GIVEN, positions=True)
    now = outputs(**{**GIVEN, "x": GIVEN["x"][order]}, positions=True)
    expected = [float((now[order.index(word)] - first[word]).abs().max()) for word in range(5)]
    assert changes(page) == pytest.approx(expected, abs=0.006)
    assert float(re.search(r"output is (\d+\.\d+)", said(page))[1]) == pytest.approx(max(expected), abs=0.006)


def test_word_moves_by_drag(page):
    tiles = page.locator(".tile")
    start, end = tiles.nth(4).bounding_box(), tiles.nth(0).bounding_box()
    page.mouse.move(start["x"] + 20, start["y"] + 10)
    page.mouse.down()
    page.mouse.move(end["x"] + 20, end["y"] + 10, steps=8)
    page.mouse.up()
    assert "“man the dog bit the”" in said(page)


def test_dragged_word_stops_at_ends(page):
    move(page, 0, -1)
    assert "“the dog bit the man”" in said(page)
