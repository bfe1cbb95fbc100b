"""Layout of the attention view: it starts at the first frame, fits a screen, and stays stable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.attention_samples import (
    CROSS,
    GOLD,
    LAST,
    STEPS,
    assert_shows,
    choose,
    control,
    open_more,
    settle,
    shown,
    to_the_end,
)

# Font sizes on the screen.
LETTERS = """all => all.map((text) => {
    const { a, b } = text.getScreenCTM();
    return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
})"""
SCREENS = [(1280, 720), (360, 780)]


@pytest.fixture
def page(path: Path, open_page: Callable[..., Any]) -> Any:
    yield from shown(open_page, path)


def card_height(page: Any) -> float:
    return float(page.locator("section.card").evaluate("node => node.getBoundingClientRect().height"))


def test_reduced_motion_stays_at_first_frame(path, known, open_page):
    page = open_page(path, reduced_motion="reduce").page
    page.wait_for_selector(".heatmap canvas")
    assert_shows(page, known.matrix(0, CROSS, 0, 1, "mean"))
    page.wait_for_timeout(1500)
    assert page.locator(".step").inner_text() == "step 0"


def test_animation_plays_once_when_in_view(path, known, open_page, tmp_path):
    below = tmp_path / "below.html"
    below.write_text(path.read_text().replace("<main>", "<main><div style='height: 3000px'></div>"), encoding="utf-8")
    page = open_page(below).page
    page.wait_for_selector("[data-attnbook-mounted=yes]")
    page.wait_for_timeout(800)
    assert page.locator(".step").inner_text() == "step 0", "the page has not shown it yet"
    page.locator(".main").scroll_into_view_if_needed()
    expect(control(page, "play")).to_have_attribute("aria-label", "Pause")
    expect(page.locator(".step")).to_have_text("step 200", timeout=10000)
    expect(control(page, "play")).to_have_attribute("aria-label", "Play")
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"))
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(200)
    page.locator(".main").scroll_into_view_if_needed()
    page.wait_for_timeout(600)
    assert page.locator(".step").inner_text() == "step 200", "it plays once"


def test_animation_stops_when_slider_is_used(path, open_page):
    page = open_page(path).page
    page.wait_for_selector(".heatmap canvas")
    page.get_by_label("Training step", exact=True).press("ArrowRight")
    settle(page)
    stopped = page.locator(".step").inner_text()
    page.wait_for_timeout(1200)
    assert page.locator(".step").inner_text() == stopped


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_slider_and_whole_heatmap_are_in_one_view(path, open_page, width, height):
    page = to_the_end(open_page(path, width=width, height=height, reduced_motion="reduce").page)
    slider = page.get_by_label("Training step", exact=True).bounding_box()
    heatmap = page.locator(".heatmap").bounding_box()
    assert slider["y"] < heatmap["y"]
    assert heatmap["y"] + heatmap["height"] - slider["y"] <= height
    scroller = page.locator(".scroller")
    assert scroller.evaluate("n => n.scrollHeight <= n.clientHeight && n.scrollWidth <= n.clientWidth"), "all of it"
    if width == 360:
        assert not page.locator(".curves").is_visible(), "a phone shows the picture first"
        page.get_by_text("Curves and bars").click()
        settle(page)
    curves = page.locator(".curves").bounding_box()
    assert (curves["x"] > heatmap["x"] + heatmap["width"]) == (width == 1280), "curves stand beside it where they fit"


@pytest.mark.parametrize(
    ("width", "height", "folded"), [(1280, 720, False), (768, 1024, False), (360, 780, False), (360, 780, True)]
)
def test_choice_of_view_moves_nothing_below(path, open_page, width, height, folded):
    touch = width == 360
    page = to_the_end(open_page(path, width=width, height=height, has_touch=touch, reduced_motion="reduce").page)
    if touch and not folded:
        page.get_by_text("Curves and bars").tap()
    for kind in control(page, "kind").locator("option").all_inner_texts():
        control(page, "kind").select_option(label=kind)
        heights = set()
        for view in ("map", "lines", "text", "heads", "table"):
            control(page, f"view-{view}").click()
            settle(page)
            heights.add(card_height(page))
        assert len(heights) == 1, kind


def test_letters_of_curves_are_legible_on_a_phone(path, open_page):
    page = to_the_end(open_page(path, width=360, has_touch=True, is_mobile=True, reduced_motion="reduce").page)
    page.get_by_text("Curves and bars").tap()
    settle(page)
    texts = page.locator(":is(.curves, .legend) text")
    assert texts.count() > 10 and min(texts.evaluate_all(LETTERS)) >= 11
    right = (
        "all => all.map((text) => text.getBBox().x + text.getBBox().width - text.ownerSVGElement.viewBox.baseVal.width)"
    )
    assert max(texts.evaluate_all(right)) <= 0


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_layout_is_stable_while_playing_and_hovering(path, open_page, width, height):
    page = to_the_end(open_page(path, width=width, height=height, reduced_motion="reduce").page)
    before = card_height(page)
    places = page.locator(".transport, .heatmap, .curves, .details, .foot")
    where = places.evaluate_all("all => all.map(n => n.getBoundingClientRect().top)")
    slider = page.get_by_label("Training step", exact=True)
    slider.press("Home")
    for _ in STEPS:
        settle(page)
        assert card_height(page) == before
        slider.press("ArrowRight")
    page.locator(".heatmap").scroll_into_view_if_needed()
    box = page.locator("[role=grid]").bounding_box()
    for row in range(7):
        page.mouse.move(box["x"] + (row % 6 + 0.5) * box["width"] / 6, box["y"] + (row + 0.5) * box["height"] / 7)
        settle(page)
        assert card_height(page) == before
    page.mouse.move(1, 1)
    page.evaluate("scrollTo(0, 0)")
    settle(page)
    assert places.evaluate_all("all => all.map(n => n.getBoundingClientRect().top)") == where


@pytest.mark.parametrize(("width", "height", "most"), [(1280, 720, 600), (360, 780, 700)])
def test_attention_view_fits_one_screen_with_its_status_above_the_picture(path, open_page, width, height, most):
    page = to_the_end(open_page(path, width=width, height=height, reduced_motion="reduce").page)
    assert card_height(page) <= most
    said, picture = page.locator("output").bounding_box(), page.locator(".heatmap").bounding_box()
    assert 0 < picture["y"] - said["y"] < 100
    assert page.locator("output").inner_text().startswith(f"Step {STEPS[-1]}: ")


def test_axes_have_names(page):
    assert page.locator(".axes").first.inner_text().split("\n") == ["queries: target ↓", "keys: source →"]
    control(page, "kind").select_option(label="decoder self-attention")
    settle(page)
    assert page.locator(".axes").first.inner_text().split("\n") == ["queries: target so far ↓", "keys: target so far →"]


def test_caption_names_sentences_of_error_and_entropy(page):
    assert page.locator("text.over").text_content() == "error, entropy: mean of 2 sentences"
    control(page, "kind").select_option(label="encoder self-attention")
    settle(page)
    assert page.locator("text.over").text_content() == "entropy: mean of 2 sentences"


def test_gold_frames_are_in_every_head(page):
    control(page, "view-heads").click()
    settle(page)
    tile = page.locator(".tile").nth(4)
    size = [float(side) for side in tile.locator(".marks").get_attribute("viewBox").split()[2:]]
    frames = tile.locator("rect.gold").evaluate_all("all => all.map(n => [n.x.baseVal.value, n.y.baseVal.value])")
    assert {(int(x / size[0] * 6), int(y / size[1] * 7)) for x, y in frames} == GOLD[0]
    control(page, "gold").uncheck()
    settle(page)
    assert tile.locator("rect.gold").count() == 0


def test_pinned_row_hides_gold_frames_of_other_rows(page):
    page.locator(".rows .token").nth(1).click()
    settle(page)
    frames = page.locator(".heatmap rect.gold").evaluate_all("all => all.map(n => n.y.baseVal.value)")
    grid = page.locator("[role=grid]").evaluate("node => node.clientHeight")
    assert [int(y / grid * 7) for y in frames] == [1]


@pytest.mark.parametrize("width", [360, 1280])
def test_comparing_moves_no_control_under_the_pointer(path, open_page, width):
    page = to_the_end(open_page(path, width=width, reduced_motion="reduce").page)
    open_more(page)
    page.evaluate("scrollTo(0, 0)")
    settle(page)
    kept = control(page, "compare").bounding_box()
    choose(page, "compare", "step")
    settle(page)
    assert control(page, "compare").bounding_box() == kept


def test_reset_goes_back_to_the_start(page, known):
    choose(page, "head", "2")
    control(page, "view-heads").click()
    control(page, "gold").uncheck()
    page.get_by_role("button", name="Reset").click()
    assert_shows(page, known.matrix(0, CROSS, 0, 1, "mean"))
    assert control(page, "gold").is_checked() and control(page, "head").input_value() == "mean"
