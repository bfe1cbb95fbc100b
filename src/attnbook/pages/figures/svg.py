"""Render a Matplotlib figure as SVG, for wide screens and for narrow ones.

In a notebook a figure is unchanged. While a page of the book is built (the environment variable ``ATTNBOOK_PAGE`` is
set), a displayed figure becomes two drawings, which the module ``sphinx`` puts on the page.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
from IPython.core.formatters import JSONFormatter
from IPython.core.getipython import get_ipython
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.gridspec import GridSpec
from traitlets import ObjectName, Unicode

BUILDING = "ATTNBOOK_PAGE"
MIME = "application/vnd.attnbook.figure+json"
PIXELS = 100  # pixels on the page per inch of a figure
NARROW = 4.0  # inches; a phone shows them 294 to 328 pixels wide, and letters of 11 points are 11.2 pixels high
RASTER = 2 * PIXELS  # dots per inch of bitmaps in a figure
ROOT = re.compile(r'.*?<svg [^>]*?width="(?P<width>[\d.]+)pt" height="(?P<height>[\d.]+)pt"', re.S)


class PageFigures(JSONFormatter):  # type: ignore[misc]
    """The formatter that IPython uses for a figure on a page."""

    format_type = Unicode(MIME)
    print_method = ObjectName("_attnbook_figure_")


def show_on_pages() -> None:
    """While a page of the book is built, display figures as SVG; otherwise change nothing."""
    shell = get_ipython()  # type: ignore[no-untyped-call]
    if shell is None or BUILDING not in os.environ:
        return
    from matplotlib_inline.backend_inline import set_matplotlib_formats

    set_matplotlib_formats()  # no additional bitmap
    shown: Any = shell.display_formatter
    formatter = PageFigures(parent=shown)
    formatter.for_type(Figure, drawings)
    shown.formatters[MIME] = formatter


def drawings(figure: Figure) -> dict[str, str]:
    """Render a figure as SVG: ``wide``, and also ``narrow`` if it is wider than a phone."""
    wide = as_svg(figure)
    if figure.get_figwidth() <= NARROW:
        return {"wide": wide}
    with narrowed(figure):
        return {"wide": wide, "narrow": as_svg(figure)}


def as_svg(figure: Figure) -> str:
    """Render a figure as SVG, with a transparent background and text as outlines, independent of installed fonts."""
    written = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "path", "svg.hashsalt": "attnbook"}):
        figure.savefig(
            written,
            format="svg",
            dpi=RASTER,
            transparent=True,
            bbox_inches="tight",
            pad_inches=0.04,
            metadata={"Date": None, "Creator": None, "Format": None, "Type": None},
        )
    return ROOT.sub(_sized, written.getvalue(), count=1)


def _sized(match: re.Match[str]) -> str:
    width, height = (round(float(match[side]) / 72 * PIXELS) for side in ("width", "height"))
    return f'<svg xmlns:xlink="http://www.w3.org/1999/xlink" width="{width}" height="{height}"'


@contextmanager
def narrowed(figure: Figure) -> Iterator[None]:
    """Make the figure as wide as a phone and rearrange its panels; restore it on exit."""
    width, height = figure.get_size_inches()
    panels: list[Any] = [axes for axes in figure.axes if axes.get_subplotspec() is not None]
    places = [axes.get_subplotspec() for axes in panels]
    rows, columns = _rearranged(panels, width) if len(panels) > 1 else (0, 0)
    before = places[0].get_gridspec().nrows if places else 1
    figure.set_size_inches(NARROW, height * rows / before if rows else height)
    labeled = []  # panels that no longer share the tick labels of a neighbor on the left
    if rows:
        grid = GridSpec(rows, columns, figure=figure)
        for number, axes in enumerate(sorted(panels, key=lambda axes: axes.get_subplotspec().num1)):
            axes.set_subplotspec(grid[number // columns, number % columns])
            if number % columns == 0 and not axes.yaxis.get_tick_params()["labelleft"]:
                axes.tick_params(labelleft=True)
                labeled.append(axes)
    aspects = [axes.get_aspect() for axes in panels]
    for axes in panels:
        if any(isinstance(drawn, QuadMesh) for drawn in axes.collections):
            axes.set_aspect("auto")  # square cells next to long labels would be tiny
    try:
        yield
    finally:
        figure.set_size_inches(width, height)
        for axes, aspect in zip(panels, aspects, strict=True):
            axes.set_aspect(aspect)
        for axes, place in zip(panels, places, strict=True):
            axes.set_subplotspec(place)
        for axes in labeled:
            axes.tick_params(labelleft=False)


def _rearranged(panels: list[Any], width: float) -> tuple[int, int]:
    """Return the rows and columns of a narrow figure; zeros if its panels are not rearranged."""
    places = [axes.get_subplotspec() for axes in panels]
    grid = places[0].get_gridspec()
    plain = all(place.get_gridspec() is grid and place.num1 == place.num2 for place in places)
    columns = max(1, int(NARROW / (width / grid.ncols)))
    if not plain or columns >= grid.ncols:
        return 0, 0
    return -(-len(panels) // columns), columns
