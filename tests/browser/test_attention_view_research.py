"""Features for researchers in the attention view: image patches, hidden tokens, thresholds, LaTeX."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from attnbook.widgets.attention_map import AttentionMap
from attnbook.widgets.encoding import Frame, quantize
from attnbook.widgets.head_metrics import HeadMetrics
from attnbook.widgets.layout import Kind, Layout
from attnbook.widgets.pictures import sentences_of_pictures
from tests.browser.attention_samples import (
    CROSS,
    DECODER,
    Sample,
    assert_shows,
    choose,
    control,
    open_more,
    settle,
    shown,
    to_the_end,
)

STEPS_LAST = -1


@pytest.fixture
def page(known: Sample, tmp_path: Path, open_page: Callable[..., Any]) -> Any:
    yield from shown(open_page, known.write(tmp_path))


def test_hidden_tokens_are_blanked_or_the_rest_renormalized(page: Any, known: Sample) -> None:
    open_more(page)
    choose(page, "hide", "blank")
    matrix = known.matrix(STEPS_LAST, CROSS, 0, 1, "mean").copy()
    matrix[:, 5] = 0  # the full stop
    assert_shows(page, matrix)
    choose(page, "hide", "share")
    assert_shows(page, matrix / matrix.sum(-1, keepdims=True))
    choose(page, "kind", str(DECODER))
    own = known.matrix(STEPS_LAST, DECODER, 0, 1, "mean").copy()
    own[:, [0, 6]] = 0  # <bos> and the full stop
    assert_shows(page, own / own.sum(-1, keepdims=True).clip(1e-9))
    choose(page, "hide", "")
    assert_shows(page, known.matrix(STEPS_LAST, DECODER, 0, 1, "mean"))


def test_weights_below_threshold_are_hidden(page: Any, known: Sample) -> None:
    open_more(page)
    matrix = known.matrix(STEPS_LAST, CROSS, 0, 1, "mean")
    least = next(i / 100 for i in range(10, 50) if np.abs(matrix - i / 100).min() > 0.005)  # no weight is near it
    control(page, "least").evaluate(f"node => {{ node.value = {least}; node.dispatchEvent(new Event('input')) }}")
    kept = np.where(matrix >= least, matrix, 0)
    assert 0 < np.count_nonzero(kept) < matrix.size
    assert_shows(page, kept)
    page.get_by_role("button", name="Reset").click()
    to_the_end(page)
    assert_shows(page, matrix)


def test_latex_has_every_token_and_a_color_for_every_cell(page: Any, known: Sample) -> None:
    open_more(page)
    with page.expect_download() as download:
        control(page, "latex").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert download.value.suggested_filename == "attention-step-200.tex"
    matrix = known.matrix(STEPS_LAST, CROSS, 0, 1, "mean")
    cells = np.array(re.findall(r"\\cellcolor\[RGB\]\{(\d+),(\d+),(\d+)\}", text), dtype=int)
    assert len(cells) == matrix.size
    order = np.argsort(matrix.ravel(), kind="stable")
    assert (np.diff(cells.sum(-1)[order]) <= 3).all(), "the larger a weight, the darker its cell"
    assert r"\textless{}eos\textgreater{}" in text and text.count(r"\begin{tabular}") == 1


def test_full_screen_button_requests_full_screen(page: Any) -> None:
    open_more(page)
    control(page, "full").click()
    page.wait_for_function("document.fullscreenElement !== null")
    control(page, "full").click()
    page.wait_for_function("document.fullscreenElement === null")


# --- pictures


@pytest.fixture
def pictures(tmp_path: Path, open_page: Callable[..., Any]) -> Any:
    generator = torch.Generator().manual_seed(0)
    weights = {"layer": (3 * torch.randn(2, 2, 10, 10, generator=generator)).softmax(-1)}
    drawn = torch.rand(2, 1, 12, 12, generator=generator)
    layout = Layout(
        (Kind("self-attention", "tokens", "tokens", ("layer",), 2),), sentences_of_pictures(drawn, (3, 3), weights)
    )
    widget = AttentionMap(layout, title="Pictures")
    frame = Frame(0, quantize(layout.pack(weights)).numpy(), HeadMetrics(layout)(weights).numpy())
    widget.frame_log.add(frame)
    widget.flush({}, final=True)
    watched = open_page(widget.save_html(tmp_path / "pictures.html"))
    to_the_end(watched.page)
    yield watched.page, weights["layer"], drawn
    watched.assert_quiet()


def opacities(page: Any) -> np.ndarray:
    settle(page)
    url = page.locator(".over-picture canvas").evaluate("canvas => canvas.toDataURL()")
    return np.asarray(Image.open(io.BytesIO(b64decode(url.partition(",")[2]))))[..., 3] / 255


def test_row_is_drawn_over_its_image(pictures: Any) -> None:
    page, weights, drawn = pictures
    mean = weights[0].mean(0).numpy()
    assert "[class] attends to" in page.locator(".details").inner_text()
    row = mean[0, 1:].reshape(3, 3)
    assert np.abs(opacities(page) - 0.85 * row / row.max()).max() < 0.02
    assert not page.locator(".patch").count()
    page.locator(".rows .token").nth(6).click()  # the patch 2,3
    row = mean[6, 1:].reshape(3, 3)
    assert np.abs(opacities(page) - 0.85 * row / row.max()).max() < 0.02
    image, patch = (page.locator(f".over-picture {part}").bounding_box() for part in ("img", ".patch"))
    assert patch["x"] + patch["width"] == pytest.approx(image["x"] + image["width"], abs=1)
    assert patch["y"] == pytest.approx(image["y"] + image["height"] / 3, abs=1)
    choose(page, "sentence", "1")
    src = page.locator(".over-picture img").get_attribute("src")
    shown = np.asarray(Image.open(io.BytesIO(b64decode(src.partition(",")[2])))) / 255
    wanted = (drawn[1, 0] - drawn[1, 0].min()) / (drawn[1, 0].max() - drawn[1, 0].min())
    assert np.abs(shown - wanted.numpy()).max() < 0.005


def test_column_shows_attention_to_a_patch(pictures: Any) -> None:
    page, weights, _ = pictures
    page.locator(".columns .token").nth(4).click()
    settle(page)
    assert "2,1 is attended to by" in page.locator(".details").inner_text()
    column = weights[0].mean(0).numpy()[1:, 4].reshape(3, 3)
    assert np.abs(opacities(page) - 0.85 * column / column.max()).max() < 0.02


# --- all heads over the steps


def direct(order: str, weights: np.ndarray) -> float:
    """The measure of one head's weights ``(rows, columns)``, from its definition."""
    rows, columns = (np.arange(n) for n in weights.shape)
    if order == "distance":
        return float((weights * np.abs(rows[:, None] - columns)).sum(-1).mean())
    places = (rows[:, None] + 0.5) / len(rows), (columns + 0.5) / len(columns)
    return float(1 - (weights * np.abs(places[0] - places[1])).sum(-1).mean())


@pytest.mark.parametrize("order", ["entropy", "error", "diagonality", "distance"])
def test_heads_over_steps_are_sorted_by_measure(page: Any, known: Sample, order: str) -> None:
    control(page, "view-heads").click()
    open_more(page)
    choose(page, "order", order)
    settle(page)
    shown = [text.split("\n") for text in page.locator(".overview button").all_inner_texts()]
    values = [float(row[-1]) for row in shown]
    assert len(shown) == 6 and values == sorted(values, reverse=order == "diagonality")
    if order in ("diagonality", "distance"):
        for (name, *_), value in zip(shown, values, strict=True):
            layer, head = (int(number) - 1 for number in re.findall(r"\d+", name))
            assert value == pytest.approx(direct(order, known.matrix(STEPS_LAST, CROSS, 0, layer, head)), abs=0.02)
    widths = page.locator(".overview canvas").evaluate_all("all => all.map((canvas) => canvas.width)")
    assert set(widths) == {len(known.weights)}, "a cell for each step"
    name = shown[0][0]
    page.locator(".overview button").first.click()
    settle(page)
    layer, head = (int(number) - 1 for number in re.findall(r"\d+", name))
    assert_shows(page, known.matrix(STEPS_LAST, CROSS, 0, layer, head))
