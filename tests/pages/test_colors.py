"""Color-blind readers can distinguish the four colors, and all are legible as text on light and dark pages."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from attnbook.pages.colors import COLORS, ROLES, color_of
from attnbook.pages.figures.dark import to_lab

# What color-blind readers see: Machado, Oliveira and Fernandes (2009), table 1, severity 1, on linear RGB.
SIGHT = {
    "all colors": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(hexadecimal: str) -> np.ndarray:
    rgb = np.array([int(hexadecimal[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def encoded(rgb: np.ndarray) -> np.ndarray:
    rgb = np.clip(rgb, 0, 1)
    return np.where(rgb <= 0.0031308, rgb * 12.92, 1.055 * rgb ** (1 / 2.4) - 0.055)


def contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2.1."""
    low, high = sorted(float(linear(name) @ [0.2126, 0.7152, 0.0722]) for name in (one, other))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", COLORS)
@pytest.mark.parametrize("ground", ["paper", "fill"])
@pytest.mark.parametrize("name", [*ROLES, "ink", "muted"])
def test_colors_have_enough_contrast_for_text(theme: str, ground: str, name: str) -> None:
    assert contrast(color_of(name, theme), color_of(ground, theme)) >= 4.5


@pytest.mark.parametrize("theme", COLORS)
@pytest.mark.parametrize("sight", SIGHT)
def test_colors_are_distinguishable(theme: str, sight: str) -> None:
    seen = [to_lab(encoded(SIGHT[sight] @ linear(color_of(role, theme)))) for role in ROLES]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 0.08


def test_colors_raises_for_invalid_arguments() -> None:
    with pytest.raises(ValueError, match=r"^name must"):
        color_of("qurey")
    with pytest.raises(ValueError, match=r"^theme must"):
        color_of("query", "dim")
