"""The residual stream: sublayers read a row from it and add to it."""

from bookkit.drawing import Drawing

SUBLAYERS = ("self-attention", "feed-forward", "self-attention", "feed-forward")


def draw(narrow: bool) -> Drawing:
    return upright() if narrow else lying()


def lying() -> Drawing:
    d = Drawing(690, 150)
    start = d.box(8, 96, 96, 34, "embedding\n+ position", size=12)
    d.arrow(start.right, (684, 113), role="query", width=4)
    for i, name in enumerate(SUBLAYERS):
        x = 124 + 138 * i
        box = d.box(x, 18, 104, 34, name, role="weight" if "attention" in name else "value", size=13)
        d.arrow((x + 14, 111), (x + 14, box.y + 36), "reads", size=12)
        d.arrow((x + 86, box.y + 34), (x + 86, 108), "adds", role="query", size=12)
    return d


def upright() -> Drawing:
    d = Drawing(300, 430)
    start = d.box(14, 388, 112, 36, "embedding\n+ position", size=12)
    d.arrow(start.top, (70, 6), role="query", width=4)
    for i, name in enumerate(SUBLAYERS):
        y = 300 - 94 * i
        box = d.box(178, y, 114, 56, name, role="weight" if "attention" in name else "value", size=13)
        d.arrow((73, y + 46), (box.x, y + 46), "reads", size=12)
        d.arrow((box.x, y + 10), (76, y + 10), "adds", role="query", size=12)
    return d
