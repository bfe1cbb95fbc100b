r"""Draw diagrams as plain SVG, from a few basic shapes in the book's colors.

Each file in ``book/diagrams`` has a function ``draw``, which is called twice, for wide pages and for phones::

    def draw(narrow: bool) -> Drawing:
        d = Drawing(320 if narrow else 640, 120)
        query = d.box(10, 40, 90, 36, "query *q*", role="query")
        key = d.box(190, 40, 90, 36, "key *k*_i", role="key")
        d.arrow(query.right, key.left, "compare")
        return d

Lengths are CSS pixels. In texts ``*q*`` is set in italics, and ``_`` makes the next character, or the text in braces, a
subscript. Colors are CSS variables, so that a drawing follows the page's theme.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from attnbook.pages.colors import COLORS

Point = tuple[float, float]
MIN_FONT_SIZE = 11  # pixels
PHONE = 328  # width of a drawing on a screen of 360 pixels
ARROW_HEAD = 7.0  # length of an arrow's head
MARKUP = re.compile(r"\*(?P<italic>[^*]+)\*|_\{(?P<low>[^}]+)\}|_(?P<letter>\w)")
VARIABLE = re.compile(r"var\(--book-(\w+)\)")


@dataclass(frozen=True)
class Box:
    """The bounding box of a shape, with the midpoints of its sides as end points for arrows."""

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
    """The CSS variable with the color of a role.

    Raises:
        ValueError: no color has this name.
    """
    if role not in COLORS["light"]:
        raise ValueError(f"role must be one of {sorted(COLORS['light'])}, got {role!r}")
    return f"var(--book-{role})"


def number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def text_width(text: str, size: float) -> float:
    """The approximate width of a text, in pixels."""
    plain = MARKUP.sub(lambda match: match["italic"] or match["low"] or match["letter"], text)
    return sum(size * (1.0 if ord(letter) > 0x2E80 else 0.56) for letter in plain)


class Drawing:
    """A drawing of ``width`` by ``height`` pixels; later shapes are drawn over earlier ones."""

    def __init__(self, width: float, height: float) -> None:
        self.width = width
        self.height = height
        self._parts: list[str] = []

    def _add(self, name: str, inner: str = "", **attributes: str | float | None) -> None:
        written = "".join(
            f' {key.replace("_", "-")}="{escape(number(value) if isinstance(value, int | float) else value)}"'
            for key, value in attributes.items()
            if value is not None
        )
        self._parts.append(f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>")

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
        """Draw text, vertically centered at ``y``; ``x`` is its ``start``, ``middle`` or ``end``, as ``anchor`` says.

        Raises:
            ValueError: the font size is too small to read.
        """
        if size < MIN_FONT_SIZE:
            raise ValueError(f"size must be >= {MIN_FONT_SIZE}, got {size}")
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
        """Draw a box with centered text, which may have several lines; ``strength`` is the opacity of the fill."""
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
        """Draw an arrow; ``bend`` moves its middle to the left of the straight line, in pixels."""
        (x0, y0), (x1, y1) = start, end
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        side = ((y1 - y0) / length, -(x1 - x0) / length)
        knee = ((x0 + x1) / 2 + 2 * bend * side[0], (y0 + y1) / 2 + 2 * bend * side[1])
        angle = math.atan2(y1 - knee[1], x1 - knee[0])
        neck = (x1 - ARROW_HEAD * math.cos(angle), y1 - ARROW_HEAD * math.sin(angle))
        self._add("path", d=f"M{_at(start)}Q{_at(knee)} {_at(neck)}", stroke=paint(role), stroke_width=width,
                  fill="none", stroke_dasharray="5 4" if dashed else None)  # fmt: skip
        wings = [
            (neck[0] + s * 0.5 * ARROW_HEAD * math.sin(angle), neck[1] - s * 0.5 * ARROW_HEAD * math.cos(angle))
            for s in (1, -1)
        ]
        self._add("path", d=f"M{_at(end)}L{_at(wings[0])}L{_at(wings[1])}Z", fill=paint(role))
        if text:
            middle = ((x0 + x1) / 2 + bend * side[0], (y0 + y1) / 2 + bend * side[1])
            steep = abs(y1 - y0) > abs(x1 - x0)
            # More for a slanted arrow, which comes nearer to the letters.
            aside = 6 * (1 + abs(x1 - x0) / abs(y1 - y0)) if steep else 0
            self.text(middle[0] + aside, middle[1] - 11 * (not steep), text, role="muted", size=size,
                      anchor="start" if steep else "middle")  # fmt: skip

    def tokens(
        self, x: float, y: float, words: Sequence[str], *, role: str = "line", gap: float = 8, height: float = 30,
        width: float | None = None, size: float = 14,
    ) -> list[Box]:  # fmt: skip
        """Draw a row of words in boxes; each box fits its word unless ``width`` is given."""
        boxes = []
        for word in words:
            wide = width or text_width(word, size) + 16
            boxes.append(self.box(x, y, wide, height, word, role=role, size=size))
            x += wide + gap
        return boxes

    def vector(self, x: float, y: float, values: Sequence[float], *, role: str, cell: float = 18) -> Box:
        """Draw a column of cells; a larger number in [0, 1] gives a stronger fill."""
        return self.matrix(x, y, [[value] for value in values], role=role, cell=cell)

    def matrix(
        self, x: float, y: float, rows: Sequence[Sequence[float]], *, role: str = "weight", cell: float = 22,
        numbers: bool = False,
    ) -> Box:  # fmt: skip
        """Draw a matrix of numbers in [0, 1] as shaded cells; ``numbers`` also prints each number."""
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
        """Draw bars on the baseline ``y``; a value of 1 is ``height`` pixels high, a negative bar points down."""
        boxes = []
        for value in values:
            high = abs(value) * height
            top = y - high if value >= 0 else y
            self._add("rect", x=x, y=top, width=width, height=max(high, 0.5), fill=paint(role))
            boxes.append(Box(x, top, width, high))
            x += width + gap
        return boxes

    def brace(self, start: Point, end: Point, text: str = "", *, role: str = "muted", size: float = 13) -> None:
        """Draw a bracket below a row (left to right) or to the right of a column (top to bottom), with a label."""
        (x0, y0), (x1, y1) = start, end
        if abs(y1 - y0) > abs(x1 - x0):
            path, place, anchor = f"M{_at(start)}h6V{number(y1)}h-6", (x0 + 13, (y0 + y1) / 2), "start"
        else:
            path, place, anchor = f"M{_at(start)}v6H{number(x1)}v-6", ((x0 + x1) / 2, y0 + 18), "middle"
        self._add("path", d=path, stroke=paint(role), stroke_width=1.5, fill="none")
        if text:
            self.text(*place, text, role="muted", size=size, anchor=anchor)

    def curve(self, points: Sequence[Point], *, role: str = "ink", width: float = 2, dashed: bool = False) -> None:
        """Draw a line through the points."""
        self._add("path", d="M" + "L".join(map(_at, points)), stroke=paint(role), stroke_width=width, fill="none",
                  stroke_linejoin="round", stroke_dasharray="5 4" if dashed else None)  # fmt: skip

    def dot(self, x: float, y: float, *, role: str = "ink", radius: float = 4) -> None:
        self._add("circle", cx=x, cy=y, r=radius, fill=paint(role))

    def svg(self, alt: str, *, classes: str = "") -> str:
        """The drawing as SVG for a page, whose style sheet defines the colors."""
        w, h = number(self.width), number(self.height)
        return (
            f'<svg class="{escape(classes)}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(alt)}" '
            f'width="{w}" height="{h}" viewBox="0 0 {w} {h}">{"".join(self._parts)}</svg>'
        )

    def alone(self, alt: str, theme: str = "light") -> str:
        """The drawing as a standalone SVG file, with fixed colors and a background."""
        svg = VARIABLE.sub(lambda match: COLORS[theme][match[1]], self.svg(alt))
        background = f'<rect width="100%" height="100%" fill="{COLORS[theme]["paper"]}"/>'
        return svg.replace(">", f' font-family="DejaVu Sans, sans-serif">{background}', 1)


def _at(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _spans(text: str, size: float) -> str:
    """The SVG of a text with italics and subscripts."""
    spans, done = [], 0
    for match in MARKUP.finditer(text):
        spans.append(escape(text[done : match.start()]))
        done = match.end()
        if match["italic"]:
            spans.append(f'<tspan font-style="italic">{escape(match["italic"])}</tspan>')
        else:
            low, drop = escape(match["low"] or match["letter"]), number(0.22 * size)
            spans.append(f'<tspan dy="{drop}" font-size="{number(max(MIN_FONT_SIZE, 0.78 * size))}">{low}</tspan>')
            spans.append(f'<tspan dy="-{drop}">&#8203;</tspan>')  # back to the baseline
    return "".join([*spans, escape(text[done:])])
