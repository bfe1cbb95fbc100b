"""Two low-rank maps of a head: where it looks, and what it writes."""

from bookkit.drawing import Drawing


def chain(d: Drawing, x: float, y: float, title: str, maps: tuple[str, str], ends: tuple[str, str], role: str) -> None:
    """Two boxes of size d with a narrow one between them."""
    d.text(x, y, title, anchor="start", bold=True)
    a = d.box(x, y + 22, 66, 74, ends[0], role=role)
    b = d.box(x + 124, y + 44, 46, 30, "*d*/*h*", role=role, size=13)
    c = d.box(x + 228, y + 22, 66, 74, ends[1], role="key" if role == "query" else "ink")
    d.arrow(a.right, b.left, maps[0])
    if role == "query":
        d.arrow(c.left, b.right, maps[1])
    else:
        d.arrow(b.right, c.left, maps[1])


def draw(narrow: bool) -> Drawing:
    d = Drawing(310, 290) if narrow else Drawing(670, 136)
    chain(
        d,
        8,
        14,
        "where it looks: one number per pair",
        ("*W*_q", "*W*_k"),
        ("query\n(*d*)", "token *j*\n(*d*)"),
        "query",
    )
    place = (8, 168) if narrow else (364, 14)
    chain(d, *place, "what it writes: a vector", ("*W*_v", "*W*_o"), ("token *j*\n(*d*)", "output\n(*d*)"), "value")
    return d
