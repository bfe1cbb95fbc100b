"""Two ways to pair the entries of a vector for rotary positions."""

from bookkit.drawing import Drawing


def row(d: Drawing, x: float, y: float, title: str, pairs: tuple[tuple[int, int], ...]) -> None:
    d.text(x, y, title, anchor="start", bold=True)
    middles = {}
    for entry in range(6):
        pair = next(j for j, both in enumerate(pairs) if entry in both)
        box = d.box(x + 44 * entry, y + 20, 40, 30, f"*q*_{entry}", role=("query", "key", "value")[pair])
        middles[entry] = box.bottom
    for j, (one, other) in enumerate(pairs):
        (x0, y0), (x1, _) = middles[one], middles[other]
        low = y0 + (14 if other == one + 1 else 10 + 16 * j)
        d.curve(((x0, y0), (x0, low), (x1, low), (x1, y0)), role=("query", "key", "value")[j], width=1.5)


def draw(narrow: bool) -> Drawing:
    d = Drawing(280, 250) if narrow else Drawing(620, 118)
    row(d, 6, 12, "interleaved: neighbours", ((0, 1), (2, 3), (4, 5)))
    row(d, *((6, 134) if narrow else (340, 12)), "half-split: entry and entry + d/2", ((0, 3), (1, 4), (2, 5)))
    return d
