"""The rotary widget in a browser without network: scores equal the package's, and the hands can be dragged."""

from __future__ import annotations

import math
import re

import pytest
import torch

from attnbook.widgets.rotary_view import RotaryView
from tests.browser.widgets import said, slide, stand, write

QUERY, KEY = torch.tensor([1.0, 0.5, -0.4, 0.8]), torch.tensor([0.3, 1.0, 0.9, 0.1])


@pytest.fixture(scope="module")
def widget():
    return RotaryView(QUERY, KEY, positions=(12, 8))


def numbers(page):
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", said(page))]


@pytest.mark.parametrize(("i", "k", "base"), [(0, 0, 100), (40, 3, 10), (5, 30, 10_000)])
def test_score_equals_package(page, i, k, base):
    slide(page, "Query at i", i)
    slide(page, "Key at k", k)
    page.locator("select").select_option(str(base))
    scores = RotaryView(QUERY, KEY, base=base).scores()
    said_i, said_k, distance, first, second, score = numbers(page)
    assert (said_i, said_k, distance) == (i, k, i - k)
    assert score == pytest.approx(float(scores[40 + i - k]), abs=0.006)
    assert first + second == pytest.approx(score, abs=0.02)


def test_curve_equals_package(page):
    path = page.locator(".curve").get_attribute("d")
    heights = torch.tensor([float(point.split(" ")[1]) for point in path[1:].split("L")])
    most = sum(float(QUERY[j : j + 2].norm() * KEY[j : j + 2].norm()) for j in (0, 2))
    drawn = (342 - heights) / 80 * most
    torch.testing.assert_close(drawn, RotaryView(QUERY, KEY).scores().float(), atol=1e-3, rtol=0)


def test_equal_shift_of_both_positions_keeps_the_score(page):
    before = numbers(page)[-1]
    slide(page, "Query at i", 32)
    slide(page, "Key at k", 28)
    assert numbers(page)[-1] == before


def test_hand_moves_around_dial_by_drag(page):
    tip = page.locator(".tip-of.query").nth(1).bounding_box()
    dial = page.locator(".dial").nth(1).bounding_box()
    middle = (dial["x"] + dial["width"] / 2, dial["y"] + dial["height"] / 2)
    start = (tip["x"] + tip["width"] / 2, tip["y"] + tip["height"] / 2)
    reach, angle = math.dist(start, middle), math.atan2(middle[1] - start[1], start[0] - middle[0])
    page.mouse.move(*start)
    page.mouse.down()
    for part in range(1, 11):  # a radian: ten places at 0.1 radians a place
        turned = angle + part / 10
        page.mouse.move(middle[0] + reach * math.cos(turned), middle[1] - reach * math.sin(turned))
    page.mouse.up()
    assert numbers(page)[:2] == [22, 8]


@pytest.mark.parametrize(("side", "turns"), [("right", 1), ("left", -1)])
def test_hand_moves_around_dial_by_touch(widget, open_page, tmp_path, side, turns):
    """From 3 or 9 o'clock, where the finger first moves up: the page must not scroll in place of the hand."""
    page = stand(open_page, write(widget, tmp_path), width=360, height=640, has_touch=True, is_mobile=True).page
    page.evaluate("document.body.style.paddingBottom = '900px'")
    dial = page.locator(".dial").nth(1).bounding_box()
    reach, x, y = dial["width"] / 2, dial["x"] + dial["width"] / 2, dial["y"] + dial["height"] / 2
    first = 0 if side == "right" else math.pi
    angles = [first + turns * part / 10 for part in range(8)]  # seven places at 0.1 radians a place
    touch = page.context.new_cdp_session(page)
    before = numbers(page)[:2]
    for kind, angle in zip(["touchStart", *["touchMove"] * 7], angles, strict=True):
        point = {"x": x + 0.8 * reach * math.cos(angle), "y": y - 0.8 * reach * math.sin(angle)}
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [point]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(100)
    assert page.evaluate("scrollY") == 0
    assert sum(numbers(page)[:2]) == sum(before) + 7 * turns


def test_curve_drag_sets_distance(page):
    box = page.locator(".plot").bounding_box()
    page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 10)
    assert numbers(page)[2] == -20
