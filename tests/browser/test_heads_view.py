"""The heads widget in a browser without network: it draws the given weights and states the given scores."""

from __future__ import annotations

import pytest
import torch

from attnbook.widgets.heads_view import HeadLayer, HeadsView
from tests.browser.widgets import said

SOURCE, TARGET = ["he", "did", "n't", "see", "her", "."], ["il", "ne", "l'", "a", "pas", "vue", ".", "<eos>"]


torch.manual_seed(0)
LAYERS = {
    "cross": HeadLayer(torch.randn(4, 8, 6).mul(2).softmax(-1), torch.rand(16) * 100, TARGET, SOURCE),
    "self": HeadLayer(torch.randn(2, 6, 6).mul(2).softmax(-1), torch.rand(4) * 100, SOURCE, SOURCE),
}


@pytest.fixture(scope="module")
def widget():
    return HeadsView(LAYERS, query=7)


def bars(page, heads):
    """Weights (heads, keys) as they are drawn."""
    widths = page.eval_on_selector_all(".bar", "nodes => nodes.map(n => Number(n.getAttribute('width')))")
    return torch.tensor(widths).view(heads, -1) / ((640 - 176) / heads - 14)


def test_each_set_of_heads_shows_its_score(page):
    boxes = page.get_by_role("checkbox")
    scores = LAYERS["cross"].scores
    on = 15
    assert f"all heads on: BLEU is {scores[15]:.1f}." in said(page)
    for turn, head in enumerate((0, 2, 1, 0, 3, 1, 0, 3, 0)):
        (boxes if turn % 2 else page.locator(".head")).nth(head).click()
        on ^= 1 << head
        assert f"BLEU is {scores[on]:.1f}" in said(page)
        filled = page.locator(".score").get_attribute("width")
        assert float(filled) / 638 * 100 == pytest.approx(float(scores[on]), abs=0.1)
        assert [boxes.nth(i).is_checked() for i in range(4)] == [bool(on >> i & 1) for i in range(4)]
    page.get_by_role("button", name="All on").click()
    assert "all heads on" in said(page)


@pytest.mark.parametrize("width", [1280, 420, 360])
def test_switches_align_with_columns_and_costs(page, width):
    scores = LAYERS["cross"].scores
    page.set_viewport_size({"width": width, "height": 780})
    costs = [float(text.replace("−", "-")) for text in page.locator(".switch b").all_text_contents()[:4]]
    assert costs == pytest.approx([float(scores[15 & ~(1 << i)] - scores[15]) for i in range(4)], abs=0.06)
    for i in range(4):
        box, column = page.get_by_role("checkbox").nth(i).bounding_box(), page.locator(".head").nth(i).bounding_box()
        assert column["x"] - 3 <= box["x"] < column["x"] + column["width"] / 2
        assert 0 < column["y"] - box["y"] < 80, "no scrolling between a switch and its bars"
    page.set_viewport_size({"width": 1280, "height": 780})


def test_bars_equal_weights_of_query(page):
    torch.testing.assert_close(bars(page, 4), LAYERS["cross"].weights[:, 7], atol=2e-3, rtol=0)
    page.get_by_role("group", name="Query token").get_by_role("button").nth(6).press("Enter")
    torch.testing.assert_close(bars(page, 4), LAYERS["cross"].weights[:, 6], atol=2e-3, rtol=0)


def test_another_layer_has_its_own_heads(page):
    page.get_by_role("checkbox").first.click()
    page.get_by_role("combobox").select_option("self")
    assert page.get_by_role("checkbox").count() == 2
    assert f"self, all heads on: BLEU is {LAYERS['self'].scores[3]:.1f}." in said(page)
    torch.testing.assert_close(bars(page, 2), LAYERS["self"].weights[:, 5], atol=2e-3, rtol=0)
    page.get_by_role("checkbox").nth(1).press("Space")
    assert f"without head 2: BLEU is {LAYERS['self'].scores[1]:.1f}" in said(page)
