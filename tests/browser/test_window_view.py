"""The window widget in a browser without network: its bars and its words are what the package computes."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.luong import local_gaussian, local_window
from attnbook.masks import masked_softmax
from attnbook.widgets.static import saved_state, static_html, static_page
from attnbook.widgets.window_view import WindowView

SOURCE = ["he", "did", "n't", "give", "me", "the", "big", "red", "book", "yesterday", "morning", "."]
TARGET = ["il", "ne", "m'", "a", "pas", "donné", "le", "gros", "livre", "rouge", "hier", "matin", ".", "<eos>"]
ROOT = ".attnbook-window"


@pytest.fixture
def page(tmp_path, open_page):
    torch.manual_seed(0)
    scores, centers = 2 * torch.randn(len(TARGET), len(SOURCE)), torch.rand(len(TARGET)) * len(SOURCE)

    def open_(options=None, **view):
        widget = WindowView(scores, centers, SOURCE, TARGET, gold=[(3, 5), (8, 8)], step=5, **view)
        path = tmp_path / "window.html"
        path.write_text(static_page(static_html(saved_state(widget)), title="Window"), encoding="utf-8")
        watched = open_page(path, **(options or {}))
        watched.page.wait_for_selector(f"{ROOT} output:not(:empty)")
        return watched, scores, centers

    return open_


def bars(page):
    widths = page.eval_on_selector_all(f"{ROOT} .bar", "nodes => nodes.map(n => Number(n.getAttribute('width')))")
    return torch.tensor(widths) / 414  # the length of a weight of one


def said(page):
    return page.locator(f"{ROOT} output").inner_text()


def set_range(page, label, value):
    page.get_by_role("slider", name=label).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", value
    )


@pytest.mark.parametrize("window", ["global", "local-m", "local-p"])
@pytest.mark.parametrize(("step", "half_width"), [(0, 1), (5, 2), (11, 4)])
def test_the_bars_equal_the_package(page, window, step, half_width):
    watched, scores, centers = page(window="global")
    watched.page.get_by_role("combobox").select_option(window)
    set_range(watched.page, "Step", step)
    set_range(watched.page, "Half width", half_width)
    center = centers[step] if window == "local-p" else torch.tensor(float(step))
    inside = local_window(center, half_width, len(SOURCE)) if window != "global" else torch.ones(len(SOURCE)).bool()
    expected = masked_softmax(scores[step], inside)
    if window == "local-p":
        expected = expected * local_gaussian(center, half_width, len(SOURCE))
    torch.testing.assert_close(bars(watched.page), expected, atol=2e-3, rtol=0)
    text = said(watched.page)
    assert f"holds {int(inside.sum())} of 12 tokens" in text
    assert float(re.search(r"add up to (\d\.\d\d)", text)[1]) == pytest.approx(float(expected.sum()), abs=0.006)
    kept = 100 * float(scores[step].softmax(-1)[inside].sum())
    assert float(re.search(r"had (\d+) %", text)[1]) == pytest.approx(kept, abs=0.6)
    watched.assert_quiet()


def test_the_reader_moves_the_centre_and_gets_it_back(page):
    watched, scores, _ = page(window="local-p", half_width=2)
    before = bars(watched.page)
    set_range(watched.page, "Centre", 9.5)
    center = torch.tensor(9.5)
    weights = masked_softmax(scores[5], local_window(center, 2, 12)) * local_gaussian(center, 2, 12)
    torch.testing.assert_close(bars(watched.page), weights, atol=2e-3, rtol=0)
    watched.page.get_by_role("button").click()
    torch.testing.assert_close(bars(watched.page), before)


def test_a_window_behind_the_sentence_is_said_to_be_empty(page):
    watched, *_ = page(window="local-m", half_width=1)
    set_range(watched.page, "Step", 13)
    assert "lies outside the sentence" in said(watched.page)
    assert not bars(watched.page).any()


def test_the_keyboard_alone_is_enough(page):
    watched, *_ = page(window="local-m")
    keyboard = watched.page.keyboard
    keyboard.press("Tab")
    keyboard.press("Tab")
    assert watched.page.evaluate("document.activeElement.labels[0].innerText").startswith("Step")
    keyboard.press("ArrowRight")
    assert "Step 6" in said(watched.page)
    keyboard.press("Tab")
    keyboard.press("End")
    assert "D = 10" in said(watched.page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(page, scheme):
    watched, *_ = page({"width": 360, "color_scheme": scheme})
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    written = watched.page.locator(f"{ROOT} .written").evaluate("node => node.scrollWidth <= node.clientWidth")
    assert written, "a long sentence must wrap"
    assert watched.page.locator(f"{ROOT} svg text").first.bounding_box()["height"] >= 9
    assert watched.page.locator(ROOT).get_attribute("data-theme") == scheme
