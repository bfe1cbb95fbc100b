"""One step of a decoder with attention, whose connections the reader changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import traitlets

from attnbook._internal.validate import check_range
from attnbook.widgets.base import BaseWidget, bundle

WIDTH, HEIGHT = 100, 46  # of a box; the drawing is 440 by 330
# Upper left corner, symbol, subscript, color, and the word for it.
BOXES = {
    "word": (10, 6, "y", "t−1", "ink", "la"),
    "before": (170, 6, "s", "t−1", "query", "state"),
    "fed": (330, 6, "s̃", "t−1", "ink", "read-out"),
    "state": (170, 100, "s", "t", "query", "state"),
    "weights": (330, 124, "α", "t", "weight", "weights"),
    "context": (330, 206, "c", "t", "value", "context"),
    "readout": (170, 206, "s̃", "t", "ink", "read-out"),
    "next": (170, 280, "y", "t", "ink", "voiture"),
}
CHOICES = {
    "asks": ("early", "late"),
    "readout": ("state", "maxout"),
    "feeding": ("no", "yes"),
    "trace": ("word", "before", "fed"),
}
LATEX = {"s̃": r"\tilde{s}", "α": r"\alpha"}
# Start, end, color, corners, and the choice with which the wire is drawn.
WIRES: tuple[tuple[str, str, str, list[list[int]], dict[str, str]], ...] = (
    ("word", "state", "ink", [[85, 52], [190, 100]], {}),
    ("before", "state", "ink", [[220, 52], [220, 100]], {}),
    ("fed", "state", "ink", [[355, 52], [250, 100]], {"feeding": "yes"}),
    ("before", "weights", "query", [[270, 29], [302, 29], [302, 138], [330, 138]], {"asks": "early"}),
    ("state", "weights", "query", [[270, 123], [286, 123], [286, 156], [330, 156]], {"asks": "late"}),
    ("weights", "context", "value", [[380, 170], [380, 206]], {}),
    ("context", "readout", "value", [[330, 229], [270, 229]], {}),
    ("state", "readout", "ink", [[220, 146], [220, 206]], {}),
    ("word", "readout", "ink", [[35, 52], [35, 229], [170, 229]], {"readout": "maxout"}),
    ("readout", "next", "ink", [[220, 252], [220, 280]], {}),
)


class WiringView(BaseWidget):
    """The boxes and wires of one decoder step, which writes *voiture* after *la*.

    The reader chooses which state is the query, what the read-out uses, and whether the read-out is fed to the next
    step, with a control or by pressing a wire. Everything that the traced box influences is highlighted.

    Args:
        asks: the state that is the query: "early", before the step, or "late", after it.
        readout: inputs of the read-out: "state", context and state, or "maxout", also the last word.
        feeding: whether the read-out is fed to the next step, "yes" or "no".
        trace: the box whose influence is shown, "word", "before" or "fed".

    Raises:
        ValueError: a choice is unknown.
    """

    _esm = bundle("wiring_view")
    asks = traitlets.Unicode().tag(sync=True)
    readout = traitlets.Unicode().tag(sync=True)
    feeding = traitlets.Unicode().tag(sync=True)
    trace = traitlets.Unicode().tag(sync=True)
    boxes = traitlets.Dict().tag(sync=True)
    wires = traitlets.List(traitlets.List()).tag(sync=True)

    def __init__(self, *, asks: str = "late", readout: str = "state", feeding: str = "no", trace: str = "word") -> None:
        chosen = {"asks": asks, "readout": readout, "feeding": feeding, "trace": trace}
        for name, value in chosen.items():
            check_range(name, value, value in CHOICES[name], f"one of {list(CHOICES[name])}")
        super().__init__(
            **chosen,
            boxes={name: list(box) for name, box in BOXES.items()},
            wires=[list(wire) for wire in WIRES],
            alt=f"A decoder step: boxes and wires. Its query is the {'previous' if asks == 'early' else 'new'} state.",
        )

    def draw(self, axes: Any) -> None:
        chosen = {name: getattr(self, name) for name in CHOICES}
        reached = reached_from(self.trace, chosen)
        for start, _, _, corners, when in WIRES:
            if when.items() <= chosen.items():
                *_, before, last = corners
                axes.plot(*zip(*corners, strict=True), color="C0", linewidth=2.5 if start in reached else 1)
                axes.annotate("", xy=last, xytext=before, arrowprops={"arrowstyle": "->", "color": "C0"})
        for name, (x, y, symbol, low, _, word) in BOXES.items():
            text = f"${LATEX.get(symbol, symbol)}_{{{low}}}$ {word}"
            style = {"boxstyle": "round", "facecolor": "0.85" if name in reached else "white"}
            axes.text(x + WIDTH / 2, y + HEIGHT / 2, text, ha="center", va="center", bbox=style)
        axes.set(xlim=(0, 440), ylim=(330, 0))
        axes.set_axis_off()


def reached_from(name: str, chosen: Mapping[str, str]) -> set[str]:
    """The boxes that a box influences, including itself."""
    reached = {name}
    for start, end, _, _, when in WIRES:  # in the order of computation: one pass finds all
        if start in reached and when.items() <= chosen.items():
            reached.add(end)
    return reached
