"""Other views of the same weights: all heads, lines, one row or column, two side by side, a table."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browser.attention_samples import (
    CROSS,
    GOLD,
    LAST,
    SOURCES,
    TARGETS,
    assert_shows,
    choose,
    colors,
    control,
    go_to,
    open_more,
    settle,
    shades,
    shown,
)


@pytest.fixture
def page(path: Path, open_page: Callable[..., Any]) -> Any:
    yield from shown(open_page, path)


def test_all_heads_are_shown_together(page, known):
    control(page, "view-heads").click()
    settle(page)
    assert page.locator(".tile canvas").count() == 6
    table = shades(page)
    for layer in range(2):
        for head in range(3):
            drawn = colors(page, ".tile canvas", layer * 3 + head)
            wanted = table[np.round(known.matrix(LAST, CROSS, 0, layer, head) * 1023).astype(int)]
            assert np.abs(drawn.astype(int) - wanted).max() < 8
    go_to(page, 1)
    drawn = colors(page, ".tile canvas", 4).astype(int)
    assert np.abs(drawn - table[np.round(known.matrix(1, CROSS, 0, 1, 1) * 1023).astype(int)]).max() < 8
    page.locator(".tile").nth(2).click()
    assert_shows(page, known.matrix(1, CROSS, 0, 0, 2))
    assert control(page, "layer").input_value() == "0" and control(page, "head").input_value() == "2"


def test_lines_between_tokens(page, known):
    control(page, "view-lines").click()
    settle(page)
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    lines = page.locator(".lines .line")
    assert abs(lines.count() - int((matrix >= 0.02).sum())) <= 1
    places = {}
    for axis, tokens in (("row", TARGETS[0]), ("column", SOURCES[0])):
        for i in range(len(tokens)):
            name = page.locator(f".lines text[data-axis={axis}][data-index='{i}']")
            assert name.evaluate("node => node.firstChild.data") == tokens[i]
            places[axis, i] = float(name.get_attribute("y")) - 4.5
    seen = np.zeros_like(matrix)
    for line in lines.all():
        ends = re.match(r"M[\d.]+ ([\d.]+)C.* [\d.]+ ([\d.]+)$", line.get_attribute("d"))
        row = min(range(7), key=lambda i: abs(places["row", i] - float(ends[2])))
        column = min(range(6), key=lambda j: abs(places["column", j] - float(ends[1])))
        seen[row, column] = (float(line.get_attribute("stroke-opacity")) - 0.1) / 0.9
    assert np.abs(seen - np.where(matrix >= 0.02, matrix, 0)).max() < 0.025
    assert page.locator(".lines .gold-line").count() == len(GOLD[0])


def test_pointing_at_a_token_leaves_its_lines_and_choosing_it_keeps_them(page, known):
    control(page, "view-lines").click()
    settle(page)
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    count = lambda: (settle(page), page.locator(".lines .line").count())[1]  # noqa: E731
    token = page.locator(".lines text[data-axis=column][data-index='2']")
    token.hover()
    assert abs(count() - int((matrix[:, 2] >= 0.02).sum())) <= 1
    assert page.locator(".subject").inner_text() == SOURCES[0][2]
    token.click()
    page.mouse.move(2, 2)
    assert abs(count() - int((matrix[:, 2] >= 0.02).sum())) <= 1
    page.locator(".lines text[data-axis=column][data-index='2']").click()
    page.mouse.move(2, 2)
    assert count() > 10


def test_press_during_redraw_still_chooses(page):
    control(page, "view-lines").click()
    settle(page)
    token = page.locator(".lines text[data-axis=column][data-index='2']")
    box = token.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    settle(page)
    page.mouse.up()
    page.mouse.move(2, 2)
    settle(page)
    assert token.get_attribute("font-weight") == "700"


def test_pinned_token_shows_only_its_row_or_column(page, known):
    grid = page.locator("[role=grid]").bounding_box()
    page.locator(".rows .token").nth(2).click()
    page.mouse.move(2, 2)
    settle(page)
    veils = [veil.bounding_box() for veil in page.locator(".cells .veil").all()]
    assert len(veils) == 2 and all(abs(veil["width"] - grid["width"]) < 1 for veil in veils)
    free = grid["height"] - sum(veil["height"] for veil in veils)
    assert abs(free - grid["height"] / 7) < 1 and abs(veils[0]["height"] - 2 * grid["height"] / 7) < 1
    assert page.locator(".subject").inner_text() == TARGETS[0][2]
    assert "pinned" in page.locator(".rows .token").nth(2).get_attribute("class")
    open_more(page)
    choose(page, "pin", "column 1")
    settle(page)
    veils = [veil.bounding_box() for veil in page.locator(".cells .veil").all()]
    assert abs(grid["width"] - sum(veil["width"] for veil in veils) - grid["width"] / 6) < 1
    column = known.matrix(LAST, CROSS, 0, 1, "mean")[:, 1]
    assert page.locator(".bar bdi").first.inner_text() == TARGETS[0][int(column.argmax())]
    choose(page, "pin", "")
    settle(page)
    assert page.locator(".cells .veil").count() == 0


def test_two_steps_are_shown_side_by_side(page, known):
    open_more(page)
    choose(page, "compare", "step")
    assert_shows(page, known.matrix(0, CROSS, 0, 1, "mean"), which=0)
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"), which=1)
    control(page, "other-step").focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert_shows(page, known.matrix(3, CROSS, 0, 1, "mean"), which=0)
    go_to(page, 5)
    assert_shows(page, known.matrix(5, CROSS, 0, 1, "mean"), which=1)
    boxes = [canvas.bounding_box() for canvas in page.locator(".heatmap canvas").all()]
    assert boxes[0]["x"] + boxes[0]["width"] < boxes[1]["x"] and abs(boxes[0]["y"] - boxes[1]["y"]) < 1
    assert [c.inner_text() for c in page.locator(".heatmap .caption").all()] == [
        "step 40 · layer 2 · mean over heads",
        "step 100 · layer 2 · mean over heads",
    ]


def test_two_heads_are_shown_side_by_side(page, known):
    open_more(page)
    choose(page, "head", "1")
    choose(page, "compare", "head")
    choose(page, "other", "0 2")
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, 1), which=0)
    assert_shows(page, known.matrix(LAST, CROSS, 0, 0, 2), which=1)
    control(page, "view-lines").click()
    settle(page)
    assert page.locator(".lines").count() == 2
    choose(page, "compare", "")
    settle(page)
    assert page.locator(".lines").count() == 1


def test_table_has_the_weights(page, known):
    control(page, "view-table").click()
    settle(page)
    table = page.locator("table")
    assert table.locator("thead th").all_inner_texts() == list(SOURCES[0])
    assert table.locator("tbody th").all_inner_texts() == list(TARGETS[0])
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    for r, row in enumerate(table.locator("tbody tr").all()):
        for c, text in enumerate(row.locator("td").all_inner_texts()):
            number, *mark = text.split()
            assert abs(float(number.strip("<")) - matrix[r, c]) <= 0.01
            assert bool(mark) == ((c, r) in GOLD[0])
