r"""Schematic drawings: plain SVG from a few small parts, in the book's colours.

A drawing is a function of a file in ``book/diagrams``; it is called twice, for wide pages and for phones::

    def draw(narrow: bool) -> Drawing:
        d = Drawing(320 if narrow else 640, 120)
        query = d.box(10, 40, 90, 36, "query *q*", role="query")
        key = d.box(190, 40, 90, 36, "key *k*_i", role="key")
        d.arrow(query.right, key.left, "compare")
        return d

Lengths are pixels of the page. In texts ``*q*`` is set in italics, and what follows ``_`` is lowered: one character, or
what stands in braces. Colours are variables of the style sheet, so that a drawing follows the page's theme.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from attnbook.pages.colours import COLOURS

Point = tuple[float, float]
LEAST = 11  # pixels of a letter
PHONE = 328  # pixels for a drawing on a screen that is 360 wide
HEAD = 7.0  # length of an arrow's head
MARKUP = re.compile(r"\*(?P<italic>[^*]+)\*|_\{(?P<low>[^}]+)\}|_(?P<letter>\w)")
VARIABLE = re.compile(r"var\(--book-(\w+)\)")


@dataclass(frozen=True)
class Box:
    """Where something was drawn, and the middles of its sides, for arrows."""

    x: float
    y: float
    width: float
    height: float

    @property
    def left(self) -> Point:
        return self.x, self.y + self.height / 2

    @property
    def right(self) -> Point:
        return self.x + self.width, self.y + self.height / 2

    @property
    def top(self) -> Point:
        return self.x + self.width / 2, self.y

    @property
    def bottom(self) -> Point:
        return self.x + self.width / 2, self.y + self.height

    @property
    def center(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2


def paint(role: str) -> str:
    """The colour of a role, as the style sheet knows it.

    Raises:
        ValueError: there is no such colour.
    """
    if role not in COLOURS["light"]:
        raise ValueError(f"role must be one of {sorted(COLOURS['light'])}, got {role!r}")
    return f"var(--book-{role})"


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def letters_wide(text: str, size: float) -> float:
    """About how wide a text will be."""
    plain = MARKUP.sub(lambda match: match["italic"] or match["low"] or match["letter"], text)
    return sum(size * (1.0 if ord(letter) > 0x2E80 else 0.56) for letter in plain)


class Drawing:
    """A drawing of ``width`` by ``height`` pixels; parts are drawn over those before them."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[str] = []

    def _add(self, name: str, inner: str = "", **attributes: str | float | None) -> None:
        said = "".join(
            f' {key.replace("_", "-")}="{escape(number(value) if isinstance(value, int | float) else value)}"'
            for key, value in attributes.items()
            if value is not None
        )
        self._parts.append(f"<{name}{said}>{inner}</{name}>" if inner else f"<{name}{said}/>")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        role: str = "ink",
        anchor: str = "middle",
        size: float = 14,
        bold: bool = False,
    ) -> None:
        """Words whose middle line is at ``y``; ``anchor`` says what ``x`` is: ``start``, ``middle`` or ``end``.

        Raises:
            ValueError: the letters are too small to be read.
        """
        if size < LEAST:
            raise ValueError(f"size must be >= {LEAST}, got {size}")
        weight = "600" if bold else None
        self._add("text", _spans(text, size), x=x, y=y, dy="0.35em", fill=paint(role), text_anchor=anchor,
                  font_size=size, font_weight=weight)  # fmt: skip

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        text: str = "",
        *,
        role: str = "line",
        strength: float = 0.12,
        dashed: bool = False,
        size: float = 14,
    ) -> Box:
        """A box with words in its middle, lines parted by line feeds; ``strength``: how much of its colour fills it."""
        self._add("rect", x=x, y=y, width=width, height=height, rx=5, fill=paint(role), fill_opacity=f"{strength:.2f}",
                  stroke=paint(role), stroke_width=1.5, stroke_dasharray="5 4" if dashed else None)  # fmt: skip
        lines = text.split("\n") if text else []
        for row, line in enumerate(lines):
            self.text(x + width / 2, y + height / 2 + (row - (len(lines) - 1) / 2) * size * 1.25, line, size=size)
        return Box(x, y, width, height)

    def line(self, start: Point, end: Point, *, role: str = "line", width: float = 1.5, dashed: bool = False) -> None:
        self._add("path", d=f"M{_at(start)}L{_at(end)}", stroke=paint(role), stroke_width=width, fill="none",
                  stroke_dasharray="5 4" if dashed else None)  # fmt: skip

    def arrow(
        self,
        start: Point,
        end: Point,
        text: str = "",
        *,
        role: str = "muted",
        bend: float = 0.0,
        width: float = 1.5,
        dashed: bool = False,
        size: float = 13,
    ) -> None:
        """An arrow; ``bend`` is how many pixels its middle lies to the left of the straight way."""
        (x0, y0), (x1, y1) = start, end
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        side = ((y1 - y0) / length, -(x1 - x0) / length)
        knee = ((x0 + x1) / 2 + 2 * bend * side[0], (y0 + y1) / 2 + 2 * bend * side[1])
        angle = math.atan2(y1 - knee[1], x1 - knee[0])
        neck = (x1 - HEAD * math.cos(angle), y1 - HEAD * math.sin(angle))
        self._add("path", d=f"M{_at(start)}Q{_at(knee)} {_at(neck)}", stroke=paint(role), stroke_width=width,
                  fill="none", stroke_dasharray="5 4" if dashed else None)  # fmt: skip
        wings = [
            (neck[0] + s * 0.5 * HEAD * math.sin(angle), neck[1] - s * 0.5 * HEAD * math.cos(angle)) for s in (1, -1)
        ]
        self._add("path", d=f"M{_at(end)}L{_at(wings[0])}L{_at(wings[1])}Z", fill=paint(role))
        if text:
            middle = ((x0 + x1) / 2 + bend * side[0], (y0 + y1) / 2 + bend * side[1])
            steep = abs(y1 - y0) > abs(x1 - x0)
            self.text(middle[0] + 6 * steep, middle[1] - 11 * (not steep), text, role="muted", size=size,
                      anchor="start" if steep else "middle")  # fmt: skip

    def tokens(
        self, x: float, y: float, words: Sequence[str], *, role: str = "line", gap: float = 8, height: float = 30,
        width: float | None = None, size: float = 14,
    ) -> list[Box]:  # fmt: skip
        """A row of words in boxes, each as wide as its word, or all of one width."""
        boxes = []
        for word in words:
            wide = width or letters_wide(word, size) + 16
            boxes.append(self.box(x, y, wide, height, word, role=role, size=size))
            x += wide + gap
        return boxes

    def vector(self, x: float, y: float, values: Sequence[float], *, role: str, cell: float = 18) -> Box:
        """A column of cells, the fuller the larger the number in [0, 1]."""
        return self.matrix(x, y, [[value] for value in values], role=role, cell=cell)

    def matrix(
        self, x: float, y: float, rows: Sequence[Sequence[float]], *, role: str = "weight", cell: float = 22,
        numbers: bool = False,
    ) -> Box:  # fmt: skip
        """Cells filled by their numbers in [0, 1], which ``numbers`` also writes into them."""
        wide = 2 * cell if numbers else cell
        for i, row in enumerate(rows):
            for j, value in enumerate(row):
                self._add("rect", x=x + j * wide, y=y + i * cell, width=wide, height=cell, fill=paint(role),
                          fill_opacity=f"{0.85 * min(max(value, 0), 1) * (0.5 if numbers else 1):.3f}",
                          stroke=paint(role), stroke_width=1)  # fmt: skip
                if numbers:
                    self.text(x + (j + 0.5) * wide, y + (i + 0.5) * cell, f"{value:.2f}", size=12)
        return Box(x, y, wide * max(map(len, rows)), cell * len(rows))

    def bars(
        self, x: float, y: float, values: Sequence[float], *, role: str = "weight", width: float = 24, gap: float = 8,
        height: float = 60,
    ) -> list[Box]:  # fmt: skip
        """Bars that stand on the line ``y``; a value of 1 is ``height`` high, a negative one hangs down."""
        boxes = []
        for value in values:
            high = abs(value) * height
            top = y - high if value >= 0 else y
            self._add("rect", x=x, y=top, width=width, height=max(high, 0.5), fill=paint(role))
            boxes.append(Box(x, top, width, high))
            x += width + gap
        return boxes

    def brace(self, start: Point, end: Point, text: str = "", *, role: str = "muted", size: float = 13) -> None:
        """A bracket under a row, from left to right, or next to a column, from top to bottom, with words after it."""
        (x0, y0), (x1, y1) = start, end
        if abs(y1 - y0) > abs(x1 - x0):
            path, place, anchor = f"M{_at(start)}h6V{number(y1)}h-6", (x0 + 13, (y0 + y1) / 2), "start"
        else:
            path, place, anchor = f"M{_at(start)}v6H{number(x1)}v-6", ((x0 + x1) / 2, y0 + 18), "middle"
        self._add("path", d=path, stroke=paint(role), stroke_width=1.5, fill="none")
        if text:
            self.text(*place, text, role="muted", size=size, anchor=anchor)

    def curve(self, points: Sequence[Point], *, role: str = "ink", width: float = 2, dashed: bool = False) -> None:
        """Straight pieces from point to point."""
        self._add("path", d="M" + "L".join(map(_at, points)), stroke=paint(role), stroke_width=width, fill="none",
                  stroke_linejoin="round", stroke_dasharray="5 4" if dashed else None)  # fmt: skip

    def dot(self, x: float, y: float, *, role: str = "ink", radius: float = 4) -> None:
        self._add("circle", cx=x, cy=y, r=radius, fill=paint(role))

    def svg(self, alt: str, *, classes: str = "") -> str:
        """The drawing for a page, in the colours of its style sheet."""
        w, h = number(self.width), number(self.height)
        return (
            f'<svg class="{escape(classes)}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(alt)}" '
            f'width="{w}" height="{h}" viewBox="0 0 {w} {h}">{"".join(self._parts)}</svg>'
        )

    def alone(self, alt: str, theme: str = "light") -> str:
        """The drawing as a file of its own, on a ground of its own."""
        svg = VARIABLE.sub(lambda match: COLOURS[theme][match[1]], self.svg(alt))
        ground = f'<rect width="100%" height="100%" fill="{COLOURS[theme]["paper"]}"/>'
        return svg.replace(">", f' font-family="DejaVu Sans, sans-serif">{ground}', 1)


def _at(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _spans(text: str, size: float) -> str:
    """A text with italics and lowered letters."""
    spans, done = [], 0
    for match in MARKUP.finditer(text):
        spans.append(escape(text[done : match.start()]))
        done = match.end()
        if match["italic"]:
            spans.append(f'<tspan font-style="italic">{escape(match["italic"])}</tspan>')
        else:
            low, drop = escape(match["low"] or match["letter"]), number(0.22 * size)
            spans.append(f'<tspan dy="{drop}" font-size="{number(max(LEAST, 0.78 * size))}">{low}</tspan>')
            spans.append(f'<tspan dy="-{drop}">&#8203;</tspan>')  # back to the line
    return "".join([*spans, escape(text[done:])])
