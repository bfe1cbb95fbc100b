"""Attention views with known weights, and helpers that read what they draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from attnbook.widgets.attention_map import AttentionMap
from attnbook.widgets.base import bundle
from attnbook.widgets.encoding import Frame, quantize
from attnbook.widgets.head_metrics import HeadMetrics
from attnbook.widgets.layout import Kind, Layout, Sentence

JAVASCRIPT = bundle("attention_view").read_text(encoding="utf-8")
STEPS = [0, 10, 25, 40, 60, 100, 150, 200]
LAST = len(STEPS) - 1
SOURCES = [("the", "red", "house", "is", "old", "."), ("a", "cat", "sleeps")]
TARGETS = [("la", "maison", "rouge", "est", "vieille", ".", "<eos>"), ("un", "chat", "dort", "<eos>")]
GOLD = [frozenset({(0, 0), (2, 1), (1, 2), (3, 3), (4, 4), (5, 5)}), frozenset({(0, 0), (1, 1), (2, 2)})]
CROSS, ENCODER, DECODER = range(3)


@dataclass
class Sample:
    """A widget and the exact weights ``weights[step index][layer name]``, each ``(batch, heads, queries, keys)``."""

    widget: AttentionMap
    weights: list[dict[str, torch.Tensor]]
    loss: list[float]

    def matrix(self, at: int, kind: int, sentence: int, layer: int, head: int | str) -> np.ndarray:
        """The expected weights of a selection."""
        of = self.widget.frame_layout.kinds[kind]
        axes = self.widget.frame_layout.sentences[sentence].axes
        rows, columns = len(axes[of.query]), len(axes[of.key])
        heads = self.weights[at][of.layers[layer]][sentence, :, :rows, :columns]
        shown = heads.mean(0) if head == "mean" else heads.amax(0) if head == "max" else heads[int(head)]
        return np.asarray(shown)

    def write(self, folder: Path, name: str = "view.html") -> Path:
        return self.widget.save_html(folder / name)


def softmax(generator: torch.Generator, at: float, lengths: Sequence[tuple[int, int]], heads: int) -> torch.Tensor:
    rows, columns = (max(side) for side in zip(*lengths, strict=True))
    scores = torch.randn(len(lengths), heads, rows, columns, generator=generator) * (0.3 + 3 * at)
    for i, (_, keys) in enumerate(lengths):
        scores[i, ..., keys:] = -torch.inf
    return scores.softmax(-1)


def sample(title: str = "Sample", steps: Sequence[int] = STEPS) -> Sample:
    """Three kinds, two layers, three heads, two sentences, over some steps."""
    sentences = tuple(
        Sentence(" ".join(s), {"source": s, "target_in": ("<bos>", *t[:-1]), "target_out": t}, gold)
        for s, t, gold in zip(SOURCES, TARGETS, GOLD, strict=True)
    )
    kinds = (
        Kind("cross-attention", "target_out", "source", ("c0", "c1"), 3, gold=True),
        Kind("encoder self-attention", "source", "source", ("e0", "e1"), 3),
        Kind("decoder self-attention", "target_in", "target_in", ("d0", "d1"), 3),
    )
    layout = Layout(kinds, sentences)
    widget = AttentionMap(layout, title=title)
    measures = HeadMetrics(layout)
    weights, losses = [], []
    for i, step in enumerate(steps):
        generator = torch.Generator().manual_seed(i)
        frame = {
            name: softmax(
                generator,
                step / 200,
                [(len(s.axes[kind.query]), len(s.axes[kind.key])) for s in sentences],
                kind.heads,
            )
            for kind in kinds
            for name in kind.layers
        }
        weights.append(frame)
        widget.frame_log.add(Frame(step, quantize(layout.pack(frame)).numpy(), measures(frame).numpy()))
    for step in range(1, steps[-1] + 1):
        losses.append(3 * 0.98**step)
        widget.series.add(step, {"loss": losses[-1], "lr": 0.001 * step})
    widget.flush(
        {"step": steps[-1], "total": steps[-1], "seconds": 12.0, "tokens_per_second": 5400.0, "done": True}, final=True
    )
    return Sample(widget, weights, losses)


def control(page: Any, name: str) -> Any:
    return page.locator(f"[data-control={name}]")


def choose(page: Any, name: str, value: str) -> None:
    """Select the option with this value and wait until it is drawn; Playwright alone would match its text first."""
    select = control(page, name)
    values = select.evaluate("select => [...select.options].map(option => option.value)")
    select.select_option(index=values.index(value))
    settle(page)


def settle(page: Any) -> None:
    """Wait until the widget has drawn all changes."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done())))")


