"""Two masks of kernel regression: a boxcar's, and the one that leaves each measurement out of its own keys."""

from bookkit.drawing import Drawing

PLACES = (0.3, 0.9, 1.3, 2.4, 2.8, 3.7)
REACH = 0.7


def table(d: Drawing, x: float, y: float, title: str, allowed: list[list[bool]], cell: float) -> None:
    """A mask: full cells may be attended to."""
    d.text(x, y - 34, title, anchor="start", bold=True)
    d.text(x + 3 * cell, y - 14, "keys", role="key", size=12)
    d.text(x - 8, y + 3 * cell, "queries", role="query", anchor="end", size=12)
    for i, row in enumerate(allowed):
        for j, may in enumerate(row):
            d.box(x + j * cell, y + i * cell, cell - 2, cell - 2, role="weight" if may else "line",
                  strength=0.55 if may else 0.0, dashed=not may)  # fmt: skip


def draw(narrow: bool) -> Drawing:
    window = [[abs(q - k) <= REACH for k in PLACES] for q in PLACES]
    others = [[i != j for j in range(6)] for i in range(6)]
    d = Drawing(316, 420) if narrow else Drawing(600, 210)
    table(d, 76, 52, "boxcar: K = 0 beyond h", window, 25)
    table(d, *((76, 262) if narrow else (396, 52)), "leave-one-out", others, 25)
    return d
