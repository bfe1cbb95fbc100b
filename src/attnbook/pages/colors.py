"""The colors of query, key, value and weight in all pictures, and of the page.

They are defined once, in ``colors.json``, for light pages and dark ones. Formulas, diagrams, plots and widgets take
them from there. Color-blind readers can distinguish the four, and each is legible as text on both backgrounds.
"""

from __future__ import annotations

import json
from importlib.resources import files

COLORS: dict[str, dict[str, str]] = json.loads(files(__package__).joinpath("colors.json").read_text(encoding="utf-8"))
ROLES = ("query", "key", "value", "weight")


def color_of(name: str, theme: str = "light") -> str:
    """Return a color by its name, such as ``"query"`` or ``"ink"``.

    Args:
        name: one of the names in ``colors.json``.
        theme: ``"light"`` or ``"dark"``. Figures are drawn in the light colors, and converted for dark pages.

    Raises:
        ValueError: there is no such name, or no such theme.
    """
    if theme not in COLORS:
        raise ValueError(f"theme must be one of {sorted(COLORS)}, got {theme!r}")
    if name not in COLORS[theme]:
        raise ValueError(f"name must be one of {sorted(COLORS[theme])}, got {name!r}")
    return COLORS[theme][name]