def to_the_end(page: Any) -> Any:
    """Wait until the widget is drawn and shows the last step; return the page."""
    page.wait_for_selector("[data-attnbook-mounted=yes]")
    page.wait_for_selector(".heatmap canvas")
    settle(page)
    if page.locator(".transport").is_visible():
        page.get_by_label("Training step", exact=True).press("End")
        page.evaluate("document.activeElement.blur()")
        settle(page)
    return page


def shown(open_page: Callable[..., Any], path: Path) -> Iterator[Any]:
    """Fixture body: a page whose widget is drawn at the last step; fails if the page made requests or errors."""
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


def open_more(page: Any) -> None:
    page.locator("details.more").evaluate("node => { node.open = true }")


def colors(page: Any, canvas: str = ".heatmap canvas", which: int = 0) -> np.ndarray:
    """The colors of the cells, ``(rows, columns, 3)``."""
    settle(page)
    image = (
        page.locator(canvas)
        .nth(which)
        .evaluate(
            """canvas => {
        const { width, height } = canvas;
        const copy = Object.assign(document.createElement("canvas"), { width, height });
        const context = copy.getContext("2d", { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        return [height, width, ...context.getImageData(0, 0, width, height).data];
        }"""
        )
    )
    rows, columns, *bytes_ = image
    return np.array(bytes_, dtype=np.uint8).reshape(rows, columns, 4)[..., :3]


def shades(page: Any, theme: str = "light", *, signed: bool = False) -> np.ndarray:
    """The colors of weights 0, 1/1023, ..., 1, or of differences from -1 to 1: ``(1024, 3)``."""
    code = "module => Array.from(new Uint8Array(module.shades(...argument).buffer))"
    table = call(page, code, [theme, signed])
    return np.array(table, dtype=np.uint8).reshape(-1, 4)[:, :3]


def call(page: Any, function: str, argument: Any = None) -> Any:
    """Call a function of the widget's module, in the page."""
    return page.evaluate(
        """async ({ esm, code, argument }) => {
        const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
        const module = await import(url);
        URL.revokeObjectURL(url);
        return await new Function("argument", `return (${code})`)(argument)(module);
        }""",
        {"esm": JAVASCRIPT, "code": function, "argument": argument},
    )


def assert_shows(
    page: Any,
    weights: np.ndarray,
    *,
    which: int = 0,
    theme: str = "light",
    top: float = 1.0,
    signed: bool = False,
    within: float = 0.005,
) -> None:
    """Assert that the heatmap has the colors of these weights or differences, to the stored precision."""
    drawn = colors(page, which=which).astype(int)
    assert drawn.shape[:2] == weights.shape
    table = shades(page, theme, signed=signed).astype(int)
    places = (weights + top) / (2 * top) if signed else weights / top
    reach = within / (2 * top if signed else top)
    low, high = (np.clip(np.round((places + error) * 1023), 0, 1023).astype(int) for error in (-reach, reach))
    for row, column in np.ndindex(*weights.shape):
        near = table[low[row, column] : high[row, column] + 1]
        assert (np.abs(near - drawn[row, column]).sum(1) <= 2).any(), (row, column, weights[row, column])
