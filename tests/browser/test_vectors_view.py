"""The score widget in a browser without network: its score equals the package's."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.widgets.vectors_view import VectorsView, score_of
from tests.browser.widgets import said, slide


@pytest.fixture(scope="module")
def widget():
    return VectorsView()


def found(page):
    return float(re.search(r"The score is (-?[\d.]+)\. ", said(page))[1])


@pytest.mark.parametrize("kind", ["dot", "scaled", "general", "additive"])
@pytest.mark.parametrize("query", [(1.5, 1.0), (-2.0, 0.5)])
def test_score_equals_package(page, kind, query):
    page.locator("select").select_option(kind)
    for axis, number in zip("xy", query, strict=True):
        slide(page, f"query {axis}", number)
    wanted = score_of(kind, torch.tensor(query), torch.tensor([[-0.4, 1.8]]))
    assert found(page) == pytest.approx(float(wanted), abs=0.006)


@pytest.mark.parametrize("kind", ["dot", "general", "additive"])
def test_contour_lines_equal_package_scores(page, kind):
    page.locator("select").select_option(kind)
    lines = page.eval_on_selector_all(".contour", "all => all.map(n => [n.dataset.level, n.getAttribute('d')])")
    assert 4 <= len(lines) <= 11
    for level, way in lines:
        places = torch.tensor([[float(number) for number in point.split()] for point in re.findall(r"[\d. ]+", way)])
        keys = torch.stack((places[:, 0] / 400 - 0.5, 0.5 - places[:, 1] / 400), 1) * 5
        scores = score_of(kind, torch.tensor([1.5, 1.0]), keys)
        assert (scores - float(level)).abs().max() < 0.05, level
    told = page.locator("text.height").all_text_contents()
    assert told == [level for level, _ in lines]


def test_nearer_arrow_moves_by_drag(page):
    box = page.locator(".tip-key").bounding_box()
    before = page.locator(".tip-query").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 40, steps=3)
    page.mouse.up()
    moved = page.locator(".tip-key").bounding_box()
    assert moved["x"] + moved["width"] / 2 == pytest.approx(box["x"] + 60, abs=2)
    assert page.locator(".tip-query").bounding_box() == before


def test_key_projection_is_drawn_except_for_additive_score(page):
    shadow = page.locator(".shadow")
    x, y = (float(shadow.get_attribute(name)) for name in ("x2", "y2"))
    end = torch.tensor([x / 400 - 0.5, 0.5 - y / 400]) * 5
    assert float(end @ torch.tensor([1.5, 1.0])) == pytest.approx(1.2, abs=0.01)
    assert page.locator(".found").text_content() == "1.20"
    page.locator("select").select_option("additive")
    assert shadow.get_attribute("visibility") == "hidden"


def test_text_agrees_with_shadow_of_obtuse_angle(page):
    for name, number in zip(("query x", "query y", "key x", "key y"), (1, 0, -0.75, 1.8), strict=True):
        slide(page, name, number)
    assert said(page).endswith("The key's shadow on the query has the length 0.75, against the query's direction.")
    slide(page, "key x", 0)
    assert said(page).endswith("The key's shadow on the query has the length 0.00.")


@pytest.mark.parametrize("name", ["query", "key"])
def test_vector_of_length_zero_has_neither_angle_nor_shadow(page, name):
    for axis in "xy":
        slide(page, f"{name} {axis}", 0)
    assert said(page) == "The score is 0.00. A vector of length 0 has no direction, so there is no angle."


def test_score_just_below_zero_has_no_sign(page):
    """In floating point, the additive score of opposite vectors is -1e-17 or so."""
    page.locator("select").select_option("additive")
    for name, number in zip(("query x", "query y", "key x", "key y"), (-2.5, -2.5, 2.5, 2.5), strict=True):
        slide(page, name, number)
    assert said(page).startswith("The score is 0.00. ")
