"""Who asks whom: self-attention, masked self-attention, cross-attention."""

from bookkit.drawing import Drawing

ENGLISH, FRENCH = ("she", "sees", "it"), ("elle", "le", "voit")
SEEN = {
    "self-attention": (ENGLISH, ENGLISH, lambda i, j: True),
    "masked": (FRENCH, FRENCH, lambda i, j: j <= i),
    "cross-attention": (FRENCH, ENGLISH, lambda i, j: True),
}


def panel(d: Drawing, x: float, y: float, title: str) -> None:
    queries, keys, sees = SEEN[title]
    d.text(x + 96, y, title, bold=True)
    for j, key in enumerate(keys):
        d.text(x + 78 + 46 * j, y + 28, key, role="key", size=13)
    for i, query in enumerate(queries):
        d.text(x + 48, y + 58 + 34 * i, query, role="query", anchor="end", size=13)
        for j in range(len(keys)):
            seen = sees(i, j)
            d.box(x + 58 + 46 * j, y + 44 + 34 * i, 40, 28, role="weight" if seen else "line", strength=0.4 * seen)


def draw(narrow: bool) -> Drawing:
    d = Drawing(240, 490) if narrow else Drawing(660, 156)
    for number, title in enumerate(SEEN):
        panel(d, *((10, 12 + 162 * number) if narrow else (4 + 226 * number, 12)), title)
    return d
