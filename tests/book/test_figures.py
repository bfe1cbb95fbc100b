"""Figures of the built book show the computed values, whose colors are read from the page."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest
import torch
from bs4 import BeautifulSoup
from matplotlib.colors import to_hex

from attnbook.pages.figures.dark import dark_color
from attnbook.pages.plots import WEIGHTS
from attnbook.widgets.scene_view import scene_weights

WISHES = ([0.0, 0.0, 0.0, 0.0], [0.0, 4.0, 0.0, 0.0], [0.0, 0.0, 0.0, 4.0])


@pytest.mark.parametrize("width", ["wide", "narrow"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_desk_diagram_has_the_colors_of_its_weights(built_book: Path, root: Path, theme: str, width: str) -> None:
    html = (built_book / "book" / "01-attention-cues.html").read_text(encoding="utf-8")
    picture = BeautifulSoup(html, "html.parser").select_one(f"#fig-cue-desk img.{theme}.{width}")
    assert picture
    svg = (built_book / "book" / str(picture["src"])).read_text(encoding="utf-8")
    mesh = re.search(r'<g id="QuadMesh_1">(.*?)</g>', svg, re.S)
    assert mesh
    drawn = re.findall(r"fill: (#[0-9a-f]{6})", mesh[1])

    keys = runpy.run_path(str(root / "book" / "diagrams" / "cue_keys.py"))["KEYS"]
    key = torch.tensor(list(keys.values()))
    weights = torch.stack([scene_weights(key, torch.tensor(wish), pull=2.0) for wish in WISHES])
    colors = [to_hex(WEIGHTS(weight)) for weight in weights.flatten().tolist()]
    assert drawn == (colors if theme == "light" else [dark_color(color) for color in colors])
    assert len(set(drawn[:6])) == 6, "six things of different weight do not look alike"
