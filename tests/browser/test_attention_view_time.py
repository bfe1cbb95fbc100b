"""Training steps in the attention view: slider, curves, buttons and strips show the measured values."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.attention_samples import (
    CROSS,
    LAST,
    STEPS,
    assert_shows,
    choose,
    control,
    go_to,
    open_more,
    settle,
    shown,
)


@pytest.fixture
def page(path: Path, open_page: Callable[..., Any]) -> Any:
    yield from shown(open_page, path)


def numbers(path_data: str) -> list[tuple[float, float]]:
    """The points of a path of M and L."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path_data)]


def test_slider_moves_by_keyboard(page, known):
    go_to(page, 3)
    assert_shows(page, known.matrix(3, CROSS, 0, 1, "mean"))
    assert page.locator(".step").inner_text() == "step 40"
    page.keyboard.press("ArrowLeft")
    assert_shows(page, known.matrix(2, CROSS, 0, 1, "mean"))
    page.keyboard.press("End")
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"))
    said = page.get_by_label("Training step", exact=True).get_attribute("aria-valuetext")
    assert said.startswith("step 200, frame 8 of 8. loss ") and "alignment error" in said


def test_dragging_on_the_curves_scrubs(page, known):
    box = page.locator(".curves").bounding_box()
    left, right = box["x"] + 34, box["x"] + box["width"] - 10
    page.mouse.move(left, box["y"] + 30)
    page.mouse.down()
    assert_shows(page, known.matrix(0, CROSS, 0, 1, "mean"))
    for at in (2, 5, 4):
        page.mouse.move(left + (right - left) * STEPS[at] / 200 + 3, box["y"] + 60)
        assert_shows(page, known.matrix(at, CROSS, 0, 1, "mean"))
        playhead = page.locator(".playhead").bounding_box()
        assert abs(playhead["x"] - (left + (right - left) * STEPS[at] / 200)) < 1.5
    page.mouse.up()
    page.mouse.move(right, box["y"] + 30)
    assert_shows(page, known.matrix(4, CROSS, 0, 1, "mean"))


def test_dragging_the_slider_scrubs(page, known):
    slider = page.get_by_label("Training step", exact=True).bounding_box()
    for at in (0, 3, 6):
        x = slider["x"] + 8 + (slider["width"] - 16) * STEPS[at] / 200
        page.mouse.click(x, slider["y"] + slider["height"] / 2)
        assert_shows(page, known.matrix(at, CROSS, 0, 1, "mean"))


def test_step_buttons_and_play(page, known):
    go_to(page, 2)
    control(page, "next").click()
    assert_shows(page, known.matrix(3, CROSS, 0, 1, "mean"))
    control(page, "back").click()
    control(page, "back").click()
    assert_shows(page, known.matrix(1, CROSS, 0, 1, "mean"))
    control(page, "play").click()
    expect(control(page, "play")).to_have_attribute("aria-label", "Pause")
    expect(page.locator(".step")).not_to_have_text("step 10")
    control(page, "play").click()
    settle(page)
    stopped = page.locator(".step").inner_text()
    page.wait_for_timeout(900)
    assert page.locator(".step").inner_text() == stopped, "a pause must hold"
    control(page, "play").click()
    expect(control(page, "play")).to_have_attribute("aria-label", "Pause")
    expect(control(page, "play")).to_have_attribute("aria-label", "Play", timeout=15000)  # it stops by itself
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"))
    assert control(page, "next").is_disabled() and control(page, "latest").is_disabled()


def test_curves_have_the_shape_of_what_they_draw(page, known):
    loss = numbers(page.locator("path.curve.scalar").get_attribute("d"))
    y = np.array([point[1] for point in loss])
    assert len(loss) == 200 and np.all(np.diff(y) >= 0), "the loss falls, so the curve goes down the page"
    assert np.corrcoef(y, known.loss)[0, 1] < -0.999
    view = known.widget.frame_log.frames
    for css, offset in (("entropy", 0), ("error", 2 * 5)):  # entropies of 2 layers x 5 views, then errors
        drawn = [point[1] for point in numbers(page.locator(f"path.curve.{css}").get_attribute("d"))]
        values = [frame.measures[offset + 5] for frame in view]  # layer 2, mean
        assert np.corrcoef(drawn, values)[0, 1] < -0.999
    assert f"alignment error {view[-1].measures[15]:.2f}" in page.locator("text.name.error").text_content()


def test_strips_follow_the_head_and_vanish_without_gold(page):
    before = page.locator("path.curve.error").get_attribute("d")
    choose(page, "head", "1")
    settle(page)
    assert page.locator("path.curve.error").get_attribute("d") != before
    choose(page, "head", "max")
    settle(page)
    assert page.locator("path.curve.entropy").count() == 0, "a maximum over heads is no distribution"
    control(page, "kind").select_option(label="encoder self-attention")
    settle(page)
    assert page.locator("path.curve.error").count() == 0 and page.locator("path.curve.entropy").count() == 1


def test_another_scalar_can_be_drawn(page):
    open_more(page)
    choose(page, "curve", "lr")
    settle(page)
    y = np.array([point[1] for point in numbers(page.locator("path.curve.scalar").get_attribute("d"))])
    assert np.all(np.diff(y) <= 0) and y[0] > y[-1]
    assert "lr" in page.locator("text.name.scalar").text_content()
