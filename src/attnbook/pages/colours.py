"""The colors of query, key, value and weight in all pictures, and of the page.

They are defined once, in ``colours.json``, for light pages and dark ones. Formulas, diagrams, plots and widgets take
them from there. Color-blind readers can distinguish the four, and each is legible as text on both backgrounds.
"""

from __future__ import annotations

import json
from importlib.resources import files

COLOURS: dict[str, dict[str, str]] = json.loads(files(__package__).joinpath("colours.json").read_text(encoding="utf-8"))
ROLES = ("query", "key", "value", "weight")


def colour(name: str, theme: str = "light") -> str:
    """Return a color by its name, such as ``"query"`` or ``"ink"``.

    Args:
        name: one of the names in ``colours.json``.
        theme: ``"light"`` or ``"dark"``. Figures are drawn in the light colors, and converted for dark pages.

    Raises:
        ValueError: there is no such name, or no such theme.
    """
    if theme not in COLOURS:
        raise ValueError(f"theme must be one of {sorted(COLOURS)}, got {theme!r}")
    if name not in COLOURS[theme]:
        raise ValueError(f"name must be one of {sorted(COLOURS[theme])}, got {name!r}")
    return COLOURS[theme][name]
