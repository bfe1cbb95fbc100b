"""The window widget in a browser without network: bars and text equal the package's computation."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.attention.masks import masked_softmax
from attnbook.models.luong import local_gaussian, local_window
from attnbook.widgets.window_view import WindowView
from tests.browser.widgets import said, slide

SOURCE = ["he", "did", "n't", "give", "me", "the", "big", "red", "book", "yesterday", "morning", "."]
TARGET = ["il", "ne", "m'", "a", "pas", "donné", "le", "gros", "livre", "rouge", "hier", "matin", ".", "<eos>"]


torch.manual_seed(0)
SCORES, CENTERS = 2 * torch.randn(len(TARGET), len(SOURCE)), torch.rand(len(TARGET)) * len(SOURCE)


@pytest.fixture(scope="module")
def widget():
    return WindowView(SCORES, CENTERS, SOURCE, TARGET, gold=[(3, 5), (8, 8)], step=5, window="global")


def bars(page):
    widths = page.eval_on_selector_all(".bar", "nodes => nodes.map(n => Number(n.getAttribute('width')))")
    return torch.tensor(widths) / 414  # the length of a weight of one


@pytest.mark.parametrize("window", ["global", "local-m", "local-p"])
@pytest.mark.parametrize(("step", "half_width"), [(0, 1), (5, 2), (11, 4)])
def test_bars_equal_package(page, window, step, half_width):
    page.get_by_role("combobox").select_option(window)
    page.get_by_role("group", name="Target tokens").get_by_role("button").nth(step).click()
    slide(page, "Half width", half_width)
    center = CENTERS[step] if window == "local-p" else torch.tensor(float(step))
    inside = local_window(center, half_width, len(SOURCE)) if window != "global" else torch.ones(len(SOURCE)).bool()
    expected = masked_softmax(SCORES[step], inside)
    if window == "local-p":
        expected = expected * local_gaussian(center, half_width, len(SOURCE))
    torch.testing.assert_close(bars(page), expected, atol=2e-3, rtol=0)
    text = said(page)
    assert ("contains all 12" if window == "global" else f"contains {int(inside.sum())} of 12 tokens") in text
    assert float(re.search(r"sum to (\d\.\d\d)", text)[1]) == pytest.approx(float(expected.sum()), abs=0.006)
    kept = 100 * float(SCORES[step].softmax(-1)[inside].sum())
    assert float(re.search(r"have (\d+) %", text)[1]) == pytest.approx(kept, abs=0.6)


def test_center_can_be_moved_and_reset(page):
    page.get_by_role("combobox").select_option("local-p")
    before = bars(page)
    slide(page, "Center", 9.5)
    center = torch.tensor(9.5)
    weights = masked_softmax(SCORES[5], local_window(center, 2, 12)) * local_gaussian(center, 2, 12)
    torch.testing.assert_close(bars(page), weights, atol=2e-3, rtol=0)
    page.get_by_role("button", name="Predicted center").click()
    torch.testing.assert_close(bars(page), before)


def test_dragging_moves_the_window_and_a_token_chooses_its_step(page):
    page.get_by_role("combobox").select_option("local-p")
    band = page.locator(".band").bounding_box()
    page.mouse.move(band["x"] + 40, band["y"] + band["height"] / 2)
    page.mouse.down()
    page.mouse.move(band["x"] + 40, page.locator("svg text").nth(2).bounding_box()["y"] + 8, steps=4)
    page.mouse.up()
    assert float(page.get_by_label("Center p").input_value()) == pytest.approx(2, abs=0.2)
    page.get_by_role("button", name="livre").click()
    assert "Step 8, “livre”" in said(page)
    assert float(page.get_by_label("Center p").input_value()) == pytest.approx(float(CENTERS[8]), abs=0.06)


def test_window_view_reports_window_after_the_sentence_as_empty(page):
    page.get_by_role("combobox").select_option("local-m")
    slide(page, "Half width", 1)
    page.get_by_role("button", name="<eos>").press("Enter")
    assert "lies outside the sentence" in said(page)
    assert not bars(page).any()
