"""A picture and a text for readers without JavaScript."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Sequence

import numpy as np

from attnbook.widgets.encoding import Frame, dequantize
from attnbook.widgets.layout import Layout

FONTS = ["DejaVu Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", "WenQuanYi Zen Hei"]
MOST_LABELS = 40


def last_layer(layout: Layout, frame: Frame) -> np.ndarray:
    """Average the heads of the last layer of the first kind, for the first sentence: ``(queries, keys)`` float32."""
    kind, sentence = layout.kinds[0], layout.sentences[0]
    rows, columns = len(sentence.axes[kind.query]), len(sentence.axes[kind.key])
    codes = frame.codes[: len(kind.layers) * kind.heads * rows * columns]
    weights: np.ndarray = dequantize(codes).reshape(len(kind.layers), kind.heads, rows, columns)[-1].mean(0)
    return weights


def draw_png(layout: Layout, frame: Frame) -> bytes:
    """Draw ``last_layer`` as a heatmap in a small PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    weights = last_layer(layout, frame)
    kind, sentence = layout.kinds[0], layout.sentences[0]
    rows, columns = weights.shape
    width = min(1.9 + 0.34 * columns, 9)
    height = min(1.5 + 0.34 * rows, 9)
    figure = Figure(figsize=(width, height), dpi=100, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    image = axes.imshow(weights, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axes.xaxis.tick_top()
    for axis, tokens, rotation in (
        (axes.xaxis, sentence.axes[kind.key], 55),
        (axes.yaxis, sentence.axes[kind.query], 0),
    ):
        shown = range(0, len(tokens), -(-len(tokens) // MOST_LABELS))
        labels = [_plain(tokens[i]) for i in shown]
        axis.set_ticks(list(shown), labels, rotation=rotation, family=FONTS, parse_math=False)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    figure.colorbar(image, ax=axes, shrink=0.8, label="weight")
    axes.set_xlabel(f"step {frame.step}: {kind.label}" if frame.step else kind.label)
    out = io.BytesIO()
    fonts_log = logging.getLogger("matplotlib.font_manager")
    level = fonts_log.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missing glyph is drawn as a box; the text table has the token
        fonts_log.setLevel(logging.ERROR)
        try:
            canvas.print_png(out, metadata={"Software": None})
        finally:
            fonts_log.setLevel(level)
    return with_palette(out.getvalue())


def with_palette(png: bytes) -> bytes:
    """Reduce a picture to 256 colors, which halves its size on a page; only antialiased edges have more colors."""
    from PIL import Image

    out = io.BytesIO()
    Image.open(io.BytesIO(png)).convert("RGB").quantize(256).save(out, "PNG", optimize=True)
    return out.getvalue()


def text_table(layout: Layout, frame: Frame) -> str:
    """Describe ``last_layer`` as text: for each row the tokens with the largest weights."""
    kind, sentence = layout.kinds[0], layout.sentences[0]
    weights = last_layer(layout, frame)
    queries, keys = ([_plain(token) for token in sentence.axes[axis]] for axis in (kind.query, kind.key))
    width = max(map(len, queries))
    lines = [f"{kind.label}, mean over the heads of {kind.layers[-1]}, step {frame.step}"]
    for query, row in zip(queries, weights, strict=True):
        best: Sequence[int] = np.argsort(-row, kind="stable")[:3].tolist()
        lines.append(f"{query:>{width}}  " + "  ".join(f"{keys[j]} {row[j]:.2f}" for j in best if row[j] >= 0.005))
    return "\n".join(lines)


def _plain(token: str) -> str:
    """Shorten a token, and replace characters that break a line or reverse its direction."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in token[:24])
    return shown + "…" if len(token) > 24 else shown
