"""The position widget in a browser without network: what it draws is what the package computes."""

from __future__ import annotations

import math
import re

import pytest
import torch

from attnbook.widgets.position_view import PositionView
from attnbook.widgets.static import saved_state, static_html, static_page


@pytest.fixture
def page(tmp_path, open_page):
    def open_(widget=None, **options):
        path = tmp_path / "position.html"
        state = saved_state(widget or PositionView(32, position=20))
        path.write_text(static_page(static_html(state), title="Positions"), encoding="utf-8")
        watched = open_page(path, **options)
        watched.page.wait_for_selector(".attnbook-position output:not(:empty)")
        return watched

    return open_


def said(page):
    """The numbers that the widget says."""
    text = page.locator(".attnbook-position output").inner_text()
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def row(page):
    """The bars of the chosen row: signed heights between -1 and 1."""
    bars = page.eval_on_selector_all(
        ".attnbook-position g rect", "nodes => nodes.map(n => [+n.getAttribute('y'), +n.getAttribute('height')])"
    )
    return torch.tensor([(1 if y < 275.9 else -1) * height / 40 for y, height in bars])


def dots(page):
    """The curve of dot products, relative to the one with itself."""
    path = page.locator(".attnbook-position .dots").get_attribute("d")
    heights = 402 - torch.tensor([float(point.split(" ")[1]) for point in path[1:].split("L")])
    return heights / heights.max()


def pixels(page):
    """The table's picture, red and blue of every entry: ``(positions, entries, 2)``."""
    data, width = page.evaluate(
        """async () => {
          const image = new Image();
          image.src = document.querySelector(".attnbook-position image").getAttribute("href");
          await image.decode();
          const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          return [Array.from(context.getImageData(0, 0, image.width, image.height).data), image.width];
        }"""
    )
    return torch.tensor(data).view(-1, width, 4)[..., [0, 2]]


def set_range(page, label, value):
    page.get_by_label(label).evaluate(
        "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }", value
    )


@pytest.mark.parametrize(("size", "base", "position"), [(32, 10_000, 20), (7, 100, 99), (1, 10, 3), (128, 100_000, 0)])
def test_the_drawing_equals_the_package(page, size, base, position):
    watched = page()
    set_range(watched.page, "Size", size)
    set_range(watched.page, "Position i", position)
    watched.page.locator(".attnbook-position select").select_option(str(base))
    table = PositionView(size, base=base, position=position).table()
    torch.testing.assert_close(row(watched.page), table[position].float(), atol=1e-3, rtol=0)
    products = table @ table[position]
    torch.testing.assert_close(dots(watched.page), (products / products.max()).float(), atol=2e-3, rtol=0)
    numbers = said(watched.page)
    if size <= 2:  # a single wave, whose length is said once
        numbers.insert(4, numbers[3])
    spoken_position, spoken_size, spoken_base, _, slowest, own, near, near_dot, far, far_dot = numbers
    assert (spoken_position, spoken_size, spoken_base) == (position, size, base)
    assert slowest == pytest.approx(2 * math.pi * base ** ((2 * math.ceil(size / 2) - 2) / size), abs=0.06)
    assert [own, near_dot, far_dot] == pytest.approx(
        [float(products[int(k)]) for k in (position, near, far)], abs=0.006
    )
    watched.assert_quiet()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_picture_is_the_table(page, scheme):
    watched = page(PositionView(6, position=5), color_scheme=scheme)
    table = PositionView(6, position=5).table()
    seen = pixels(watched.page)
    assert seen.shape[:2] == table.shape
    warm = seen[..., 0] > seen[..., 1]  # more red than blue
    clear = table.abs() > 0.05
    assert torch.equal(warm[clear], (table > 0)[clear])


def test_the_picture_follows_the_theme(page):
    watched = page()
    picture = watched.page.locator(".attnbook-position image")
    before = picture.get_attribute("href")
    watched.page.evaluate("document.documentElement.dataset.theme = 'dark'")
    watched.page.wait_for_selector(".attnbook-position[data-theme=dark]")
    assert picture.get_attribute("href") != before


def test_dragging_over_the_table_chooses_a_row(page):
    watched = page()
    box = watched.page.locator(".attnbook-position image").bounding_box()
    watched.page.mouse.move(box["x"] + 50, box["y"] + 5)
    watched.page.mouse.down()
    watched.page.mouse.move(box["x"] + 60, box["y"] + 0.805 * box["height"], steps=5)
    watched.page.mouse.up()
    assert said(watched.page)[0] == pytest.approx(80, abs=1)
    watched.assert_quiet()


def test_the_keyboard_alone_is_enough(page):
    watched = page()
    watched.page.keyboard.press("Tab")
    for _ in range(3):
        watched.page.keyboard.press("ArrowRight")
    assert said(watched.page)[0] == 23
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("Home")
    assert said(watched.page)[1] == 1
    watched.page.keyboard.press("Tab")
    watched.page.keyboard.press("ArrowDown")
    assert said(watched.page)[2] == 100_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_of_it(page, scheme):
    watched = page(width=360, color_scheme=scheme)
    assert watched.page.evaluate("document.documentElement.scrollWidth") <= 360
    label = watched.page.locator(".attnbook-position svg text").first.bounding_box()
    assert label["height"] >= 9, "labels must stay readable when the picture shrinks"
    assert watched.page.locator(".attnbook-position").get_attribute("data-theme") == scheme


def test_touch_chooses_too(page):
    watched = page(width=360, has_touch=True)
    box = watched.page.locator(".attnbook-position image").bounding_box()
    watched.page.touchscreen.tap(box["x"] + 100, box["y"] + 0.505 * box["height"])
    assert said(watched.page)[0] == pytest.approx(50, abs=1)
