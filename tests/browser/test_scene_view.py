"""The scene widget in a browser without network: its weights equal the package's."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.widgets.scene_view import SceneView, scene_weights
from tests.browser.widgets import said, slide

NAMES = ["cup", "newspaper", "book", "lamp", "plant", "bottle"]
FEATURES = ["red", "printed", "bright", "drink"]
torch.manual_seed(0)
KEY = torch.rand(6, 4)
KEY[:, 0] = torch.tensor([1.0, 0, 0, 0, 0, 0])
VALUE = torch.tensor([[0.0, 0.0], [24.0, 0.0], [310.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 20.0]])
QUERY = torch.tensor([0.5, -1.0, 2.0, 0.0])


@pytest.fixture(scope="module")
def widget():
    return SceneView(NAMES, FEATURES, KEY, VALUE, ["pages", "sips"], query=QUERY, pull=1.5)


def drawn(page):
    """The weights, from the widths of the bars."""
    widths = page.eval_on_selector_all(".bar", "nodes => nodes.map(n => Number(n.getAttribute('width')))")
    return torch.tensor(widths) / (213 - 60)


def shares(page):
    """The weights in the labels, in percent; None for things that are not on the table."""
    texts = page.locator(".share").all_text_contents()
    return [int(found[1]) if (found := re.search(r"(\d+) %", text)) else None for text in texts]


def check(page, weights):
    torch.testing.assert_close(drawn(page), weights, atol=1e-3, rtol=0)


def test_light_equals_package(page):
    check(page, scene_weights(KEY, QUERY, 1.5))
    for share, weight in zip(shares(page), scene_weights(KEY, QUERY, 1.5), strict=True):
        assert share == pytest.approx(100 * float(weight), abs=0.6)
    slide(page, "Query: drink", 3)
    slide(page, "Pull of saliency", 4)
    check(page, scene_weights(KEY, torch.tensor([0.5, -1.0, 2.0, 3.0]), 4.0))


def test_sentence_states_mean_of_values(page):
    pages, sips = (scene_weights(KEY, QUERY, 1.5) @ VALUE).tolist()
    assert f"{pages:.1f} pages and {sips:.1f} sips" in said(page)


def test_wish_sets_query(page):
    wish = page.get_by_label("I want")
    assert wish.input_value() == "own"
    wish.select_option(label="something to read")
    check(page, scene_weights(KEY, torch.tensor([0.0, 4.0, 0.0, 0.0]), 1.5))
    wish.select_option(label="nothing in particular")
    check(page, scene_weights(KEY, torch.zeros(4), 1.5))
    assert wish.input_value() == "0"


def test_thing_with_common_color_is_not_salient(page):
    page.get_by_label("I want").select_option(label="nothing in particular")
    before = float(drawn(page)[0])
    page.get_by_label("Paint everything red").check()
    red = KEY.clone()
    red[:, 0] = 1
    check(page, scene_weights(red, torch.zeros(4), 1.5))
    assert float(drawn(page)[0]) < before
    assert page.locator(".body.red").count() == 6


def test_things_can_be_removed(page):
    page.get_by_label("cup", exact=True).uncheck()
    page.locator(".thing").nth(4).click()
    assert not page.get_by_label("plant", exact=True).is_checked()
    left = torch.tensor([1, 2, 3, 5])
    weights = torch.zeros(6)
    weights[left] = scene_weights(KEY[left], QUERY, 1.5)
    check(page, weights)
    assert shares(page)[0] is None
    for name in ("newspaper", "book", "lamp", "bottle"):
        page.get_by_label(name, exact=True).uncheck()
    assert "table is empty" in said(page)


def test_text_alternative_has_the_weights_shown(widget, page):
    picture = page.locator(".figure svg")
    assert picture.get_attribute("aria-label") == widget.alt
    page.get_by_label("I want").select_option(label="something to read")
    page.get_by_label("cup", exact=True).uncheck()
    told = re.findall(r"(\w+) (\d+) %", picture.get_attribute("aria-label"))
    shown = [(name, str(share)) for name, share in zip(NAMES, shares(page), strict=True) if share is not None]
    assert sorted(told) == sorted(shown) and "cup" not in dict(told)
    assert [int(share) for _, share in told] == sorted((int(share) for _, share in told), reverse=True)
    for name in NAMES[1:]:
        page.get_by_label(name, exact=True).uncheck()
    assert picture.get_attribute("aria-label") == "An empty table."
