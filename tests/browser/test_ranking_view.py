"""The sortable plot in a browser without network: order and places are those of the numbers."""

from __future__ import annotations

import pytest

from attnbook.widgets.ranking_view import RankingView, Scored
from tests.browser.widgets import said

MODELS = [
    Scored("one", 3, {"BLEU": (30.0, 1.5), "errors": (0.4, 0.01)}),
    Scored("two", 1, {"BLEU": (40.0, None), "errors": (0.2, None)}),
    Scored("three", 3, {"BLEU": (35.0, 0.5)}),
]


@pytest.fixture(scope="module")
def widget():
    groups = {"French": MODELS, "Chinese": [Scored("one", 3, {"errors": (0.3, 0.1)})]}
    return RankingView(groups, {"BLEU": True, "errors": False}, show="BLEU")


def names(page):
    return page.locator("svg text[text-anchor=end]").all_text_contents()


def places(page, attribute, selector):
    return page.eval_on_selector_all(selector, f"nodes => nodes.map(n => Number(n.getAttribute('{attribute}')))")


def test_the_best_comes_first(page):
    assert names(page) == ["two", "three", "one"]
    assert "two comes first" in said(page) and "higher is better" in said(page)
    page.get_by_role("combobox", name="Show").select_option("errors")
    assert names(page) == ["two", "one"], "a model without the measure is left out"
    page.get_by_role("combobox", name="Best first by").select_option("errors")
    assert names(page) == ["two", "one"] and "lower is better" in said(page)


def test_dots_lie_at_their_means_and_lines_reach_as_far_as_the_spread(page):
    two, three, one = places(page, "cx", "circle")
    assert (three - one) / (two - one) == pytest.approx(0.5, abs=1e-6)
    low, high = places(page, "x1", ".spread"), places(page, "x2", ".spread")
    assert len(low) == 2, "one seed has no spread"
    unit = (two - one) / 10
    assert [(b - a) / unit for a, b in zip(low, high, strict=True)] == pytest.approx([1.0, 3.0], abs=1e-6)


def test_another_group_has_its_own_measures(page):
    page.get_by_role("combobox", name="Trained on").select_option("Chinese")
    assert names(page) == ["one"]
    assert page.get_by_role("combobox", name="Show").locator("option").all_inner_texts() == ["errors"]
