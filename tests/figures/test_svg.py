"""Figures of a page: the colors of their data, letters that are legible on a phone, and dark variants."""

from __future__ import annotations

import base64
import io
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from PIL import Image

from attnbook.pages.colors import COLORS, color_of
from attnbook.pages.figures.dark import dark, dark_color
from attnbook.pages.figures.svg import NARROW, PIXELS, drawings
from attnbook.pages.plots import WEIGHTS, heatmap, use_style

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def fresh_figure():
    use_style()
    yield
    plt.close("all")


def cells(svg: str) -> list[str]:
    """Colors of a heatmap's cells, in drawing order."""
    mesh = re.search(r'<g id="QuadMesh_1">(.*?)</g>', svg, re.S)
    assert mesh
    return re.findall(r"fill: (#[0-9a-f]{6})", mesh[1])


def test_drawings_of_heatmap_have_the_colors_of_its_weights() -> None:
    weights = torch.tensor([[0.089, 0.24, 0.01], [0.5, 0.02, 1.0]])
    plt.figure(figsize=(7, 3))
    heatmap(weights, ["a", "b"], ["x", "y", "z"])
    expected = [matplotlib.colors.to_hex(WEIGHTS(float(weight))) for weight in weights.flatten()]
    for svg in drawings(plt.gcf()).values():
        assert cells(svg) == expected
    assert len(set(expected)) == 6 and expected[2] != "#ffffff"


def test_heatmap_with_many_cells_is_a_bitmap_without_loss() -> None:
    weights = torch.linspace(0, 1, 900).reshape(30, 30)
    heatmap(weights)
    svg = drawings(plt.gcf())["wide"]
    pictures = re.findall(r"data:image/png;base64,([A-Za-z0-9+/=\s]+)", svg)
    found = {
        tuple(c[:3])
        for p in pictures
        for c in np.unique(np.asarray(Image.open(io.BytesIO(base64.b64decode(p)))).reshape(-1, 4), axis=0)
    }
    wanted = {tuple(int(v) for v in np.rint(255 * np.array(WEIGHTS(w)[:3]))) for w in weights.flatten().tolist()}
    assert wanted <= found


def test_letters_in_narrow_drawing_are_large_enough_for_a_phone() -> None:
    figure, axes = plt.subplots(figsize=(6.4, 3.6))
    axes.set(xlabel="steps", ylabel="loss", title="A title")
    svg = drawings(figure)["narrow"]
    width = float(re.search(r'<svg [^>]*width="(\d+)"', svg)[1])
    assert width <= 1.05 * NARROW * PIXELS
    least = min(text.get_fontsize() for text in figure.findobj(matplotlib.text.Text) if text.get_text())
    assert least / 72 * PIXELS * 328 / width >= 11


def test_panels_in_narrow_drawing_are_stacked() -> None:
    figure, axes = plt.subplots(1, 3, figsize=(10, 3), sharey=True)
    boxes = {}

    def note(event) -> None:
        boxes[round(figure.get_figwidth(), 1)] = [panel.get_position().bounds for panel in axes]

    figure.canvas.mpl_connect("draw_event", note)
    svgs = drawings(figure)
    heights = [int(re.search(r'height="(\d+)"', svg)[1]) for svg in svgs.values()]
    assert heights[1] > 2.5 * heights[0]
    assert figure.get_size_inches().tolist() == [10, 3]
    assert [axis.get_subplotspec().get_gridspec().ncols for axis in axes] == [3, 3, 3]


def test_drawings_leave_shared_axes_unchanged() -> None:
    figure, axes = plt.subplots(1, 2, figsize=(6.4, 3), sharey=True)
    for panel in axes:
        panel.plot([0, 1])
    assert drawings(figure) == drawings(figure)


def test_drawings_of_small_figure_are_one_and_reproducible() -> None:
    figure, axes = plt.subplots(figsize=(4, 3))
    axes.plot([0, 1], [0, 1])
    first = drawings(figure)
    assert list(first) == ["wide"] and first == drawings(figure)
    assert "DOCTYPE" not in first["wide"] and 'xmlns="http://www.w3.org/2000/svg"' in first["wide"]


def test_dark_inverts_lightness_and_keeps_hue() -> None:
    assert dark_color("#ffffff") == COLORS["dark"]["paper"]
    assert dark_color(color_of("ink")) == COLORS["dark"]["ink"]
    assert dark_color(color_of("key")) == COLORS["dark"]["key"]
    red, green, blue = (int(dark_color("#003399")[i : i + 2], 16) for i in (1, 3, 5))
    assert blue > green > red and blue > 0x99
    svg = dark('<svg width="1"><path style="fill: #ffffff; stroke: #1a1d21" clip-path="url(#abcdef)"/></svg>')
    assert "#ffffff" not in svg and "url(#abcdef)" in svg and f'<svg fill="{COLORS["dark"]["ink"]}"' in svg


def test_dark_converts_bitmaps_in_a_drawing() -> None:
    written = io.BytesIO()
    Image.fromarray(np.full((2, 2, 3), 255, dtype=np.uint8)).save(written, "PNG")
    content = base64.b64encode(written.getvalue()).decode()
    found = re.search(
        r"base64,([^\"]+)", dark(f'<svg a="1"><image xlink:href="data:image/png;base64,{content}"/></svg>')
    )
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(found[1]))))
    assert "#" + bytes(pixels[0, 0, :3]).hex() == COLORS["dark"]["paper"]
