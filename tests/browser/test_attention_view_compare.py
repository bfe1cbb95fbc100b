"""Differences in the attention view: of steps, heads, sentences and kinds, in colors, texts and files."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from attnbook.widgets.from_weights import attention_view
from tests.browser.attention_samples import (
    CROSS,
    SOURCES,
    TARGETS,
    Sample,
    assert_shows,
    choose,
    control,
    open_more,
    settle,
    to_the_end,
)

LAST = -1
TWICE = 0.01  # two weights, each right to 0.005


@pytest.fixture
def page(path: Path, open_page: Callable[..., Any]) -> Any:
    watched = open_page(path, reduced_motion="reduce")
    to_the_end(watched.page)
    open_more(watched.page)
    yield watched.page
    watched.assert_quiet()


def subtract(page: Any, compare: str) -> None:
    choose(page, "compare", compare)
    control(page, "difference").check()
    settle(page)


def top(page: Any) -> float:
    """The last number of the scale."""
    text = page.locator(".legend").get_attribute("aria-label")
    return float(re.search(r"differences from −([\d.]+) to \+\1", text)[1])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_difference_of_two_steps_is_shown(page: Any, known: Sample, theme: str) -> None:
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    subtract(page, "step")
    wanted = known.matrix(LAST, CROSS, 0, 1, "mean") - known.matrix(0, CROSS, 0, 1, "mean")
    assert control(page, "stretch").is_checked(), "differences are small"
    assert top(page) == pytest.approx(np.abs(wanted).max(), abs=TWICE)
    assert_shows(page, wanted, theme=theme, top=np.abs(wanted).max(), signed=True, within=2 * TWICE)
    assert page.locator(".heatmap").count() == 1
    assert page.locator(".heatmap .caption").inner_text() == "step 200 − step 0 · layer 2 · mean over heads"
    control(page, "stretch").uncheck()
    assert_shows(page, wanted, theme=theme, signed=True, within=TWICE)
    ends = page.locator(".legend text").all_text_contents()
    assert ends == ["−1", "0", "+1"]
    control(page, "other-step").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    earlier = known.matrix(LAST, CROSS, 0, 1, "mean") - known.matrix(4, CROSS, 0, 1, "mean")
    assert_shows(page, earlier, theme=theme, signed=True, within=TWICE)


def test_difference_of_two_heads_is_shown_and_undone(page: Any, known: Sample) -> None:
    choose(page, "head", "1")
    subtract(page, "head")
    choose(page, "other", "0 2")
    control(page, "stretch").uncheck()
    wanted = known.matrix(LAST, CROSS, 0, 1, 1) - known.matrix(LAST, CROSS, 0, 0, 2)
    assert_shows(page, wanted, signed=True, within=TWICE)
    control(page, "difference").uncheck()
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, 1), which=0)
    assert_shows(page, known.matrix(LAST, CROSS, 0, 0, 2), which=1)


def test_difference_has_sign_by_pointer_and_keys(page: Any, known: Sample) -> None:
    subtract(page, "step")
    wanted = known.matrix(LAST, CROSS, 0, 1, "mean") - known.matrix(0, CROSS, 0, 1, "mean")
    low, high = (np.unravel_index(find(wanted), wanted.shape) for find in (np.argmin, np.argmax))
    box = page.locator("[role=grid]").bounding_box()
    for (row, column), sign in ((low, "−"), (high, "+")):
        x, y = box["x"] + (column + 0.5) * box["width"] / 6, box["y"] + (row + 0.5) * box["height"] / 7
        page.mouse.move(x, y)
        settle(page)
        said = page.locator("output").inner_text()
        assert f"“{TARGETS[0][row]}” attends to “{SOURCES[0][column]}” by {sign}" in said
        by, now, then = (float(number) for number in re.findall(r"<?(\d\.\d\d)", said))
        assert by == pytest.approx(abs(wanted[row, column]), abs=TWICE) and abs(abs(now - then) - by) < 2 * TWICE
        assert "(step 200)" in said and "(step 0)" in said
    page.locator("[role=grid]").focus()
    page.keyboard.press("Control+Home")
    settle(page)
    assert re.fullmatch(r"[+−]?\d\.\d\d", page.locator("[role=gridcell]").text_content())


def test_bars_lines_table_and_files_have_signs(page: Any, known: Sample) -> None:
    subtract(page, "step")
    wanted = known.matrix(LAST, CROSS, 0, 1, "mean") - known.matrix(0, CROSS, 0, 1, "mean")
    page.locator(".rows .token").nth(3).click()
    settle(page)
    order = np.argsort(-np.abs(wanted[3]), kind="stable")
    assert page.locator(".bar bdi").first.inner_text() == SOURCES[0][order[0]]
    assert page.locator(".fill.less").count() == int((wanted[3] < -0.005).sum())
    with page.expect_download() as download:
        control(page, "svg").click()
    svg = Path(download.value.path()).read_text(encoding="utf-8")
    values = [float(value) for value in re.findall(r'data-weight="(-?[\d.]+)"', svg)]
    assert np.allclose(values, wanted.ravel(), atol=TWICE)
    page.locator(".rows .token").nth(3).click()
    page.mouse.move(2, 2)
    control(page, "view-lines").click()
    settle(page)
    dashed = page.locator(".lines .line[stroke-dasharray]").count()
    assert abs(dashed - int((wanted < -0.02 * top(page)).sum())) <= 1
    control(page, "view-table").click()
    settle(page)
    cells = [text.split()[0].replace("−", "-") for text in page.locator("td").all_inner_texts() if text.strip()]
    assert np.allclose([float(cell) for cell in cells], wanted.ravel(), atol=2 * TWICE)
    assert {cell[0] for cell in cells if float(cell)} == {"+", "-"}


def test_all_heads_view_leaves_difference(page: Any) -> None:
    subtract(page, "step")
    control(page, "view-heads").click()
    settle(page)
    assert page.locator(".legend").get_attribute("aria-label").startswith("Color scale: weights from 0 to")


def test_two_models_are_shown_as_two_kinds(open_page: Any, tmp_path: Path) -> None:
    generator = torch.Generator().manual_seed(0)
    one, two = (torch.randn(2, 2, 3, 3, generator=generator).softmax(-1) for _ in range(2))
    tokens = [["le", "chat", "dort"], ["le", "chien", "dort"]]
    view = attention_view(one, tokens, others={"untrained": two}, title="Two models")
    page = to_the_end(open_page(view.save_html(tmp_path / "models.html")).page)
    open_more(page)
    subtract(page, "kind")
    control(page, "stretch").uncheck()
    assert_shows(page, (one - two)[0].mean(0).numpy(), signed=True, within=TWICE)
    assert page.locator(".heatmap .caption").inner_text() == "attention − attention: untrained · mean over heads"
    choose(page, "compare", "sentence")
    assert_shows(page, (one[0] - one[1]).mean(0).numpy(), signed=True, within=TWICE)
    assert page.locator(".rows .token").all_inner_texts() == ["le", "chat − chien", "dort"]


@pytest.mark.parametrize("width", [360, 1280])
def test_difference_keeps_layout_under_pointer(path: Path, open_page: Any, width: int) -> None:
    page = to_the_end(open_page(path, width=width, reduced_motion="reduce").page)
    open_more(page)
    choose(page, "compare", "step")
    settle(page)
    box = control(page, "difference")
    box.scroll_into_view_if_needed()
    kept = box.bounding_box()
    box.check()
    settle(page)
    assert box.bounding_box() == kept
    height = page.locator("section.card").bounding_box()["height"]
    page.locator("[role=grid]").focus()
    for key in ("ArrowDown", "ArrowRight", "Enter", "Control+End"):
        page.keyboard.press(key)
        settle(page)
        assert page.locator("section.card").bounding_box()["height"] == height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
