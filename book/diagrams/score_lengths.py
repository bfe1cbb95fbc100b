"""A mask with one length for a sentence, and one with a length for each query."""

from bookkit.drawing import Drawing


def table(d: Drawing, x: float, y: float, title: str, lengths: tuple[int, ...], shape: str) -> None:
    d.text(x, y - 36, title, anchor="start", bold=True)
    d.text(x + 60, y - 14, "keys", role="key", size=12)
    d.text(x - 8, y + 50, "queries", role="query", anchor="end", size=12)
    for i, length in enumerate(lengths):
        for j in range(5):
            d.box(x + 25 * j, y + 25 * i, 23, 23, role="weight" if j < length else "line",
                  strength=0.55 if j < length else 0.0, dashed=j >= length)  # fmt: skip
    d.text(x, y + 118, shape, anchor="start", role="muted", size=13)


def draw(narrow: bool) -> Drawing:
    d = Drawing(310, 400) if narrow else Drawing(620, 190)
    table(d, 76, 52, "one length per sentence", (3, 3, 3, 3), "lengths: (batch,)")
    table(d, *((76, 252) if narrow else (400, 52)), "one length per query", (1, 2, 3, 4), "lengths: (batch, queries)")
    return d
