"""Figures of the built book show the computed values, whose colors are read from the page."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest
import torch
from bs4 import BeautifulSoup
from matplotlib.colors import to_hex

from attnbook.pages.figures.dark import dark_color
from attnbook.pages.plots import WEIGHTS
from attnbook.widgets.scene_view import scene_weights
from bookkit.ext.pictures import shorten

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


def test_shorten_keeps_what_can_be_seen(tmp_path: Path) -> None:
    figure, axes = plt.subplots(figsize=(2, 1.5))
    axes.plot([0.123456789, 1, 2], [3, 1, 2], "o-")
    picture = tmp_path / "figure.svg"
    figure.savefig(picture)
    plt.close(figure)
    before = picture.read_text(encoding="utf-8")
    shorten(tmp_path)
    after = picture.read_text(encoding="utf-8")
    assert len(after) < 0.9 * len(before)
    old, new = (BeautifulSoup(text, "html.parser") for text in (before, after))
    for name in ("path", "use", "clippath"):
        assert len(new.find_all(name)) == len(old.find_all(name)) > 0
    wanted = {use["href"].removeprefix("#") for use in new.find_all("use")}
    assert wanted <= {path["id"] for path in new.find_all("path") if path.has_attr("id")}
    places = [[float(use["x"]) for use in text.find_all("use") if use.has_attr("x")] for text in (old, new)]
    assert places[1] == pytest.approx(places[0], abs=0.01)
