"""The score widget in a browser without network: the score that it says is the package's."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.widgets.score_view import ScoreView, score_of
from tests.browser.widgets import said, slide


@pytest.fixture(scope="module")
def widget():
    return ScoreView()


def found(page):
    return float(re.search(r"The score is (-?[\d.]+)\. ", said(page))[1])


@pytest.mark.parametrize("kind", ["dot", "scaled", "general", "additive"])
@pytest.mark.parametrize("query", [(1.5, 1.0), (-2.0, 0.5)])
def test_the_score_equals_the_package(page, kind, query):
    page.locator("select").select_option(kind)
    for axis, number in zip("xy", query, strict=True):
        slide(page, f"query {axis}", number)
    wanted = score_of(kind, torch.tensor(query), torch.tensor([[-0.4, 1.8]]))
    assert found(page) == pytest.approx(float(wanted), abs=0.006)


def test_the_plane_is_darkest_where_the_score_is_largest(page):
    page.locator("select").select_option("additive")
    shades = page.eval_on_selector_all(
        ".high", "all => all.map(n => [+n.getAttribute('fill-opacity'), +n.getAttribute('x'), +n.getAttribute('y')])"
    )
    most = max(shade for shade, *_ in shades)
    dark = torch.tensor([place for shade, *place in shades if shade == most], dtype=torch.float)
    line = torch.linspace(-2.5, 2.5, 81)
    places = torch.cartesian_prod(line, line)
    best = places[score_of("additive", torch.tensor([1.5, 1.0]), places).argmax()]
    centre = dark.mean(0) + 5
    assert (centre[0] / 400 - 0.5) * 5 == pytest.approx(float(best[0]), abs=0.25)
    assert (0.5 - centre[1] / 400) * 5 == pytest.approx(float(best[1]), abs=0.25)


def test_the_nearer_arrow_is_dragged(page):
    box = page.locator(".tip-key").bounding_box()
    before = page.locator(".tip-query").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 40, steps=3)
    page.mouse.up()
    moved = page.locator(".tip-key").bounding_box()
    assert moved["x"] + moved["width"] / 2 == pytest.approx(box["x"] + 60, abs=2)
    assert page.locator(".tip-query").bounding_box() == before
