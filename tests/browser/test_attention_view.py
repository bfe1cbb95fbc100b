"""The attention view draws the frames that Python encoded, and its texts state the weights, from disk."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnbook.widgets.encoding import decode
from tests.browser.attention_samples import (
    CROSS,
    DECODER,
    ENCODER,
    GOLD,
    LAST,
    SOURCES,
    STEPS,
    TARGETS,
    assert_shows,
    call,
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


def test_page_decodes_frames_encoded_by_python(page, known):
    got = call(
        page,
        """async module => {
        const bytes = Uint8Array.from(atob(argument), c => c.charCodeAt(0));
        const log = await module.decode(new DataView(bytes.buffer));
        return { steps: log.frames.map(f => f.step), codes: log.frames.map(f => Array.from(f.codes)),
          measures: log.frames.map(f => Array.from(f.measures, String)), points: log.points, series: log.series,
          progress: log.progress };
        }""",
        base64.b64encode(known.widget.data).decode(),
    )
    wanted = decode(known.widget.data)
    assert got["steps"] == STEPS == [f.step for f in wanted.frames]
    assert np.array_equal(got["codes"], [f.codes for f in wanted.frames])
    measures = np.array(got["measures"], dtype=float)
    assert np.allclose(measures, [f.measures for f in wanted.frames], equal_nan=True)
    assert np.allclose(got["points"], wanted.points) and got["progress"] == wanted.progress
    for name, values in wanted.series.items():
        assert np.allclose(got["series"][name], values)


def test_page_decodes_view_into_larger_buffer(page, known):
    """Hosts may pass bytes that start anywhere in a larger buffer."""
    count = call(
        page,
        """async module => {
        const bytes = Uint8Array.from("xyz" + atob(argument) + "tail", c => c.charCodeAt(0));
        const view = new DataView(bytes.buffer, 3, bytes.length - 7);
        return (await module.decode(view)).frames.length;
        }""",
        base64.b64encode(known.widget.data).decode(),
    )
    assert count == len(STEPS)


def test_cross_attention_is_shown_first(page, known):
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"))
    assert page.locator(".rows .token").all_inner_texts() == list(TARGETS[0])
    assert page.locator(".columns .token").all_inner_texts() == list(SOURCES[0])


def test_pickers_of_sentence_kind_layer_and_head(page, known):
    choose(page, "sentence", "1")
    assert_shows(page, known.matrix(LAST, CROSS, 1, 1, "mean"))
    assert page.locator(".rows .token").all_inner_texts() == list(TARGETS[1])
    control(page, "kind").select_option(label="decoder self-attention")
    assert_shows(page, known.matrix(LAST, DECODER, 1, 1, "mean"))
    assert page.locator(".rows .token").all_inner_texts() == ["<bos>", *TARGETS[1][:-1]]
    control(page, "kind").select_option(label="encoder self-attention")
    choose(page, "layer", "0")
    for head, name in (("max", "max"), (0, "0"), (2, "2"), ("mean", "mean")):
        choose(page, "head", name)
        assert_shows(page, known.matrix(LAST, ENCODER, 1, 0, head))


def test_hovering_shows_both_tokens_and_the_weight(page, known):
    box = page.locator("[role=grid]").bounding_box()
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    for row, column in ((0, 0), (1, 2), (6, 5)):
        x = box["x"] + (column + 0.5) * box["width"] / 6
        page.mouse.move(x, box["y"] + (row + 0.5) * box["height"] / 7)
        settle(page)
        said = page.locator("output").inner_text()
        assert f"“{TARGETS[0][row]}” attends to “{SOURCES[0][column]}” with weight " in said
        assert abs(float(re.search(r"weight (<?[\d.]+)", said)[1].strip("<")) - matrix[row, column]) < 0.01
        assert ("a gold link" in said) == ((column, row) in GOLD[0])
        ring = page.locator(".cells .here").bounding_box()
        assert abs(ring["x"] + ring["width"] / 2 - x) < 3
    page.mouse.move(2, 2)
    settle(page)
    assert page.locator(".cells .here").count() == 0


def test_details_list_largest_weights_of_hovered_row(page, known):
    box = page.locator("[role=grid]").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 4.5 * box["height"] / 7)
    settle(page)
    row = known.matrix(LAST, CROSS, 0, 1, "mean")[4]
    assert page.locator(".subject").inner_text() == TARGETS[0][4]
    seen = [i for i in np.argsort(-row, kind="stable") if row[i] >= 0.005]
    assert page.locator(".bar bdi").all_inner_texts() == [SOURCES[0][i] for i in seen]
    widths = [b.bounding_box()["width"] for b in page.locator(".fill").all()]
    track = page.locator(".track").first.bounding_box()["width"]
    settle(page)
    assert np.allclose(np.array(widths) / track, row[seen], atol=0.03)


def test_gold_marks_lie_on_the_gold_cells_and_can_be_hidden(page):
    def marked() -> set[tuple[int, int]]:
        settle(page)
        grid = page.locator("[role=grid]").bounding_box()
        boxes = [mark.bounding_box() for mark in page.locator(".cells rect.gold").all()]
        return {
            (
                int((b["x"] + b["width"] / 2 - grid["x"]) / grid["width"] * 6),
                int((b["y"] + b["height"] / 2 - grid["y"]) / grid["height"] * 7),
            )
            for b in boxes
        }

    assert marked() == GOLD[0]
    control(page, "gold").uncheck()
    assert marked() == set()
    control(page, "gold").check()
    control(page, "kind").select_option(label="encoder self-attention")
    assert marked() == set() and not control(page, "gold").is_visible()


def test_stretched_scale_ends_at_the_largest_weight(page, known):
    go_to(page, 0)
    open_more(page)
    control(page, "stretch").check()
    matrix = known.matrix(0, CROSS, 0, 1, "mean")
    assert_shows(page, matrix, top=matrix.max())
    assert float(page.locator(".legend text").last.text_content()) == pytest.approx(matrix.max(), abs=0.011)
