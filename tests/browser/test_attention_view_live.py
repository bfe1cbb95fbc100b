"""Live attention views: updated during training, several on a page, recreated and removed."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from attnbook.widgets.encoding import quantize
from attnbook.widgets.static import saved_state, static_html, static_page
from tests.browser.attention_samples import CROSS, JAVASCRIPT, STEPS, Sample, assert_shows, control, sample, settle


def test_several_views_on_one_page_are_independent(tmp_path, open_page):
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
    """A page whose widget is connected to a live model, with the first three frames."""
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
    codes = quantize(known.widget.frame_layout.pack(known.weights[at])).numpy().tobytes()
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
    assert live.locator(".progress-text").inner_text() == "step 40 of 200 · 12 s left"
    assert float(live.locator("progress").evaluate("n => n.value")) == 0.2
    before = live.locator("path.curve.scalar").get_attribute("d").count("L")
    say(live, known, 4)
    say(live, known, 4)  # sent twice, stored once
    assert live.locator("path.curve.scalar").get_attribute("d").count("L") == before + STEPS[4] - STEPS[3]
    live.get_by_label("Training step", exact=True).focus()
    live.keyboard.press("ArrowLeft")
    assert_shows(live, known.matrix(3, CROSS, 0, 1, "mean"))


def test_selected_step_stays_while_frames_arrive_until_latest_is_pressed(live, known):
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


def test_saved_state_is_merged_with_newer_frames(live, known):
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
    spoken = live.get_by_label("Training step", exact=True).get_attribute("aria-valuetext")
    assert spoken.startswith("step 100, frame 6 of 6")


def test_new_view_continues_at_last_position(live, known):
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


def test_empty_or_broken_data_shows_hint(live):
    live.evaluate("async () => { cleanup(); model.state.data = null; await widget.render({ model, el }); }")
    expect(live.locator(".hint")).to_contain_text("recording the first step")
    live.evaluate("model.state.data = new DataView(new ArrayBuffer(50)); model.emit('change:data')")
    expect(live.locator(".hint")).to_contain_text("Cannot read")


def test_keys_do_not_reach_the_page_around(live):
    live.evaluate("window.heard = []; document.addEventListener('keydown', e => heard.push(e.key))")
    live.locator("[role=grid]").focus()
    for key in ("ArrowDown", "Enter", "a", "d", "d"):
        live.keyboard.press(key)
    assert live.evaluate("heard") == []
    assert live.locator("[data-lm-suppress-shortcuts=true]").count() == 1
