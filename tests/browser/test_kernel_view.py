"""The kernel widget in a browser without network: its drawing equals the package's computation."""

from __future__ import annotations

import math
import re

import pytest
import torch

from attnbook.attention.pooling import (
    NadarayaWatson,
    boxcar,
    epanechnikov,
    gaussian,
    leave_one_out_mask,
    nadaraya_watson,
    nadaraya_watson_weights,
)
from attnbook.widgets.kernel_view import KernelView
from tests.browser.widgets import said, slide, stand, write

torch.manual_seed(0)
KEY = torch.sort(torch.rand(30) * 5).values
VALUE = torch.sin(KEY)
GRID = torch.linspace(0, 5, 51)
KERNELS = {"gaussian": gaussian, "boxcar": boxcar, "epanechnikov": epanechnikov}


@pytest.fixture(scope="module")
def widget():
    return KernelView(KEY, VALUE, GRID, torch.sin(GRID), query=2.0, width=0.7)


def numbers(page):
    """The numbers that the widget says: query, width, prediction, largest share in percent."""
    text = said(page)
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def bars(page):
    """Heights of the weights' bars, relative to the highest."""
    heights = page.eval_on_selector_all(".bar", "nodes => nodes.map(n => n.getAttribute('y1') - n.getAttribute('y2'))")
    heights = torch.tensor(heights)
    return heights / heights.max()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("width", [0.05, 0.7, 3.0])
def test_kernel_view_drawing_equals_package(page, kernel, width):
    page.locator("select").select_option(kernel)
    slide(page, "Width", float(torch.tensor(width).log()))
    query = torch.tensor([2.0])
    weights = nadaraya_watson_weights(query, KEY, KERNELS[kernel], width=width)[0]
    if weights.sum() == 0:
        assert "there is no prediction" in said(page)
        return
    _, _, predicted, share, *_ = numbers(page)
    assert predicted == pytest.approx(float(nadaraya_watson(query, KEY, VALUE, KERNELS[kernel], width=width)), abs=0.02)
    assert share == pytest.approx(100 * float(weights.max()), abs=1)
    torch.testing.assert_close(bars(page), weights / weights.max(), atol=0.03, rtol=0)


def test_dragging_moves_query_and_width(page):
    picture = page.locator(".plot").bounding_box()
    middle = picture["y"] + 3
    curve = page.locator(".fit").get_attribute("d")
    page.mouse.move(picture["x"] + 100, middle)
    page.mouse.down()
    page.mouse.move(picture["x"] + 0.8 * picture["width"], middle, steps=5)
    page.mouse.up()
    query, width, *_ = numbers(page)
    assert query > 3.5
    assert width == pytest.approx(0.7)
    grip = page.locator(".grip").bounding_box()
    page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    page.mouse.down()
    page.mouse.move(picture["x"] + 0.3 * picture["width"], middle, steps=5)
    page.mouse.up()
    assert numbers(page)[0] == pytest.approx(query)
    assert numbers(page)[1] > 2
    assert page.locator(".fit").get_attribute("d") != curve


def test_leave_one_out_error_equals_package(page):
    model = NadarayaWatson(1 / 0.7)
    left_out = model(KEY, KEY, VALUE, leave_one_out_mask(len(KEY))).detach()
    assert numbers(page)[-1] == pytest.approx(float((left_out - VALUE).square().mean()), abs=6e-4)
    page.locator("select").select_option("boxcar")
    slide(page, "Width", float(torch.tensor(0.02).log()))
    assert "error: undefined" in said(page)


def test_error_curve_sets_width_and_has_package_minimum(page):
    line = page.locator(".error.out").last.get_attribute("d")
    places = [tuple(map(float, part.split())) for part in line[1:].split("L")]
    widths = torch.logspace(math.log10(0.02), math.log10(5), 41).tolist()
    best = min(widths, key=_left_out)
    assert widths[max(range(41), key=lambda i: places[i][1])] == pytest.approx(best, rel=0.3)
    box = page.locator(".errors").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.95, box["y"] + box["height"] / 2)
    assert numbers(page)[1] > 3.5


def _left_out(width):
    model = NadarayaWatson(1 / width)
    return (model(KEY, KEY, VALUE, leave_one_out_mask(len(KEY))).detach() - VALUE).square().mean()


def test_point_moves_by_drag_and_sliders(page):
    before, errors = numbers(page), page.locator(".error.out").last.get_attribute("d")
    page.get_by_text("Move a point").click()
    slide(page, "Measurement", 11)
    slide(page, "its x", 2.0)
    slide(page, "its y", 1.05)
    assert numbers(page)[2] != before[2]
    assert page.locator(".error.out").last.get_attribute("d") != errors
    box = page.locator(".area").nth(11).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 40, steps=3)
    page.mouse.up()
    assert numbers(page)[0] == before[0], "the query stays"
    moved = page.locator(".area").nth(11).bounding_box()
    assert moved["x"] + moved["width"] / 2 == pytest.approx(box["x"] + 60, abs=2)


def test_kernel_view_touch_drags(widget, open_page, tmp_path):
    page = stand(open_page, write(widget, tmp_path), width=360, has_touch=True).page
    box = page.locator(".plot").bounding_box()
    page.touchscreen.tap(box["x"] + 0.9 * box["width"], box["y"] + 20)
    assert numbers(page)[0] > 4
