"""How fast the attention view draws in Chromium: ``python -m benchmarks.drawing``.

Scrubbing: the slider moves in every animation frame; drawing is timed, and frames per second are counted. Hovering: the
work for one event (scripts and layout), and the time until the next frame is on the screen, which waits for a screen
refresh every 16.7 ms. BertViz's head view gets the same input in the same browser, if it is installed and ``--bertviz``
names a folder with the scripts that it loads from a CDN: ``require.min.js`` 2.3.6, ``d3.min.js`` 5.7.0 and
``jquery.min.js``.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from playwright.sync_api import Browser, Page, sync_playwright

from attnbook.widgets.attention_map import AttentionMap
from attnbook.widgets.encoding import Frame, quantize
from attnbook.widgets.from_weights import attention_view
from attnbook.widgets.head_metrics import HeadMetrics
from benchmarks.harness import RESULTS, Settings, spread, write
from bookkit.chromium import find

FRAMES = 60
# Name, heads, tokens, view, and the goal in frames per second.
SCRUBS = [
    ("scrub: heatmap, mean over heads", 8, 64, "map", 60),
    ("scrub: all heads", 8, 64, "heads", 60),
    ("scrub: heatmap, mean over heads", 8, 256, "map", 30),
    ("scrub: all heads", 8, 256, "heads", 30),
    ("scrub: all heads", 48, 128, "heads", 30),
    ("scrub: heatmap, mean over heads", 4, 512, "map", 30),  # what is kept of 12 layers with 16 heads
]
BERTVIZ_SCRIPTS = {
    "require.js/2.3.6/require.min.js": "require.min.js",
    "d3/5.7.0/d3.min": "d3.min.js",
    "jquery/2.0.0/jquery.min": "jquery.min.js",
}
HOVER_HEADS, HOVER_TOKENS, HOVER_REACH = 8, 128, 0.016

# Calls of the widget's own animation frames are timed; `turn(i)` is what the reader does in each frame.
SCRUB = """async ({ frames, last }) => {
  const widget = document.querySelector("[data-attnbook-mounted=yes] > div:last-child > div").shadowRoot;
  const slider = widget.querySelector("[aria-label='Training step']");
  const native = window.requestAnimationFrame.bind(window);
  const drawing = [], stamps = [];
  window.requestAnimationFrame = call => native(stamp => {
    const start = performance.now();
    call(stamp);
    widget.querySelector(".stage").getBoundingClientRect(); // layout is part of drawing
    drawing.push(performance.now() - start);
  });
  await new Promise(done => {
    let i = 0;
    const turn = stamp => {
      stamps.push(stamp);
      if (i === frames) return done();
      slider.value = last * Math.abs(((2 * i) / frames) % 2 - 1);
      slider.dispatchEvent(new Event("input"));
      i += 1;
      native(turn);
    };
    native(turn);
  });
  window.requestAnimationFrame = native;
  return { drawing, stamps };
}"""
HOVER = """async ({ targets, event }) => {
  const native = window.requestAnimationFrame.bind(window);
  const painted = () => new Promise(done => native(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  const roots = [document];
  for (const node of document.querySelectorAll("*")) if (node.shadowRoot) roots.push(node.shadowRoot);
  const all = selector => roots.flatMap(root => [...root.querySelectorAll(selector)]);
  const elements = targets.map(([selector, index]) => all(selector)[index]);
  const work = [], shown = [];
  for (const [i, element] of elements.entries()) {
    await painted();
    if (!element.isConnected) throw Error(`${targets[i]} is no longer on the page`);
    let spent = 0;
    const timed = (call, ...values) => {
      const start = performance.now();
      call(...values);
      element.getBoundingClientRect(); // layout is part of the work
      spent += (performance.now() - start) / 1000;
    };
    window.requestAnimationFrame = call => native(stamp => timed(call, stamp));
    const box = element.getBoundingClientRect();
    const place = event === "pointermove" ? (i + 0.5) / elements.length : 0.5;
    const start = performance.now();
    timed(() => element.dispatchEvent(new PointerEvent(event, { bubbles: true, composed: true,
      clientX: box.left + place * box.width, clientY: box.top + place * box.height })));
    await painted();
    work.push(spent);
    shown.push((performance.now() - start) / 1000);
    window.requestAnimationFrame = native;
  }
  return { work, shown };
}"""


def widget(heads: int, tokens: int, frames: int) -> AttentionMap:
    """Self-attention that changes from frame to frame."""
    generator = torch.Generator().manual_seed(0)
    start, end = torch.randn(2, heads, tokens, tokens, generator=generator)
    layers = [(start + (3 * end - start) * i / frames).softmax(-1) for i in range(frames)]
    names = [f"token{i}" for i in range(tokens)]
    view = attention_view(layers[0], names, title=f"{heads} heads, {tokens} tokens")
    layout, measures = view.frame_layout, HeadMetrics(view.frame_layout)
    (name,) = layout.kinds[0].layers
    for i, weights in enumerate(layers[1:], 1):
        one = {name: weights.unsqueeze(0)}
        view.frame_log.add(Frame(i, quantize(layout.pack(one)).numpy(), measures(one).numpy()))
    view.flush({}, final=True)
    return view


def scrub(page: Page, view: str, frames: int) -> dict[str, Any]:
    """Seconds to draw a frame, and frames per second."""
    if view != "map":
        page.locator(f"[data-control=view-{view}]").click()
    page.evaluate(SCRUB, {"frames": 30, "last": FRAMES - 1})  # warm up
    found = page.evaluate(SCRUB, {"frames": frames, "last": FRAMES - 1})
    stamps = np.array(found["stamps"]) / 1000
    return {
        "drawing_seconds": spread([ms / 1000 for ms in found["drawing"]]),
        "frames_per_second": float((len(stamps) - 1) / (stamps[-1] - stamps[0])),
        "share_of_frames_over_34_ms": float((np.diff(stamps) > 0.034).mean()),
    }


def hover(page: Page, targets: list[tuple[str, int]], event: str) -> dict[str, Any]:
    """Seconds of work per event, and seconds until its effect is on the screen, for every target."""
    page.evaluate(HOVER, {"targets": targets[:3], "event": event})
    found = page.evaluate(HOVER, {"targets": targets, "event": event})
    return {"work_seconds": spread(found["work"]), "seconds_until_shown": spread(found["shown"])}


def open_page(browser: Browser, path: Path) -> Page:
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    page.goto(path.as_uri())
    return page


def bertviz_page(browser: Browser, folder: Path, scripts: Path) -> Page:
    """BertViz's head view of the same weights as ``widget``'s first frame."""
    from bertviz import head_view

    generator = torch.Generator().manual_seed(0)
    start = torch.randn(2, HOVER_HEADS, HOVER_TOKENS, HOVER_TOKENS, generator=generator)[0]
    tokens = [f"token{i}" for i in range(HOVER_TOKENS)]
    html = head_view([start.softmax(-1).unsqueeze(0)], tokens, html_action="return").data
    for asked, name in BERTVIZ_SCRIPTS.items():  # it loads them from a host; here they come from a folder
        local = (scripts / name).as_uri()
        html = re.sub(rf"https://[\w./-]*?/{re.escape(asked)}", local if asked.endswith(".js") else local[:-3], html)
    html = f'<script src="{(scripts / "require.min.js").as_uri()}"></script>{html}'
    path = folder / "bertviz.html"
    path.write_text(f"<!doctype html><meta charset=utf-8><body>{html}</body>", encoding="utf-8")
    page = open_page(browser, path)
    page.locator("#left text").first.wait_for(timeout=60000)
    return page


def run(settings: Settings, bertviz: Path | None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        for work, heads, tokens, view, reach in SCRUBS:
            page = open_page(browser, widget(heads, tokens, FRAMES).save_html(folder / "view.html"))
            page.locator(".heatmap canvas").wait_for()
            found = scrub(page, view, 30 if settings.quick else 300)
            reached = found["frames_per_second"] >= 0.97 * reach  # a screen of 60 Hz shows 59.9
            rows.append({"work": work, "heads": heads, "tokens": tokens, "reach": reach, "reached": reached, **found})
            page.close()
        page = open_page(browser, widget(HOVER_HEADS, HOVER_TOKENS, 2).save_html(folder / "view.html"))
        page.locator(".heatmap canvas").wait_for()
        count = 5 if settings.quick else 60
        seconds = {"attnbook": hover(page, [("[role=grid]", 0)] * count, "pointermove")}
        page.locator("[data-control=view-lines]").click()
        page.locator(".lines text").first.wait_for()
        tokens_drawn = [(f".lines text[data-axis=row][data-index='{i}']", 0) for i in range(count)]
        seconds["attnbook, lines"] = hover(page, tokens_drawn, "pointerover")
        more: dict[str, Any] = {"browser": browser.version, "screen": "headless, drawn without a GPU, 60 Hz"}
        if bertviz is not None and importlib.util.find_spec("bertviz"):
            page = bertviz_page(browser, folder, bertviz)
            seconds["BertViz"] = hover(page, [("#left text", i) for i in range(3, 13)], "mouseover")
        rows.append(
            {
                "work": "hover",
                "heads": HOVER_HEADS,
                "tokens": HOVER_TOKENS,
                "reach": HOVER_REACH,
                "reached": seconds["attnbook"]["work_seconds"]["median"] < HOVER_REACH,
                "contestants": seconds,
            }
        )
        browser.close()
    return rows, more


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drawing", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few frames, to see that everything runs")
    parser.add_argument("--bertviz", type=Path, help="folder with the scripts that BertViz wants")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are written")
    options = parser.parse_args()
    settings = Settings(quick=options.quick)
    rows, more = run(settings, options.bertviz)
    command = "python -m benchmarks.drawing" + " --bertviz FOLDER" * (options.bertviz is not None)
    path = write("drawing", settings, rows, folder=options.folder, command=command, **more)
    print(path.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
