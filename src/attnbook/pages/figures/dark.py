"""Convert an SVG for light pages into one for dark pages.

Every color keeps its hue and inverts its lightness, in the Oklab space (Ottosson, 2020): black letters become light,
and empty cells of a heatmap take the color of the page. The book's own colors are replaced by their dark variants.
"""

from __future__ import annotations

import base64
import io
import re

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from attnbook.pages.colors import COLORS

Array = NDArray[np.float64]
PARTNERS = {light: COLORS["dark"][name] for name, light in COLORS["light"].items()}
PAINT = re.compile(r'((?:fill|stroke|stop-color)\s*[:=]\s*"?)(#[0-9a-f]{6})\b')
PICTURE = re.compile(r"(data:image/png;base64,)([A-Za-z0-9+/=\s]+)")
TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def dark(svg: str) -> str:
    """Convert an SVG to the colors of a dark page."""
    svg = PAINT.sub(lambda match: match[1] + dark_color(match[2]), svg)
    svg = PICTURE.sub(lambda match: match[1] + dark_picture(match[2]), svg)
    return svg.replace("<svg ", f'<svg fill="{COLORS["dark"]["ink"]}" ', 1)  # Matplotlib writes no color for black


def dark_color(light: str) -> str:
    """Convert ``#rrggbb`` for a light page to ``#rrggbb`` for a dark one."""
    if light in PARTNERS:
        return PARTNERS[light]
    turned = turn(np.array(as_numbers(light)) / 255)
    return "#" + "".join(f"{round(255 * part):02x}" for part in turned)


def as_numbers(color: str) -> list[int]:
    return [int(color[i : i + 2], 16) for i in (1, 3, 5)]


def dark_picture(content: str) -> str:
    """Convert every pixel of a PNG in base64."""
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(content))).convert("RGBA")).copy()
    numbers = pixels[..., :3].astype(np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32)  # 0xrrggbb
    colors, which = np.unique(numbers, return_inverse=True)
    turned = np.array([as_numbers(dark_color(f"#{color:06x}")) for color in colors], dtype=np.uint8)
    pixels[..., :3] = turned[which.reshape(numbers.shape)]
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "PNG", optimize=True)
    return base64.b64encode(written.getvalue()).decode("ascii")


def turn(rgb: Array) -> Array:
    """Convert RGB colors ``(..., 3)`` in [0, 1]: swap background and text color, and map others by their lightness."""
    lab = to_lab(rgb)
    paper, ink = (_lightness("light", name) for name in ("paper", "ink"))
    dark_paper, dark_ink = (_lightness("dark", name) for name in ("paper", "ink"))
    contrast = np.clip((paper - lab[..., 0]) / (paper - ink), 0, None) ** 0.8  # < 1: makes pale colors stronger
    lab[..., 0] = np.clip(dark_paper + contrast * (dark_ink - dark_paper), 0, 1)
    return from_lab(lab)


def _lightness(theme: str, name: str) -> float:
    return float(to_lab(np.array(as_numbers(COLORS[theme][name])) / 255)[0])


def to_lab(rgb: Array) -> Array:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    lab: Array = np.cbrt(linear @ TO_CONES.T) @ TO_LAB.T
    return lab


def from_lab(lab: Array) -> Array:
    linear = np.clip((lab @ np.linalg.inv(TO_LAB).T) ** 3 @ np.linalg.inv(TO_CONES).T, 0, 1)
    rgb: Array = np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.clip(rgb, 0, 1)
