"""Every control of the attention view changes what is drawn, to what the weights say. On file://, without network."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import expect

from attnbook.widgets.encoding import decode
from tests.browser.attention_samples import (
    CROSS,
    DECODER,
    ENCODER,
    GOLD,
    SOURCES,
    STEPS,
    TARGETS,
    Sample,
    assert_shows,
    call,
    choose,
    colours,
    control,
    open_more,
    sample,
    settle,
    shades,
    to_the_end,
)

LAST = len(STEPS) - 1


@pytest.fixture(scope="module")
def known() -> Sample:
    return sample()


@pytest.fixture(scope="module")
def path(known: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return known.write(tmp_path_factory.mktemp("view"))


@pytest.fixture
def page(path: Path, open_page: Callable[..., Any]) -> Any:
    watched = open_page(path, reduced_motion="reduce")
    yield to_the_end(watched.page)
    watched.assert_quiet()


def go_to(page: Any, at: int) -> None:
    """Move the slider to a frame by keyboard."""
    page.get_by_label("Training step", exact=True).focus()
    page.keyboard.press("Home")
    for _ in range(at):
        page.keyboard.press("ArrowRight")
    settle(page)


def numbers(path_data: str) -> list[tuple[float, float]]:
    """The points of a path of M and L."""
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([\d.]+) ([\d.]+)", path_data)]


# ---- data


def test_the_page_decodes_what_python_encoded(page, known):
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


def test_a_view_into_a_larger_buffer_is_decoded(page, known):
    """Hosts hand over bytes that begin anywhere in a message."""
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


# ---- the heatmap and its pickers


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


def test_hovering_says_both_tokens_and_the_weight(page, known):
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


def test_the_details_list_the_largest_weights_of_the_row_pointed_at(page, known):
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


def test_stretching_takes_the_largest_weight_as_the_end_of_the_scale(page, known):
    go_to(page, 0)
    open_more(page)
    control(page, "stretch").check()
    matrix = known.matrix(0, CROSS, 0, 1, "mean")
    assert_shows(page, matrix, top=matrix.max())
    assert float(page.locator(".legend text").last.text_content()) == pytest.approx(matrix.max(), abs=0.011)


# ---- time


def test_the_slider_by_keyboard(page, known):
    go_to(page, 3)
    assert_shows(page, known.matrix(3, CROSS, 0, 1, "mean"))
    assert page.locator(".step").inner_text() == "step 40"
    page.keyboard.press("ArrowLeft")
    assert_shows(page, known.matrix(2, CROSS, 0, 1, "mean"))
    page.keyboard.press("End")
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"))
    said = page.get_by_label("Training step", exact=True).get_attribute("aria-valuetext")
    assert said.startswith("step 200, 8 of 8 looks. loss ") and "alignment error" in said


def test_dragging_on_the_curves_scrubs(page, known):
    box = page.locator(".curves").bounding_box()
    left, right = box["x"] + 34, box["x"] + box["width"] - 10
    page.mouse.move(left, box["y"] + 30)
    page.mouse.down()
    assert_shows(page, known.matrix(0, CROSS, 0, 1, "mean"))
    for at in (2, 5, 4):
        page.mouse.move(left + (right - left) * STEPS[at] / 200 + 3, box["y"] + 60)
        assert_shows(page, known.matrix(at, CROSS, 0, 1, "mean"))
        playhead = page.locator(".playhead").bounding_box()
        assert abs(playhead["x"] - (left + (right - left) * STEPS[at] / 200)) < 1.5
    page.mouse.up()
    page.mouse.move(right, box["y"] + 30)
    assert_shows(page, known.matrix(4, CROSS, 0, 1, "mean"))


def test_dragging_the_slider_scrubs(page, known):
    slider = page.get_by_label("Training step", exact=True).bounding_box()
    for at in (0, 3, 6):
        x = slider["x"] + 8 + (slider["width"] - 16) * STEPS[at] / 200
        page.mouse.click(x, slider["y"] + slider["height"] / 2)
        assert_shows(page, known.matrix(at, CROSS, 0, 1, "mean"))


def test_step_buttons_and_play(page, known):
    go_to(page, 2)
    control(page, "next").click()
    assert_shows(page, known.matrix(3, CROSS, 0, 1, "mean"))
    control(page, "back").click()
    control(page, "back").click()
    assert_shows(page, known.matrix(1, CROSS, 0, 1, "mean"))
    control(page, "play").click()
    expect(control(page, "play")).to_have_attribute("aria-label", "Pause")
    expect(page.locator(".step")).not_to_have_text("step 10")
    control(page, "play").click()
    settle(page)
    stopped = page.locator(".step").inner_text()
    page.wait_for_timeout(900)
    assert page.locator(".step").inner_text() == stopped, "a pause must hold"
    control(page, "play").click()
    expect(control(page, "play")).to_have_attribute("aria-label", "Pause")
    expect(control(page, "play")).to_have_attribute("aria-label", "Play", timeout=15000)  # it stops by itself
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"))
    assert control(page, "next").is_disabled() and control(page, "latest").is_disabled()


def test_curves_have_the_shape_of_what_they_draw(page, known):
    loss = numbers(page.locator("path.curve.scalar").get_attribute("d"))
    y = np.array([point[1] for point in loss])
    assert len(loss) == 200 and np.all(np.diff(y) >= 0), "the loss falls, so the curve goes down the page"
    assert np.corrcoef(y, known.loss)[0, 1] < -0.999
    view = known.widget.frame_log.frames
    for css, offset in (("entropy", 0), ("error", 2 * 5)):  # entropies of 2 layers x 5 views, then errors
        drawn = [point[1] for point in numbers(page.locator(f"path.curve.{css}").get_attribute("d"))]
        values = [frame.measures[offset + 5] for frame in view]  # layer 2, mean
        assert np.corrcoef(drawn, values)[0, 1] < -0.999
    assert f"alignment error {view[-1].measures[15]:.2f}" in page.locator("text.name.error").text_content()


def test_strips_follow_the_head_and_vanish_without_gold(page):
    before = page.locator("path.curve.error").get_attribute("d")
    choose(page, "head", "1")
    settle(page)
    assert page.locator("path.curve.error").get_attribute("d") != before
    choose(page, "head", "max")
    settle(page)
    assert page.locator("path.curve.entropy").count() == 0, "a maximum over heads is no distribution"
    control(page, "kind").select_option(label="encoder self-attention")
    settle(page)
    assert page.locator("path.curve.error").count() == 0 and page.locator("path.curve.entropy").count() == 1


def test_another_scalar_can_be_drawn(page):
    open_more(page)
    choose(page, "curve", "lr")
    settle(page)
    y = np.array([point[1] for point in numbers(page.locator("path.curve.scalar").get_attribute("d"))])
    assert np.all(np.diff(y) <= 0) and y[0] > y[-1]
    assert "lr" in page.locator("text.name.scalar").text_content()


# ---- other views


def test_all_heads_at_once(page, known):
    control(page, "view-heads").click()
    settle(page)
    assert page.locator(".tile canvas").count() == 6
    table = shades(page)
    for layer in range(2):
        for head in range(3):
            drawn = colours(page, ".tile canvas", layer * 3 + head)
            wanted = table[np.round(known.matrix(LAST, CROSS, 0, layer, head) * 1023).astype(int)]
            assert np.abs(drawn.astype(int) - wanted).max() < 8
    go_to(page, 1)
    drawn = colours(page, ".tile canvas", 4).astype(int)
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
        row = min(range(7), key=lambda i: abs(places["row", i] - float(ends[1])))
        column = min(range(6), key=lambda j: abs(places["column", j] - float(ends[2])))
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


def test_a_press_during_which_all_is_drawn_anew_still_chooses(page):
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


def test_a_pinned_token_leaves_only_its_row_or_column(page, known):
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


def test_two_steps_side_by_side(page, known):
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


def test_two_heads_side_by_side(page, known):
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


def test_the_table_has_the_numbers(page, known):
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


# ---- keeping it


def saved(page: Any, name: str) -> bytes:
    open_more(page)
    with page.expect_download() as download:
        control(page, name).click()
    return Path(download.value.path()).read_bytes()


def test_svg_of_the_current_view(page, known):
    go_to(page, 4)
    text = saved(page, "svg").decode()
    matrix = known.matrix(4, CROSS, 0, 1, "mean")
    weights = [float(w) for w in re.findall(r'data-weight="([\d.]+)"', text)]
    assert np.allclose(weights, matrix.ravel(), atol=0.005)
    for token in (*SOURCES[0], *TARGETS[0][:-1], "&lt;eos&gt;"):
        assert f">{token}</text>" in text
    assert "step 60" in text and 'xmlns="http://www.w3.org/2000/svg"' in text
    control(page, "view-lines").click()
    settle(page)
    lines = saved(page, "svg").decode()
    assert lines.count('class="line"') == page.locator(".lines .line").count()
    control(page, "view-heads").click()
    settle(page)
    heads = saved(page, "svg").decode()
    assert heads.count("data-weight") == 6 * 42


def test_png_of_the_current_view(page, known):
    from PIL import Image

    image = Image.open(io.BytesIO(saved(page, "png"))).convert("RGB")
    svg = saved(page, "svg").decode()
    width, height = (int(n) for n in re.search(r'viewBox="0 0 (\d+) (\d+)"', svg).groups())
    assert image.size == (2 * width, 2 * height)
    offset = float(re.search(r"translate\(([\d.]+) 12\)", svg)[1])
    for x, y, fill in re.findall(
        r'<rect x="([\d.]+)" y="([\d.]+)" width="[\d.]+" height="[\d.]+" fill="rgb\(([\d ]+)\)', svg
    )[::5]:
        found = image.getpixel((round(2 * (float(x) + offset)) + 8, round(2 * (float(y) + 12)) + 8))
        assert np.abs(np.array(found) - np.array([int(n) for n in fill.split()])).max() <= 3


def test_data_as_json(page, known):
    data = json.loads(saved(page, "json"))
    assert data["tokens"]["source"] == list(SOURCES[0]) and data["sentence"] == " ".join(SOURCES[0])
    assert [a["kind"] for a in data["attention"]] == [
        "cross-attention",
        "encoder self-attention",
        "decoder self-attention",
    ]
    steps = data["attention"][CROSS]["steps"]
    assert [s["step"] for s in steps] == STEPS
    for at in (0, 5):
        for layer in range(2):
            for head in range(3):
                assert np.allclose(
                    steps[at]["weights"][layer][head], known.matrix(at, CROSS, 0, layer, head), atol=0.0045
                )
    assert np.allclose(data["series"]["loss"], known.loss, rtol=1e-3) and len(data["series"]["step"]) == 200
