"""Widgets by touch, with keys that the browser also uses, in forced colors, and on a small phone."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from playwright.sync_api import expect

from attnbook.widgets.bleu_view import BleuView
from attnbook.widgets.heads_view import HeadLayer, HeadsView
from attnbook.widgets.position_view import PositionView
from attnbook.widgets.static import saved_state, static_html, static_page
from attnbook.widgets.train_view import TrainView
from attnbook.widgets.vectors_view import VectorsView
from attnbook.widgets.window_view import WindowView
from tests.browser.attention_samples import control, open_more, sample, settle
from tests.browser.test_widgets import beam_view
from tests.browser.widgets import said, slide, stand, write

POLICY = "img-src 'self' data:"  # of the book's pages
# A worker that answers immediately.
AT_ONCE = """globalThis.Worker = class {
    constructor() { setTimeout(() => this.onmessage({ data: null })); }
    postMessage({ run, steps }) {
        const look = { example: { answers: [], source: [], slots: [] }, best: [], weights: new Float32Array(64) };
        const news = Array(steps).fill({ loss: 1, right: 0.5, guess: 0.2 });
        if (steps) setTimeout(() => this.onmessage({ data: { run, news, look } }));
    }
    terminate() {}
};"""


def swiped(page: Any, x: float, y: float) -> float:
    """How far an upward swipe from this point scrolls the page."""
    touch = page.context.new_cdp_session(page)
    before = page.evaluate("scrollY")
    for kind, way in (("touchStart", 0), *(("touchMove", 15 * i) for i in range(1, 8))):
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y - way}]})
    touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.wait_for_timeout(100)
    moved: float = page.evaluate("scrollY") - before
    return moved


def window_view() -> WindowView:
    return WindowView(torch.zeros(1, 6), torch.zeros(1), list("abcdef"), ["a"])


@pytest.mark.parametrize("made", [VectorsView, PositionView, window_view])
def test_touch_on_picture_scrolls_page(open_page: Any, tmp_path: Any, made: Any) -> None:
    page = stand(open_page, write(made(), tmp_path), width=360, height=640, has_touch=True, is_mobile=True).page
    page.evaluate("document.body.style.paddingBottom = '900px'")
    if made is VectorsView:
        before, tip = said(page), page.locator(".tip-key").bounding_box()
        assert swiped(page, tip["x"] + 22, tip["y"] + 8) == 0 and said(page) != before, "beside its tip it is taken"
    if made is window_view:
        band = page.locator(".band").bounding_box()
        assert swiped(page, band["x"] + 22, band["y"] + band["height"] - 4) == 0, "a finger drags the window"
    box = page.locator(".figure svg").bounding_box()
    before = said(page)
    assert swiped(page, box["x"] + 0.1 * box["width"], box["y"] + 0.9 * box["height"]) > 50
    assert made is not window_view or said(page) == before, "the window stays where it is"


def test_drag_needs_primary_button(open_page: Any, tmp_path: Any) -> None:
    page = stand(open_page, write(VectorsView(), tmp_path)).page
    before = said(page)
    page.locator(".figure svg").click(button="right", position={"x": 20, "y": 20})
    assert said(page) == before


@pytest.fixture(scope="module")
def attention(tmp_path_factory: Any) -> Any:
    path = tmp_path_factory.mktemp("attention") / "index.html"
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    page = static_page(static_html(saved_state(sample().widget)), title="Attention")
    path.write_text(page.replace("<head>", f"<head>{meta}"), encoding="utf-8")
    return path


def test_alt_arrow_keys_are_left_to_the_browser(open_page: Any, attention: Any) -> None:
    page = stand(open_page, attention, reduced_motion="reduce").page
    taken = """(node, altKey) => {
        const key = { key: "ArrowRight", altKey, bubbles: true, composed: true, cancelable: true };
        return !node.dispatchEvent(new KeyboardEvent("keydown", key));
    }"""
    for role in ("grid", "slider"):
        node = page.get_by_role(role).first
        assert [node.evaluate(taken, alt) for alt in (False, True)] == [True, False]


def test_table_keeps_focus_and_scroll_while_playing(open_page: Any, attention: Any) -> None:
    page = stand(open_page, attention, width=360, reduced_motion="reduce").page
    control(page, "view-table").click()
    table = page.locator(".table")
    table.focus()
    table.evaluate("node => { node.scrollLeft = 20 }")
    first = table.inner_text()
    control(page, "next").evaluate("node => node.click()")
    settle(page)
    assert table.inner_text() != first and table.evaluate("node => node.scrollLeft") == 20
    assert page.locator(".table:focus").count() == 1


def test_playing_frames_are_not_announced(open_page: Any, attention: Any) -> None:
    page = stand(open_page, attention, reduced_motion="reduce").page
    control(page, "play").click()
    expect(page.locator("output[aria-live=off]")).to_have_count(1)
    control(page, "play").click()
    expect(page.locator("output[aria-live=polite]")).to_have_count(1)


def test_png_export_works_under_policy(open_page: Any, attention: Any) -> None:
    watched = stand(open_page, attention, reduced_motion="reduce")
    open_more(watched.page)
    with watched.page.expect_download() as download:
        control(watched.page, "png").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    watched.assert_quiet()


def test_forced_colors_keep_weights_and_selection_visible(open_page: Any, attention: Any) -> None:
    page = stand(open_page, attention, reduced_motion="reduce", forced_colors="active").page
    control(page, "view-text").click()
    settle(page)
    ground = "all => new Set(all.map(node => getComputedStyle(node).backgroundColor)).size"
    assert page.locator(".word").evaluate_all(ground) > 1, "tints"
    assert page.locator(".views button").evaluate_all(ground) == 2, "the one that is pressed"


def test_small_phone_shows_whole_sentences(open_page: Any, tmp_path: Any) -> None:
    torch.manual_seed(0)
    page = stand(open_page, write(beam_view(), tmp_path), width=320).page
    slide(page, "Step", 4)
    last = page.locator("li").last.locator("span").first
    last.evaluate("node => { node.textContent = 'reference: a sentence of quite a few words, nine or ten .' }")
    assert last.evaluate("node => node.scrollWidth <= node.clientWidth && node.scrollHeight <= node.clientHeight")


def test_long_word_stays_inside_card(open_page: Any, tmp_path: Any) -> None:
    word = "x" * 80
    layer = HeadLayer(torch.full((1, 2, 2), 0.5), torch.ones(2), [word, "a"], [word, "a"])
    for widget in (HeadsView({word: layer}), BleuView("x", word, ["a"])):
        page = stand(open_page, write(widget, tmp_path), width=320).page
        assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_stopped_training_rests_after_its_steps(open_page: Any, tmp_path: Any) -> None:
    watched = open_page("about:blank")
    watched.page.add_init_script(AT_ONCE)
    watched.page.goto(write(TrainView(), tmp_path).as_uri())
    page = watched.page
    page.get_by_role("button", name="One step").click()
    page.get_by_text("step 1:").wait_for()
    page.get_by_role("button", name="Start").click()
    page.get_by_text("step 5,001:").wait_for()
    expect(page.locator(".do button").first).to_have_text("Start")
    watched.assert_quiet()


def test_two_trainings_keep_separate_addresses(open_page: Any, tmp_path: Any) -> None:
    emitted: set[str] = set()
    body = "".join(static_html(saved_state(TrainView()), emitted=emitted) for _ in range(2))
    path = tmp_path / "index.html"
    path.write_text(static_page(body, title="Two"), encoding="utf-8")
    page = stand(open_page, path).page
    for place in (0, 1):
        page.get_by_role("combobox", name="Heads").nth(place).select_option(str(2 + 2 * place))
        page.wait_for_function(f"() => location.hash.includes('{('train', 'train-2')[place]}.heads=')")
    assert page.url.endswith("#train.heads=2&train-2.heads=4")
    page.evaluate("location.hash = '#train.heads=4'")
    expect(page.get_by_role("combobox", name="Heads").first).to_have_value("4")
