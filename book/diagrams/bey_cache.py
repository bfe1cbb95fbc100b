"""Writing the fourth token: without a cache all places go through the network again, with one only the last."""

from bookkit.drawing import Drawing


def one(d: Drawing, x: float, y: float, title: str, cached: bool) -> None:
    d.text(x, y + 10, title, anchor="start", bold=True, size=13)
    for row in range(4):
        top = y + 28 + row * 26
        d.text(x, top + 10, f"token {row + 1}", anchor="start", role="muted", size=12)
        for column in range(row + 1):
            fresh = column == row or not cached
            d.box(x + 60 + column * 40, top, 34, 20, role="query" if fresh else "key", strength=0.5 if fresh else 0.12)
    count = "4" if cached else "1 + 2 + 3 + 4 = 10"
    d.text(x, y + 146, f"places computed: {count}", anchor="start", size=13)


def draw(narrow: bool) -> Drawing:
    d = Drawing(300, 340) if narrow else Drawing(600, 164)
    one(d, 10, 4, "without a cache", cached=False)
    one(d, *((10, 174) if narrow else (320, 4)), "with a cache", cached=True)
    return d
