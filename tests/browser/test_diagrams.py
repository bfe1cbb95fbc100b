"""Diagrams in a browser: no arrow or line runs through a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bookkit.ext.diagrams import load
from tests.browser.conftest import Watched

DIAGRAMS = sorted((Path(__file__).parents[2] / "book" / "diagrams").glob("*.py"))
# Letters of other fonts are wider, hence 4 pixels on each side. A single character, such as "+", stands in a dot.
CROSSED = """() => [...document.querySelectorAll("svg")].flatMap((drawing) => {
    const texts = [...drawing.querySelectorAll("text")].filter((text) => text.textContent.length > 1);
    const inside = ({ x, y }, box) =>
        x > box.x - 4 && x < box.x + box.width + 4 && y > box.y + 3 && y < box.y + box.height - 3;
    const points = [...drawing.querySelectorAll("path[fill=none]")].flatMap((path) =>
        Array.from({ length: Math.ceil(path.getTotalLength()) }, (_, at) => path.getPointAtLength(at)));
    const crossed = texts.filter((text) => points.some((point) => inside(point, text.getBBox())));
    return crossed.map((text) => [drawing.getAttribute("aria-label"), text.textContent]);
})"""


@pytest.mark.parametrize("narrow", [False, True])
def test_no_line_of_a_diagram_crosses_a_text(open_page: Callable[..., Watched], tmp_path: Path, narrow: bool) -> None:
    drawings = "\n".join(load(path, narrow=narrow).svg(path.stem) for path in DIAGRAMS)
    page = tmp_path / "index.html"
    page.write_text(f'<!doctype html><meta charset="utf-8"><style>body {{ font-family: sans-serif }}</style>{drawings}')
    assert open_page(page).page.evaluate(CROSSED) == []
