"""A lookup that finds one value, and one that mixes all of them."""

import math

from bookkit.drawing import Drawing

NAMES = ("cup", "book", "lamp")
KEYS = ((1.0, 0.0), (0.0, 1.0), (0.2, 0.1))
VALUES = (0, 310, 0)
NOVEL = (0.4, 2.9)  # the query of the chapter's first lookup


def shares(query: tuple[float, float]) -> list[float]:
    """The softmax of the dot products with the keys."""
    powers = [math.exp(query[0] * key[0] + query[1] * key[1]) for key in KEYS]
    return [power / sum(powers) for power in powers]


def half(d: Drawing, x: float, y: float, title: str, word: str, weights: list[float], result: str) -> None:
    """A query, three keys with their values, and the result."""
    d.text(x, y, title, anchor="start", bold=True)
    query = d.box(x, y + 69, 78, 32, f"*q*: {word}", role="query")
    for row, (name, value, weight) in enumerate(zip(NAMES, VALUES, weights, strict=True)):
        top = y + 25 + 44 * row
        key = d.box(x + 128, top, 60, 32, name, role="key")
        found = d.box(x + 188, top, 44, 32, str(value), role="value")
        d.arrow(query.right, key.left, width=0.6 + 4 * weight, role="weight", dashed=weight == 0)
        d.text(x + 276, found.center[1], f"{weight:.2f}".replace(".00", ""), role="weight")
    d.text(x + 276, y, "weight", role="weight", size=13)
    d.text(x, y + 170, result, anchor="start", role="value")


def draw(narrow: bool) -> Drawing:
    soft = shares(NOVEL)
    terms = " + ".join(f"{weight:.2f} · {value}" for weight, value in zip(soft, VALUES, strict=True))
    mean = sum(weight * value for weight, value in zip(soft, VALUES, strict=True))
    exact_half = ("exact: a key equals the query", "book", [0.0, 1.0, 0.0], "310")
    soft_half = ("soft: every key gets a share", "novel", soft, f"{terms} = {mean:.0f}")
    d = Drawing(310 if narrow else 660, 390 if narrow else 190)
    half(d, 4, 14, *exact_half)
    half(d, *((4, 214) if narrow else (350, 14)), *soft_half)
    return d
