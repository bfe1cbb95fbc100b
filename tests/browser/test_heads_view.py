"""The heads widget in a browser without network: it draws the weights and says the scores that it was given."""

from __future__ import annotations

import pytest
import torch

from attnbook.widgets.heads_view import HeadLayer, HeadsView
from attnbook.widgets.static import saved_state, static_html, static_page

SOURCE, TARGET = ["he", "did", "n't", "see", "her", "."], ["il", "ne", "l'", "a", "pas", "vue", ".", "<eos>"]
ROOT = ".attnbook-heads"


@pytest.fixture
def page(tmp_path, open_page):
    torch.manual_seed(0)
    layers = {
        "cross": HeadLayer(torch.randn(4, 8, 6).mul(2).softmax(-1), torch.rand(16) * 100, TARGET, SOURCE),
        "self": HeadLayer(torch.randn(2, 6, 6).mul(2).softmax(-1), torch.rand(4) * 100, SOURCE, SOURCE),
    }

    def open_(**options):
        path = tmp_path / "heads.html"
        state = saved_state(HeadsView(layers, query=7))
        path.write_text(static_page(static_html(state), title="Heads"), encoding="utf-8")
        watched = open_page(path, **options)
        watched.page.wait_for_selector(f"{ROOT} output:not(:empty)")
        return watched, layers

    return open_


def said(page):
    return page.locator(f"{ROOT} output").inner_text()


def bars(page, heads):
    """Weights (heads, keys) as they are drawn."""
    widths = page.eval_on_selector_all(f"{ROOT} .bar", "nodes => nodes.map(n => Number(n.getAttribute('width')))")
    return torch.tensor(widths).view(heads, -1) / ((640 - 176) / heads - 14)


def test_every_set_of_heads_says_its_score(page):
    watched, layers = page()
    boxes = watched.page.get_by_role("checkbox")
    scores = layers["cross"].scores
    on = 15
    assert f"all heads on: BLEU is {scores[15]:.1f}." in said(watched.page)
    for head in (0, 2, 1, 0, 3, 1, 0, 3, 0):
        boxes.nth(head).click()
        on ^= 1 << head
        assert f"BLEU is {scores[on]:.1f}" in said(watched.page)
        filled = watched.page.locator(f"{ROOT} .score").get_attribute("width")
        assert float(filled) / 638 * 100 == pytest.approx(float(scores[on]), abs=0.1)
        assert [boxes.nth(i).is_checked() for i in range(4)] == [bool(on >> i & 1) for i in range(4)]
    watched.page.get_by_role("button", name="All on").click()
    assert "all heads on" in said(watched.page)
    watched.assert_quiet()


def test_the_columns_say_what_each_head_costs_alone(page):
    watched, layers = page()
    scores = layers["cross"].scores
    texts = watched.page.locator(f"{ROOT} svg").first.locator("text").all_text_contents()
    costs = [float(text.replace("−", "-")) for text in texts if text[-2:-1] == "." and text[-1].isdigit()]
    assert costs == pytest.approx([float(scores[15 & ~(1 << i)] - scores[15]) for i in range(4)], abs=0.06)


def test_the_bars_are_the_weights_of_the_query(page):
    watched, layers = page()
    torch.testing.assert_close(bars(watched.page, 4), layers["cross"].weights[:, 7], atol=2e-3, rtol=0)
    watched.page.get_by_role("slider").focus()
    watched.page.keyboard.press("ArrowLeft")
    torch.testing.assert_close(bars(watched.page, 4), layers["cross"].weights[:, 6], atol=2e-3, rtol=0)


def test_another_layer_has_its_own_heads(page):
    watched, layers = page()
    watched.page.get_by_role("checkbox").first.click()
    watched.page.get_by_role("combobox").select_option("self")
    assert watched.page.get_by_role("checkbox").count() == 2
    assert f"self, all heads on: BLEU is {layers['self'].scores[3]:.1f}." in said(watched.page)
    torch.testing.assert_close(bars(watched.page, 2), layers["self"].weights[:, 5], atol=2e-3, rtol=0)
    watched.page.get_by_role("checkbox").nth(1).press("Space")
    assert f"head 2 taken out: BLEU is {layers['self'].scores[1]:.1f}" in said(watched.page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(page, scheme):
    watched, _ = page(width=360, color_scheme=scheme)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert watched.page.locator(f"{ROOT} svg text").first.bounding_box()["height"] >= 9
    assert watched.page.locator(ROOT).get_attribute("data-theme") == scheme
    assert watched.page.get_by_role("checkbox").first.bounding_box()["height"] >= 24
