"""A lookup that finds one value, and one that mixes all of them."""

from bookkit.drawing import Drawing

NAMES = ("cup", "book", "lamp")
VALUES = ("0", "310", "0")


def half(d: Drawing, x: float, y: float, title: str, weights: tuple[float, ...], result: str) -> None:
    """A query, three keys with their values, and what comes out."""
    d.text(x, y, title, anchor="start", bold=True)
    query = d.box(x, y + 69, 78, 32, "*q*: book", role="query")
    for row, (name, value, weight) in enumerate(zip(NAMES, VALUES, weights, strict=True)):
        top = y + 25 + 44 * row
        key = d.box(x + 128, top, 60, 32, name, role="key")
        found = d.box(x + 188, top, 44, 32, value, role="value")
        d.arrow(query.right, key.left, width=0.6 + 4 * weight, role="weight", dashed=weight == 0)
        d.text(x + 276, found.center[1], f"{weight:.2f}".replace(".00", ""), role="weight")
    d.text(x + 276, y, "weight", role="weight", size=13)
    d.text(x, y + 170, result, anchor="start", role="value")


def draw(narrow: bool) -> Drawing:
    exact = ("exact: one key is the query", (0.0, 1.0, 0.0), "310")
    soft = ("soft: every key fits a little", (0.05, 0.9, 0.05), "0.05 · 0 + 0.90 · 310 + 0.05 · 0 = 279")
    d = Drawing(310 if narrow else 660, 390 if narrow else 190)
    half(d, 4, 14, *exact)
    half(d, *((4, 214) if narrow else (350, 14)), *soft)
    return d
