"""One step of an attentional decoder whose wires the reader changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import traitlets

from attnbook._internal.validate import check_range
from attnbook.widgets.base import BaseWidget, bundle

WIDTH, HEIGHT = 100, 34  # of a box; the drawing is 400 by 330
# Upper left corner, symbol, what is lowered behind it, and colour.
BOXES = {
    "word": (10, 10, "y", "t−1", "ink"),
    "before": (150, 10, "s", "t−1", "query"),
    "fed": (290, 10, "s̃", "t−1", "ink"),
    "state": (150, 108, "s", "t", "query"),
    "weights": (290, 134, "α", "t", "weight"),
    "context": (290, 216, "c", "t", "value"),
    "readout": (150, 216, "s̃", "t", "ink"),
    "next": (150, 286, "y", "t", "ink"),
}
CHOICES = {
    "asks": ("early", "late"),
    "readout": ("state", "maxout"),
    "feeding": ("no", "yes"),
    "trace": ("word", "fed"),
}
LATEX = {"s̃": r"\tilde{s}", "α": r"\alpha"}
# From, to, colour, corners, and the choice that the wire is there for.
WIRES: tuple[tuple[str, str, str, list[list[int]], dict[str, str]], ...] = (
    ("word", "state", "ink", [[80, 44], [170, 108]], {}),
    ("before", "state", "ink", [[200, 44], [200, 108]], {}),
    ("fed", "state", "ink", [[320, 44], [230, 108]], {"feeding": "yes"}),
    ("before", "weights", "query", [[250, 27], [270, 27], [270, 146], [290, 146]], {"asks": "early"}),
    ("state", "weights", "query", [[250, 125], [258, 125], [258, 156], [290, 156]], {"asks": "late"}),
    ("weights", "context", "value", [[340, 168], [340, 216]], {}),
    ("context", "readout", "value", [[290, 233], [250, 233]], {}),
    ("state", "readout", "ink", [[200, 142], [200, 216]], {}),
    ("word", "readout", "ink", [[40, 44], [40, 233], [150, 233]], {"readout": "maxout"}),
    ("readout", "next", "ink", [[200, 250], [200, 286]], {}),
)


class WiringView(BaseWidget):
    """The boxes of one decoder step. Switches choose which state asks, what is written from, and whether the read-out
    is fed to the next step; everything that the last word, or the last read-out, reaches is drawn strongly.

    Args:
        asks: "early", with the state before the step, or "late", with the state after it.
        readout: "state", of context and state, or "maxout", of the last word too.
        feeding: "yes" or "no".
        trace: "word" or "fed", what is followed.

    Raises:
        ValueError: another choice.
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
            alt=f"One step of a decoder, drawn; the state {'before' if asks == 'early' else 'after'} it asks.",
        )

    def draw(self, axes: Any) -> None:
        chosen = {name: getattr(self, name) for name in CHOICES}
        reached = reached_from(self.trace, chosen)
        for start, _, _, corners, when in WIRES:
            if when.items() <= chosen.items():
                *_, before, last = corners
                axes.plot(*zip(*corners, strict=True), color="C0", linewidth=2.5 if start in reached else 1)
                axes.annotate("", xy=last, xytext=before, arrowprops={"arrowstyle": "->", "color": "C0"})
        for name, (x, y, symbol, low, _) in BOXES.items():
            text = f"${LATEX.get(symbol, symbol)}_{{{low}}}$"
            style = {"boxstyle": "round", "facecolor": "0.85" if name in reached else "white"}
            axes.text(x + WIDTH / 2, y + HEIGHT / 2, text, ha="center", va="center", bbox=style)
        axes.set(xlim=(0, 400), ylim=(330, 0))
        axes.set_axis_off()


def reached_from(name: str, chosen: Mapping[str, str]) -> set[str]:
    """The boxes that a box has an influence on, itself included."""
    reached = {name}
    for start, end, _, _, when in WIRES:  # in the order of computation: one pass finds all
        if start in reached and when.items() <= chosen.items():
            reached.add(end)
    return reached
