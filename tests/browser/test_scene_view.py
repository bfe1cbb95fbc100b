"""The scene in a browser without network: the light it gives is what the package computes."""

from __future__ import annotations

import itertools
import re

import pytest
import torch

from attnbook.widgets.scene_view import SceneView, scene_weights
from attnbook.widgets.static import saved_state, static_html, static_page

NAMES = ["cup", "newspaper", "book", "lamp", "plant", "bottle"]
FEATURES = ["red", "printed", "bright", "drink"]
torch.manual_seed(0)
KEY = torch.rand(6, 4)
KEY[:, 0] = torch.tensor([1.0, 0, 0, 0, 0, 0])
VALUE = torch.tensor([[0.0, 0.0], [24.0, 0.0], [310.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 20.0]])
QUERY = torch.tensor([0.5, -1.0, 2.0, 0.0])


@pytest.fixture
def page(tmp_path, open_page):
    def open_(**options):
        widget = SceneView(NAMES, FEATURES, KEY, VALUE, ["pages", "sips"], query=QUERY, pull=1.5)
        path = tmp_path / "scene.html"
        path.write_text(static_page(static_html(saved_state(widget)), title="Scene"), encoding="utf-8")
        watched = open_page(path, **options)
        watched.page.wait_for_selector(".attnbook-scene output:not(:empty)")
        return watched

    return open_


def drawn(page):
    """The weights, from the widths of the bars."""
    widths = page.eval_on_selector_all(
        ".attnbook-scene .bar", "nodes => nodes.map(n => Number(n.getAttribute('width')))"
    )
    return torch.tensor(widths) / (213 - 60)


def shares(page):
    """The weights as the labels say them, in percent; None for what is not on the table."""
    texts = page.locator(".attnbook-scene .share").all_text_contents()
    return [int(found[1]) if (found := re.search(r"(\d+) %", text)) else None for text in texts]


def set_range(page, label, value):
    page.get_by_role("slider", name=label).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", value
    )


def check(page, weights):
    torch.testing.assert_close(drawn(page), weights, atol=1e-3, rtol=0)


def test_the_light_equals_the_package(page):
    watched = page()
    check(watched.page, scene_weights(KEY, QUERY, 1.5))
    for share, weight in zip(shares(watched.page), scene_weights(KEY, QUERY, 1.5), strict=True):
        assert share == pytest.approx(100 * float(weight), abs=0.6)
    set_range(watched.page, "Query: drink", 3)
    set_range(watched.page, "Pull of saliency", 4)
    check(watched.page, scene_weights(KEY, torch.tensor([0.5, -1.0, 2.0, 3.0]), 4.0))
    watched.assert_quiet()


def test_the_sentence_says_the_mean_of_the_values(page):
    watched = page()
    said = watched.page.locator(".attnbook-scene output").inner_text()
    pages, sips = (scene_weights(KEY, QUERY, 1.5) @ VALUE).tolist()
    assert f"{pages:.1f} pages and {sips:.1f} sips" in said


def test_a_wish_sets_the_query(page):
    watched = page()
    wish = watched.page.get_by_label("I want")
    assert wish.input_value() == "own"
    wish.select_option(label="something to read")
    check(watched.page, scene_weights(KEY, torch.tensor([0.0, 4.0, 0.0, 0.0]), 1.5))
    wish.select_option(label="nothing in particular")
    check(watched.page, scene_weights(KEY, torch.zeros(4), 1.5))
    assert wish.input_value() == "0"


def test_red_among_red_is_not_salient(page):
    watched = page()
    watched.page.get_by_label("I want").select_option(label="nothing in particular")
    before = float(drawn(watched.page)[0])
    watched.page.get_by_label("Paint everything red").check()
    red = KEY.clone()
    red[:, 0] = 1
    check(watched.page, scene_weights(red, torch.zeros(4), 1.5))
    assert float(drawn(watched.page)[0]) < before
    assert watched.page.locator(".attnbook-scene .body.red").count() == 6


def test_things_can_be_taken_away(page):
    watched = page()
    watched.page.get_by_label("cup", exact=True).uncheck()
    watched.page.get_by_label("plant", exact=True).uncheck()
    left = torch.tensor([1, 2, 3, 5])
    weights = torch.zeros(6)
    weights[left] = scene_weights(KEY[left], QUERY, 1.5)
    check(watched.page, weights)
    assert shares(watched.page)[0] is None
    for name in ("newspaper", "book", "lamp", "bottle"):
        watched.page.get_by_label(name, exact=True).uncheck()
    assert "table is empty" in watched.page.locator(".attnbook-scene output").inner_text()
    watched.assert_quiet()


def test_the_keyboard_alone_is_enough(page):
    watched = page()
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("Tab")
    assert watched.page.evaluate("document.activeElement.labels[0].innerText").startswith("Query: red")
    watched.page.keyboard.press("End")
    check(watched.page, scene_weights(KEY, torch.tensor([6.0, -1.0, 2.0, 0.0]), 1.5))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(page, scheme):
    watched = page(width=360, color_scheme=scheme)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert watched.page.locator(".attnbook-scene").get_attribute("data-theme") == scheme
    boxes = [label.bounding_box() for label in watched.page.locator(".attnbook-scene .share").all()]
    assert min(box["height"] for box in boxes) >= 9, "labels must stay readable when the picture shrinks"
    for row in (boxes[:3], boxes[3:]):
        assert all(a["x"] + a["width"] <= b["x"] for a, b in itertools.pairwise(row)), "labels must not overlap"
