"""The ranking widget in a browser without network: order and positions follow the numbers."""

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
    """The names from the top down, once the rows are at their ranks."""
    page.locator(".chart").evaluate(
        "node => Promise.all(node.getAnimations({ subtree: true }).map(({ finished }) => finished))"
    )
    rows = page.locator(".rows .line:visible")
    tops = rows.evaluate_all("all => all.map(n => [n.getBoundingClientRect().top, n.firstChild.textContent])")
    return [name for _, name in sorted(tops)]


def places(page, kind):
    """Left edge, middle and right edge of the dots or spreads, by model, as shares of the axis."""
    found = page.locator(f".rows .{kind}:visible").evaluate_all(
        """all => all.map(n => {
            const [own, axis] = [n, n.parentElement].map(one => one.getBoundingClientRect());
            const share = x => (x - axis.left) / axis.width;
            return [n.closest(".line").firstChild.textContent, share(own.left), share(own.right)];
        })"""
    )
    return {name: (left, (left + right) / 2, right) for name, left, right in found}


def test_best_model_is_first(page):
    assert names(page) == ["two", "three", "one"]
    assert "two comes first" in said(page) and "BLEU, better →" in page.locator(".axis").inner_text()
    page.get_by_role("combobox", name="Show").select_option("errors")
    assert names(page) == ["two", "one"], "a model without the measure is left out"
    assert "← better" in page.locator(".axis").inner_text()
    page.get_by_role("combobox", name="Best first by").select_option("BLEU")
    assert names(page) == ["two", "one"] and "order 1 of the 1 pairs" in said(page)


def test_dots_are_at_means_and_lines_span_the_spread(page):
    names(page)
    dots, spreads = places(page, "dot"), places(page, "spread")
    one, two, three = (dots[name][1] for name in ("one", "two", "three"))
    assert (three - one) / (two - one) == pytest.approx(0.5, abs=0.01)
    assert spreads.keys() == {"one", "three"}, "one seed has no spread"
    unit = (two - one) / 10
    reach = {name: (right - left) / unit for name, (left, _, right) in spreads.items()}
    assert reach == pytest.approx({"one": 3.0, "three": 1.0}, abs=0.05)


def test_another_group_has_its_own_measures(page):
    page.get_by_role("combobox", name="Trained on").select_option("Chinese")
    assert names(page) == ["one"]
    assert page.get_by_role("combobox", name="Show").locator("option").all_inner_texts() == ["errors"]
