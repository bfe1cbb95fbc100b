"""Figures are made lighter, and look the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from bookkit.ext.pictures import shrink


def test_a_figure_weighs_less_and_looks_the_same(tmp_path: Path) -> None:
    path = tmp_path / "figure.png"
    figure = Figure(figsize=(5, 3))
    axes = figure.subplots()
    axes.imshow(np.linspace(0, 1, 600).reshape(20, 30), cmap="Blues")
    axes.set_title("weights")
    figure.savefig(path)
    before, size = np.asarray(Image.open(path).convert("RGB"), dtype=float), path.stat().st_size
    shrink(path)
    after = np.asarray(Image.open(path).convert("RGB"), dtype=float)
    assert path.stat().st_size < 0.7 * size
    assert np.abs(after - before).mean() < 3 and after.shape == before.shape
    lighter = path.read_bytes()
    shrink(path)
    assert path.read_bytes() == lighter, "a figure that has its palette stays as it is"
    assert [found.name for found in tmp_path.iterdir()] == ["figure.png"]


@pytest.mark.parametrize("mode", ["L", "1"])
def test_other_pictures_stay(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "grey.png"
    Image.new(mode, (20, 20)).save(path)
    before = path.read_bytes()
    shrink(path)
    assert path.read_bytes() == before
