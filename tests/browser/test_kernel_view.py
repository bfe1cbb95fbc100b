"""The kernel widget in a browser without network: what it draws is what the package computes."""

from __future__ import annotations

import re

import pytest
import torch

from attnbook.pooling import boxcar, epanechnikov, gaussian, nadaraya_watson, nadaraya_watson_weights
from attnbook.widgets.kernel_view import KernelView
from attnbook.widgets.static import saved_state, static_html, static_page

torch.manual_seed(0)
KEY = torch.sort(torch.rand(30) * 5).values
VALUE = torch.sin(KEY)
GRID = torch.linspace(0, 5, 51)
KERNELS = {"gaussian": gaussian, "boxcar": boxcar, "epanechnikov": epanechnikov}


@pytest.fixture
def page(tmp_path, open_page):
    def open_(**options):
        widget = KernelView(KEY, VALUE, GRID, torch.sin(GRID), query=2.0, width=0.7)
        path = tmp_path / "kernel.html"
        path.write_text(static_page(static_html(saved_state(widget)), title="Kernel"), encoding="utf-8")
        watched = open_page(path, **options)
        watched.page.wait_for_selector(".attnbook-kernel output:not(:empty)")
        return watched

    return open_


def said(page):
    """The numbers that the widget says: query, width, prediction, largest share in percent."""
    text = page.locator(".attnbook-kernel output").inner_text()
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def bars(page):
    """Heights of the weights' bars, relative to the highest."""
    heights = page.eval_on_selector_all(
        ".attnbook-kernel .bar", "nodes => nodes.map(n => n.getAttribute('y1') - n.getAttribute('y2'))"
    )
    heights = torch.tensor(heights)
    return heights / heights.max()


def set_range(page, label, value):
    page.get_by_label(label).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", value
    )


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("width", [0.05, 0.7, 3.0])
def test_the_drawing_equals_the_package(page, kernel, width):
    watched = page()
    watched.page.locator(".attnbook-kernel select").select_option(kernel)
    set_range(watched.page, "Width", float(torch.tensor(width).log()))
    query = torch.tensor([2.0])
    weights = nadaraya_watson_weights(query, KEY, KERNELS[kernel], width=width)[0]
    if weights.sum() == 0:
        assert "nothing to average" in watched.page.locator(".attnbook-kernel output").inner_text()
        return
    _, _, predicted, share = said(watched.page)[:4]
    assert predicted == pytest.approx(float(nadaraya_watson(query, KEY, VALUE, KERNELS[kernel], width=width)), abs=0.02)
    assert share == pytest.approx(100 * float(weights.max()), abs=1)
    torch.testing.assert_close(bars(watched.page), weights / weights.max(), atol=0.03, rtol=0)
    watched.assert_quiet()


def test_dragging_moves_query_and_width(page):
    watched = page()
    picture = watched.page.locator(".attnbook-kernel svg").bounding_box()
    middle = picture["y"] + picture["height"] / 3
    curve = watched.page.locator(".attnbook-kernel .fit").get_attribute("d")
    watched.page.mouse.move(picture["x"] + 100, middle)
    watched.page.mouse.down()
    watched.page.mouse.move(picture["x"] + 0.8 * picture["width"], middle, steps=5)
    watched.page.mouse.up()
    query, width, *_ = said(watched.page)
    assert query > 3.5
    assert width == pytest.approx(0.7)
    grip = watched.page.locator(".attnbook-kernel .grip").bounding_box()
    watched.page.mouse.move(grip["x"] + grip["width"] / 2, grip["y"] + grip["height"] / 2)
    watched.page.mouse.down()
    watched.page.mouse.move(picture["x"] + 0.3 * picture["width"], middle, steps=5)
    watched.page.mouse.up()
    assert said(watched.page)[0] == pytest.approx(query)
    assert said(watched.page)[1] > 2
    assert watched.page.locator(".attnbook-kernel .fit").get_attribute("d") != curve
    watched.assert_quiet()


def test_the_keyboard_alone_is_enough(page):
    watched = page()
    watched.page.keyboard.press("Tab")
    assert watched.page.evaluate("document.activeElement.labels[0].innerText").startswith("Query")
    before = bars(watched.page)
    for _ in range(50):
        watched.page.keyboard.press("ArrowRight")
    assert said(watched.page)[0] == pytest.approx(2.5)
    assert not torch.allclose(before, bars(watched.page))
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("End")
    assert said(watched.page)[1] == pytest.approx(5.0, abs=0.05)
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("b")
    assert watched.page.locator(".attnbook-kernel select").input_value() == "boxcar"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(page, scheme):
    watched = page(width=360, color_scheme=scheme)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    label = watched.page.locator(".attnbook-kernel svg text").first.bounding_box()
    assert label["height"] >= 9, "labels must stay readable when the picture shrinks"
    assert watched.page.locator(".attnbook-kernel").get_attribute("data-theme") == scheme


def test_touch_drags_too(page):
    watched = page(width=360, has_touch=True)
    box = watched.page.locator(".attnbook-kernel svg").bounding_box()
    watched.page.touchscreen.tap(box["x"] + 0.9 * box["width"], box["y"] + 20)
    assert said(watched.page)[0] > 4
