"""The curves widget in a browser without network: its ranking follows the stored results."""

from __future__ import annotations

import pytest

from attnbook.widgets.curves_view import CurvesView
from tests.browser.widgets import said, slide, stand, write
from tests.support.stored_comparison import stored


@pytest.fixture(scope="module")
def widget():
    return CurvesView(stored())


def ranks(page):
    rows = page.locator(".ranks li:visible")
    names, numbers = (rows.locator(part).all_inner_texts() for part in (".name", ".number"))
    return list(zip(names, numbers, strict=True))


def test_ranking_follows_the_budget(page):
    assert ranks(page) == [("fast", "60.0 ± 1.0"), ("slow", "55.0 ± 1.0"), ("wild", "diverged")]
    slide(page, "Budget", 0)
    assert ranks(page) == [("fast", "30.0 ± 1.0"), ("wild", "20.0 ± 1.0"), ("slow", "10.0 ± 1.0")]
    slide(page, "Budget", 4)
    assert ranks(page)[:2] == [("slow", "80.0 ± 1.0"), ("fast", "62.0 ± 1.0")]
    assert said(page).startswith("After 400 steps (four times the base) slow leads with 80.0 (% of words")
    assert "18.0 ahead of fast, and ahead in 3 of 3 seeds" in said(page)


def test_dragging_on_the_curves_moves_the_budget(page):
    box = page.locator("svg.plot").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.93 * box["width"], box["y"] + box["height"] / 2)
    page.mouse.up()
    assert page.get_by_role("slider", name="Budget").get_attribute("aria-valuetext") == "400 steps"


def test_contestant_that_is_chosen_shows_its_spread(page):
    assert page.locator(".curve.chosen").count() == 1
    page.locator(".ranks li", has_text="slow").click()
    assert page.get_by_role("combobox", name="Highlight").input_value() == "slow"
    first = page.locator(".spread").get_attribute("d")
    page.get_by_role("combobox", name="Highlight").select_option("fast")
    assert page.locator(".spread").get_attribute("d") != first


def test_other_task_keeps_what_it_can(page):
    page.get_by_role("combobox", name="Highlight").select_option("wild")
    page.get_by_role("combobox", name="Task").select_option("writing")
    assert ranks(page) == [("fast", "20.00 ± 1.00"), ("slow", "15.00 ± 1.00")]
    assert page.get_by_role("combobox", name="Highlight").input_value() == "fast"
    page.get_by_role("combobox", name="Task").select_option("reading")
    assert page.get_by_role("combobox", name="Highlight").input_value() == "wild"


@pytest.mark.parametrize("width", [320, 360, 768])
def test_long_names_and_budget_are_whole(open_page, tmp_path, width):
    """With one task, so that there are two controls."""
    content = stored()
    del content["protocol"]["tasks"]["writing"]
    for curve in content["curves"]:
        curve["contestant"] += ", zero start, slow center"
    page = stand(open_page, write(CurvesView(content), tmp_path), width=width, height=900).page
    slide(page, "Budget", 3)
    texts = page.locator(":is(.ranks .name, .controls .words > *):visible")
    assert texts.evaluate_all("all => all.every((node) => node.scrollWidth <= node.clientWidth)")
    card, heights = page.locator("section.card"), set()
    for place in range(5):
        slide(page, "Budget", place)
        heights.add(card.bounding_box()["height"])
    assert len(heights) == 1
