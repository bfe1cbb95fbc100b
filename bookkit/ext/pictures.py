"""Write the book's colors as a style sheet, make cells draw their figures for pages, and shorten the SVG files."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from attnbook.pages.colors import COLORS, ROLES
from attnbook.pages.figures.svg import BUILDING

STYLE = "colors.css"
SHORTER = (  # what Matplotlib writes into an SVG file -> what a page needs
    (re.compile(r"<!--.*?-->", re.DOTALL), ""),  # repeats each text, which is drawn as paths
    (re.compile(r"\s*\n\s*"), " "),
    (re.compile(r">\s+<"), "><"),
    (re.compile(r'<g id="[a-z][^"]*"'), "<g"),  # names of groups, to which nothing refers
    (re.compile(r"\b([1-9]\d*\.\d\d)\d+"), r"\1"),  # hundredths of a point
    (re.compile(r" ([MLQCz]) "), r"\1"),  # the commands of a path need no spaces
    (re.compile(r'\bd="M '), 'd="M'),
    (re.compile("xlink:href="), "href="),
)


def style_sheet() -> str:
    """A CSS variable such as ``--book-query`` for every color, and a class such as ``book-query`` for formulas."""
    rules = []
    for theme, colors in COLORS.items():
        variables = " ".join(f"--book-{name}: {color};" for name, color in colors.items())
        selector = f'html[data-theme="{theme}"]'
        rules.append(f"{':root, ' if theme == 'light' else ''}{selector} {{ {variables} }}")
    rules += [f".book-{role} {{ color: var(--book-{role}); }}" for role in ROLES]
    return "\n".join(rules) + "\n"


def draw_for_pages(app: Sphinx) -> None:
    os.environ[BUILDING] = "1"  # kernels inherit it


def write(app: Sphinx, exception: Exception | None) -> None:
    if exception is None and app.builder.format == "html":
        (Path(app.outdir) / "_static" / STYLE).write_text(style_sheet(), encoding="utf-8")
        shorten(Path(app.outdir) / "_images")


def shorten(folder: Path) -> None:
    """Remove from SVG files what cannot be seen, a fifth of what a page's figures weigh."""
    for picture in folder.glob("*.svg"):
        text = picture.read_text(encoding="utf-8")
        if "\n" in text:
            for pattern, shorter in SHORTER:
                text = pattern.sub(shorter, text)
            picture.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_css_file(STYLE)
    app.connect("builder-inited", draw_for_pages)
    app.connect("build-finished", write)
    return {"version": "2", "parallel_read_safe": True, "parallel_write_safe": True}
