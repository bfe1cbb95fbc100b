"""The position widget in a browser without network: its drawing equals the package's computation."""

from __future__ import annotations

import math
import re

import pytest
import torch

from attnbook.widgets.position_view import PositionView
from tests.browser.widgets import said, slide, stand, write


@pytest.fixture(scope="module")
def widget():
    return PositionView(32, position=20)


def numbers(page):
    """The numbers that the widget says."""
    text = said(page)
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def row(page):
    """The bars of the chosen row: signed heights between -1 and 1."""
    bars = page.eval_on_selector_all(
        "g rect", "nodes => nodes.map(n => [+n.getAttribute('y'), +n.getAttribute('height')])"
    )
    return torch.tensor([(1 if y < 275.9 else -1) * height / 40 for y, height in bars])


def dots(page):
    """The curve of dot products, relative to the one with itself."""
    path = page.locator(".dots").get_attribute("d")
    heights = 402 - torch.tensor([float(point.split(" ")[1]) for point in path[1:].split("L")])
    return heights / heights.max()


def pixels(page):
    """The table's picture, red and blue of every entry: ``(positions, entries, 2)``."""
    data, width = page.evaluate(
        """async () => {
          const image = new Image();
          const { shadowRoot } = document.querySelector("[data-lm-suppress-shortcuts]");
          image.src = shadowRoot.querySelector("image").getAttribute("href");
          await image.decode();
          const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          return [Array.from(context.getImageData(0, 0, image.width, image.height).data), image.width];
        }"""
    )
    return torch.tensor(data).view(-1, width, 4)[..., [0, 2]]


@pytest.mark.parametrize(("size", "base", "position"), [(32, 10_000, 20), (7, 100, 99), (2, 10, 3), (128, 100_000, 0)])
def test_position_view_drawing_equals_package(page, size, base, position):
    slide(page, "Size", size)
    slide(page, "Position i", position)
    page.locator("select").select_option(str(base))
    table = PositionView(size, base=base, position=position).table()
    torch.testing.assert_close(row(page), table[position].float(), atol=1e-3, rtol=0)
    products = table @ table[position]
    torch.testing.assert_close(dots(page), (products / products.max()).float(), atol=2e-3, rtol=0)
    heard = numbers(page)
    if size <= 2:  # a single wave, whose length is shown once
        heard.insert(4, heard[3])
    spoken_position, spoken_size, spoken_base, _, slowest, own, near, near_dot, far, far_dot = heard
    assert (spoken_position, spoken_size, spoken_base) == (position, size, base)
    assert slowest == pytest.approx(2 * math.pi * base ** ((2 * math.ceil(size / 2) - 2) / size), abs=0.06)
    assert [own, near_dot, far_dot] == pytest.approx(
        [float(products[int(k)]) for k in (position, near, far)], abs=0.006
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_picture_equals_table(page, scheme):
    page.emulate_media(color_scheme=scheme)
    slide(page, "Size", 6)
    table = PositionView(6, position=5).table()
    seen = pixels(page)
    assert seen.shape[:2] == table.shape
    warm = seen[..., 0] > seen[..., 1]  # more red than blue
    clear = table.abs() > 0.05
    assert torch.equal(warm[clear], (table > 0)[clear])


def test_picture_follows_theme(page):
    picture = page.locator("image")
    before = picture.get_attribute("href")
    page.emulate_media(color_scheme="dark")
    page.wait_for_selector(".position[data-theme=dark]")
    assert picture.get_attribute("href") != before


def test_dragging_over_the_curve_chooses_a_position(page):
    box = page.locator(".products").bounding_box()
    page.mouse.click(box["x"] + 0.305 * box["width"], box["y"] + 10)
    assert numbers(page)[0] == 30


def test_lifting_a_second_finger_does_not_end_a_drag(page):
    box = page.locator(".products").bounding_box()
    x, y = box["x"], box["y"] + box["height"] / 2
    page.mouse.move(x + 0.2 * box["width"], y)
    page.mouse.down()
    second = "node => node.dispatchEvent(new PointerEvent('pointerup', { pointerId: 9, bubbles: true }))"
    page.locator(".products").evaluate(second)
    page.mouse.move(x + 0.735 * box["width"], y)
    page.mouse.up()
    assert numbers(page)[0] == 73


def test_dragging_over_the_table_chooses_a_row(page):
    box = page.locator("image").bounding_box()
    page.mouse.move(box["x"] + 50, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 60, box["y"] + 0.805 * box["height"], steps=5)
    page.mouse.up()
    assert numbers(page)[0] == pytest.approx(80, abs=1)


def test_position_view_touch_chooses(widget, open_page, tmp_path):
    page = stand(open_page, write(widget, tmp_path), width=360, has_touch=True).page
    box = page.locator("image").bounding_box()
    page.touchscreen.tap(box["x"] + 100, box["y"] + 0.505 * box["height"])
    assert numbers(page)[0] == pytest.approx(50, abs=1)
