"""The attention view for everybody: keyboard, touch, screen readers, light and dark, any tokens, live and gone."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from attnbook.widgets.encoding import quantise
from attnbook.widgets.from_weights import attention_view
from attnbook.widgets.static import saved_state, static_html, static_page
from tests.browser.attention_samples import (
    CROSS,
    JAVASCRIPT,
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
HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\"'`${1}&amp;&lt;",
    "\u202eright to left",
    "שלום",
    "👩‍👩‍👧‍👦",
    "\u0000\u2028\ud800",
    "   ",
    "",
    "x" * 10_000,
)


@pytest.fixture(scope="module")
def known() -> Sample:
    return sample()


@pytest.fixture(scope="module")
def path(known: Sample, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return known.write(tmp_path_factory.mktemp("view"))


def mounted(watched: Any) -> Any:
    return to_the_end(watched.page)


# ---- keyboard and screen readers


def test_the_grid_by_arrow_keys(path, known, open_page):
    page = mounted(open_page(path, reduced_motion="reduce"))
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    grid = page.locator("[role=grid]")
    page.get_by_label("Training step", exact=True).focus()
    page.keyboard.press("Tab")
    settle(page)

    def assert_at(row: int, column: int) -> None:
        settle(page)
        cell = page.locator("[role=gridcell]")
        assert page.locator("[role=row]").get_attribute("aria-rowindex") == str(row + 1)
        assert cell.get_attribute("aria-colindex") == str(column + 1)
        assert abs(float(cell.text_content().strip("<")) - matrix[row, column]) < 0.01
        spoken = page.locator("output").text_content()
        assert f"“{TARGETS[0][row]}” attends to “{SOURCES[0][column]}” with weight " in spoken
        box, ring = grid.bounding_box(), page.locator(".cells .here").bounding_box()
        assert abs(ring["x"] + ring["width"] / 2 - box["x"] - (column + 0.5) * box["width"] / 6) < 2
        assert abs(ring["y"] + ring["height"] / 2 - box["y"] - (row + 0.5) * box["height"] / 7) < 2

    assert grid.get_attribute("aria-rowcount") == "7" and grid.get_attribute("aria-colcount") == "6"
    assert_at(0, 0)
    for key, place in [
        ("ArrowRight", (0, 1)),
        ("ArrowDown", (1, 1)),
        ("End", (1, 5)),
        ("ArrowRight", (1, 5)),
        ("PageDown", (6, 5)),
        ("Control+Home", (0, 0)),
        ("Control+End", (6, 5)),
        ("Home", (6, 0)),
        ("ArrowUp", (5, 0)),
    ]:
        page.keyboard.press(key)
        assert_at(*place)
    page.keyboard.press("Enter")
    settle(page)
    assert "pinned" in page.locator(".rows .token").nth(5).get_attribute("class")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Enter")
    settle(page)
    assert "pinned" in page.locator(".columns .token").nth(0).get_attribute("class")
    assert page.locator(".cells .veil").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1100])
def test_axe_finds_nothing(path, open_page, scheme, width):
    axe = Axe()
    page = mounted(open_page(path, width=width, color_scheme=scheme, reduced_motion="reduce"))
    open_more(page)
    for view in ("map", "lines", "heads", "table"):
        control(page, f"view-{view}").click()
        settle(page)
        result = axe.run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})
        found = [(v["id"], [n["target"] for n in v["nodes"]]) for v in result.response["violations"]]
        assert found == [], f"{view} at {width} px in {scheme}"
    choose(page, "compare", "step")
    settle(page)
    assert axe.run(page).response["violations"] == []


def test_touch_at_360_pixels(path, known, open_page):
    watched = open_page(path, width=360, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page = mounted(watched)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"))
    box = page.locator("[role=grid]").bounding_box()
    assert box["x"] + box["width"] <= 360
    page.touchscreen.tap(box["x"] + 3.5 * box["width"] / 6, box["y"] + 2.5 * box["height"] / 7)
    settle(page)
    assert f"“{TARGETS[0][2]}” attends to “{SOURCES[0][3]}”" in page.locator("output").inner_text()
    page.locator(".rows .token").nth(1).tap()
    settle(page)
    assert page.locator(".cells .veil").count() == 2
    curves = page.locator(".curves").bounding_box()
    page.touchscreen.tap(curves["x"] + 35, curves["y"] + 40)
    assert_shows(page, known.matrix(0, CROSS, 0, 1, "mean"))
    control(page, "view-lines").tap()
    settle(page)
    lines = page.locator(".lines").bounding_box()
    assert lines["x"] >= 0 and lines["x"] + lines["width"] <= 360
    small = [
        b
        for b in (e.bounding_box() for e in page.locator("button, select, summary, .check").all() if e.is_visible())
        if min(b["height"], b["width"]) < 24
    ]
    assert small == [], "touch targets are at least 24 px (WCAG 2.5.8)"
    watched.assert_quiet()


def test_reduced_motion_takes_transitions_away_and_play_still_works(path, known, open_page):
    page = mounted(open_page(path, reduced_motion="reduce"))
    assert page.locator(".fill").first.evaluate("n => getComputedStyle(n).transitionDuration") == "0s"
    control(page, "play").click()
    expect(page.locator(".step")).to_have_text("step 10")
    page.emulate_media(reduced_motion="no-preference")
    assert page.locator(".fill").first.evaluate("n => getComputedStyle(n).transitionDuration") != "0s"


# ---- theme


THEMES = [
    ("document.documentElement.dataset.theme = 'dark'", "document.documentElement.dataset.theme = 'light'"),
    ("document.body.dataset.jpThemeLight = 'false'", "document.body.dataset.jpThemeLight = 'true'"),
    ("document.body.className = 'vscode-dark'", "document.body.className = 'vscode-light'"),
    ("document.body.className = 'vscode-high-contrast'", "document.body.className = 'vscode-high-contrast-light'"),
    (
        "document.documentElement.setAttribute('theme', 'dark')",
        "document.documentElement.setAttribute('theme', 'light')",
    ),
    ("document.body.style.background = '#111'", "document.body.style.background = '#fff'"),
]


@pytest.mark.parametrize(("dark", "light"), THEMES)
def test_dark_and_light_follow_the_page_at_once(path, known, open_page, dark, light):
    page = mounted(open_page(path, reduced_motion="reduce"))
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    for script, theme in ((dark, "dark"), (light, "light"), (dark, "dark")):
        page.evaluate(script)
        assert_shows(page, matrix, theme=theme)
        surface = page.locator("section.card").evaluate("n => getComputedStyle(n).backgroundColor")
        assert surface == {"dark": "rgb(20, 22, 26)", "light": "rgb(255, 255, 255)"}[theme]


def test_without_a_theme_of_the_page_the_reader_s_own_is_followed(path, known, open_page):
    page = mounted(open_page(path, color_scheme="dark", reduced_motion="reduce"))
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"), theme="dark")
    page.emulate_media(color_scheme="light")
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"), theme="light")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_colour_scale_is_steady_in_luminance(path, open_page, theme):
    page = mounted(open_page(path, reduced_motion="reduce"))
    linear = (shades(page, theme) / 255.0) ** 2.2
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    steps = np.diff(luminance) * (-1 if theme == "light" else 1)
    assert steps.min() > -1e-3 and np.diff(luminance[::16]).min() * np.diff(luminance[::16]).max() > 0
    contrast = (max(luminance) + 0.05) / (min(luminance) + 0.05)
    assert contrast > 12


# ---- tokens


def test_hostile_tokens_stay_text(tmp_path, open_page):
    n = len(HOSTILE)
    view = attention_view(torch.eye(n), list(HOSTILE), list(HOSTILE), title=HOSTILE[0], gold=[(0, 0)])
    watched = open_page(view.save_html(tmp_path / "hostile.html"))
    page = mounted(watched)
    for name in ("view-lines", "view-table", "view-map"):
        control(page, name).click()
        settle(page)
    box = page.locator("[role=grid]").bounding_box()
    for i in range(n):
        page.mouse.move(box["x"] + (i + 0.5) * box["width"] / n, box["y"] + (i + 0.5) * box["height"] / n)
        settle(page)
        assert "with weight 1.00" in page.locator("output").inner_text()
    open_more(page)
    with page.expect_download() as download:
        control(page, "svg").click()
    drawing = Path(download.value.path()).read_text(encoding="utf-8")
    assert "<script" not in drawing.replace("&lt;script", "") and "<img" not in drawing
    with page.expect_download() as download:
        control(page, "json").click()
    tokens = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))["tokens"]["query"]
    assert tokens[:6] == list(HOSTILE[:6]) and tokens[9] == HOSTILE[9]
    assert page.evaluate("window.hacked") is None
    assert page.locator("section.card img, section.card script").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 1280
    assert page.locator(".rows bdi").nth(3).evaluate("n => getComputedStyle(n).unicodeBidi") == "isolate"
    watched.assert_quiet()


@pytest.mark.parametrize("count", [1, 2, 64, 128, 256])
def test_any_number_of_tokens_stays_inside_the_widget(tmp_path, open_page, count):
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(2, count, count, generator=generator).softmax(-1)
    tokens = [f"token{i}" for i in range(count)]
    view = attention_view(weights, tokens)
    watched = open_page(view.save_html(tmp_path / "many.html"), width=700)
    page = mounted(watched)
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    assert colours(page).shape == (count, count, 3)
    page.locator("[role=grid]").focus()
    page.keyboard.press("Control+End")
    settle(page)
    assert f"“token{count - 1}” attends to “token{count - 1}”" in page.locator("output").text_content()
    ring = page.locator(".cells .here").bounding_box()
    scroller = page.locator(".scroller").bounding_box()
    assert ring["x"] + ring["width"] <= scroller["x"] + scroller["width"] + 1, "the focused cell is scrolled into sight"
    assert ring["y"] + ring["height"] <= scroller["y"] + scroller["height"] + 1
    for view_name in ("lines", "heads", "table"):
        control(page, f"view-{view_name}").click()
        settle(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 700
    watched.assert_quiet()


# ---- several, live, and gone


def test_several_on_one_page_do_not_disturb_each_other(tmp_path, open_page):
    first, second = sample("First"), sample("Second", steps=STEPS[:4])
    emitted: set[str] = set()
    body = "".join(static_html(saved_state(s.widget), emitted=emitted) for s in (first, second, first))
    page_file = tmp_path / "two.html"
    page_file.write_text(static_page(body, title="Two"), encoding="utf-8")
    watched = open_page(page_file, reduced_motion="reduce")
    page = watched.page
    expect(page.locator("[data-attnbook-mounted=yes]")).to_have_count(3)
    page.wait_for_function("document.querySelectorAll('[data-attnbook-mounted=yes]').length === 3")
    expect(page.locator(".heatmap canvas")).to_have_count(3)
    control(page, "head").nth(0).select_option(label="3")
    page.get_by_label("Training step", exact=True).nth(1).press("End")
    control(page, "gold").nth(0).uncheck()
    assert_shows(page, first.matrix(0, CROSS, 0, 1, 2), which=0)
    assert_shows(page, second.matrix(3, CROSS, 0, 1, "mean"), which=1)
    assert_shows(page, first.matrix(0, CROSS, 0, 1, "mean"), which=2)
    assert [control(page, "gold").nth(i).is_checked() for i in range(3)] == [False, True, True]
    watched.assert_quiet()


LIVE = """async ({ esm, header, data }) => {
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const { default: widget } = await import(url);
  const state = { header, data: new DataView(Uint8Array.from(atob(data), c => c.charCodeAt(0)).buffer) };
  const listeners = [];
  window.model = {
    get: name => state[name],
    on: (name, call) => listeners.push([name, call]),
    off: (name, call) => {
      const at = listeners.findIndex(([n, c]) => n === name && c === call);
      if (at >= 0) listeners.splice(at, 1);
    },
    emit: (name, ...values) => listeners.filter(([n]) => n === name).forEach(([, call]) => call(...values)),
    listeners, state,
  };
  window.say = (message, buffers) => model.emit("msg:custom", message,
    buffers.map(b => new DataView(Uint8Array.from("pad" + atob(b), c => c.charCodeAt(0)).buffer, 3)));
  const el = document.createElement("div");
  document.body.append(el);
  window.widget = widget;
  window.el = el;
  window.cleanup = await widget.render({ model, el });
}"""


@pytest.fixture
def live(tmp_path: Path, open_page: Callable[..., Any], known: Sample) -> Any:
    """A page where the widget hangs on a model that speaks; it has the first three frames."""
    few = sample(steps=STEPS[:3]).widget
    few.flush({})
    blank = tmp_path / "blank.html"
    blank.write_text("<!doctype html><title>live</title><body></body>", encoding="utf-8")
    watched = open_page(blank)
    data = base64.b64encode(few.data).decode()
    watched.page.evaluate(LIVE, {"esm": JAVASCRIPT, "header": few.header, "data": data})
    watched.page.wait_for_selector(".heatmap canvas")
    return watched.page


def say(page: Any, known: Sample, at: int, **progress: Any) -> None:
    frame = known.widget.frame_log.frames[at]
    codes = quantise(known.widget.frame_layout.pack(known.weights[at])).numpy().tobytes()
    page.evaluate(
        "([message, buffers]) => say(message, buffers)",
        [
            {
                "type": "live",
                "steps": [frame.step],
                "points": [[step, {"loss": known.loss[step - 1]}] for step in range(STEPS[at - 1] + 1, frame.step + 1)],
                "series": ["loss", "lr"],
                "progress": {"step": frame.step, "total": 200, "seconds": 3.0, "tokens_per_second": 5400.4, **progress},
            },
            [base64.b64encode(b).decode() for b in (codes, frame.measures.tobytes())],
        ],
    )
    settle(page)


def test_live_messages_add_frames_and_progress(live, known):
    assert_shows(live, known.matrix(2, CROSS, 0, 1, "mean"))
    say(live, known, 3, seconds_left=12.4)
    assert_shows(live, known.matrix(3, CROSS, 0, 1, "mean"))
    assert live.locator(".progress-text").inner_text() == "step 40 of 200 · 5,400 tokens/s · 12 s left"
    assert float(live.locator("progress").evaluate("n => n.value")) == 0.2
    before = live.locator("path.curve.scalar").get_attribute("d").count("L")
    say(live, known, 4)
    say(live, known, 4)  # said twice, kept once
    assert live.locator("path.curve.scalar").get_attribute("d").count("L") == before + STEPS[4] - STEPS[3]
    live.get_by_label("Training step", exact=True).focus()
    live.keyboard.press("ArrowLeft")
    assert_shows(live, known.matrix(3, CROSS, 0, 1, "mean"))


def test_looking_back_holds_while_frames_arrive_and_follow_goes_on(live, known):
    say(live, known, 3)
    live.get_by_label("Training step", exact=True).focus()
    live.keyboard.press("Home")
    assert_shows(live, known.matrix(0, CROSS, 0, 1, "mean"))
    say(live, known, 4)
    say(live, known, 5)
    assert_shows(live, known.matrix(0, CROSS, 0, 1, "mean"))
    control(live, "latest").click()
    assert_shows(live, known.matrix(5, CROSS, 0, 1, "mean"))
    say(live, known, 6)
    assert_shows(live, known.matrix(6, CROSS, 0, 1, "mean"))


def test_the_saved_state_takes_over_and_newer_frames_stay(live, known):
    say(live, known, 3)
    say(live, known, 5)
    live.get_by_label("Training step", exact=True).focus()
    live.keyboard.press("ArrowLeft")
    settle(live)
    assert live.locator(".step").inner_text() == "step 40"
    saved = sample(steps=STEPS[:5]).widget
    saved.flush({})
    live.evaluate(
        """data => { model.state.data = new DataView(Uint8Array.from(atob(data), c => c.charCodeAt(0)).buffer);
        model.emit("change:data"); }""",
        base64.b64encode(saved.data).decode(),
    )
    live.wait_for_timeout(200)
    assert live.locator(".step").inner_text() == "step 40", "the reader's step stays"
    assert_shows(live, known.matrix(3, CROSS, 0, 1, "mean"))
    live.get_by_label("Training step", exact=True).focus()
    live.keyboard.press("ArrowRight")
    settle(live)
    assert live.locator(".step").inner_text() == "step 60"  # the frame that only the saved state had
    live.keyboard.press("End")
    assert_shows(live, known.matrix(5, CROSS, 0, 1, "mean"))
    assert live.get_by_label("Training step", exact=True).get_attribute("aria-valuetext").startswith("step 100, 6 of 6")


def test_a_view_made_anew_goes_on_where_the_last_one_was(live, known):
    live.get_by_label("Training step", exact=True).focus()
    live.keyboard.press("Home")
    control(live, "head").select_option(label="2")
    settle(live)
    live.evaluate("async () => { cleanup(); window.cleanup = await widget.render({ model, el }); }")
    live.wait_for_selector(".heatmap canvas")
    assert_shows(live, known.matrix(0, CROSS, 0, 1, 1))
    say(live, known, 3)
    assert_shows(live, known.matrix(0, CROSS, 0, 1, 1))


def test_cleaning_up_leaves_nothing(live, known):
    errors: list[str] = []
    live.on("pageerror", lambda error: errors.append(str(error)))
    control(live, "play").click()
    assert live.evaluate("model.listeners.length") > 0
    live.evaluate("cleanup()")
    assert live.evaluate("model.listeners.length") == 0 and live.evaluate("el.childNodes.length") == 0
    live.evaluate("document.documentElement.dataset.theme = 'dark'")
    live.emulate_media(color_scheme="dark")
    live.set_viewport_size({"width": 500, "height": 500})
    live.wait_for_timeout(700)
    assert errors == []


def test_nothing_yet_and_broken_data_give_a_hint_never_a_blank(live):
    live.evaluate("async () => { cleanup(); model.state.data = null; await widget.render({ model, el }); }")
    expect(live.locator(".hint")).to_contain_text("first look at the model is under way")
    live.evaluate("model.state.data = new DataView(new ArrayBuffer(50)); model.emit('change:data')")
    expect(live.locator(".hint")).to_contain_text("cannot be read")


def test_keys_do_not_reach_the_page_around(live):
    live.evaluate("window.heard = []; document.addEventListener('keydown', e => heard.push(e.key))")
    live.locator("[role=grid]").focus()
    for key in ("ArrowDown", "Enter", "a", "d", "d"):
        live.keyboard.press(key)
    assert live.evaluate("heard") == []
    assert live.locator("[data-lm-suppress-shortcuts=true]").count() == 1


def test_without_scripts_there_is_a_picture_with_a_text(path, known, open_page):
    page = open_page(path, java_script_enabled=False).page
    picture = page.locator("[data-attnbook-picture] img")
    assert picture.is_visible() and picture.bounding_box()["width"] > 150
    alt = picture.get_attribute("alt")
    assert "step 200" in alt and "cross-attention" in alt and SOURCES[0][1] in alt


def test_a_script_that_fails_leaves_the_picture(path, open_page, tmp_path):
    text = path.read_text(encoding="utf-8").replace("DecompressionStream", "x").replace("attachShadow", "noSuchThing")
    broken = tmp_path / "broken.html"
    broken.write_text(text, encoding="utf-8")
    watched = open_page(broken)
    watched.page.wait_for_timeout(500)
    assert watched.page.locator("[data-attnbook-picture] img").is_visible()
    assert any("a widget stays a picture" in text for text in watched.complaints)


def test_the_module_is_small_and_asks_for_nothing():
    import gzip

    assert len(gzip.compress(JAVASCRIPT.encode(), 9)) <= 33_000
    assert "import " not in JAVASCRIPT.replace("imports", "") and "innerHTML" not in JAVASCRIPT
    assert "http" not in JAVASCRIPT.replace("http://www.w3.org/2000/svg", "")


def test_modules_can_be_called_outside_of_a_page(path, open_page):
    page = mounted(open_page(path, reduced_motion="reduce"))
    assert call(page, "module => Object.keys(module).sort()") == ["decode", "default", "shades"]
