"""How much of a space lies near: a fifth of a line, less of a square, hardly any of a cube."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    d = Drawing(322, 420) if narrow else Drawing(660, 214)
    side, near = 110, 22
    corners = ((16, 40), (16, 90), (16, 246)) if narrow else ((40, 84), (276, 28), (506, 14))
    (x, y), (u, v), (p, q) = corners
    d.line((x, y), (x + side, y), role="line", width=3)
    d.line((x + 44, y), (x + 44 + near, y), role="query", width=7)
    d.box(u, v, side, side)
    d.box(u + 44, v + 44, near, near, role="query", strength=0.7)
    shift = 34
    back = d.box(p + shift, q, side - 20, side - 20, strength=0.04)
    front = d.box(p, q + shift, side - 20, side - 20, strength=0.08)
    for dx, dy in ((0, 0), (side - 20, 0), (0, side - 20), (side - 20, side - 20)):
        d.line((back.x + dx, back.y + dy), (front.x + dx, front.y + dy))
    d.box(p + 54, q + 44, 18, 18, role="query", strength=0.7)
    words = (
        ("1 dimension: 20 %", "of 50 points, about 10"),
        ("2 dimensions: 4 %", "of 50 points, about 2"),
        ("3 dimensions: 0.8 %", "of 50 points, often none"),
    )
    for (left, top), size, (head, tail) in zip(corners, (0, side, side + 14), words, strict=True):
        place = (left + side + 28, top + size / 2, "start") if narrow else (left + side / 2, 172, "middle")
        d.text(place[0], place[1] - 8 * narrow, head, anchor=place[2], size=13, bold=True)
        d.text(place[0], place[1] + (12 if narrow else 18), tail, anchor=place[2], size=13, role="muted")
    return d
