"""All scores of a sentence are one product of two matrices."""

from bookkit.drawing import Box, Drawing


def grid(d: Drawing, x: float, y: float, rows: int, columns: int, role: str) -> Box:
    for i in range(rows):
        for j in range(columns):
            chosen = {"query": i == 1, "key": j == 2, "weight": (i, j) == (1, 2)}[role]
            d.box(x + 20 * j, y + 20 * i, 18, 18, role=role, strength=0.6 if chosen else 0.12)
    return Box(x, y, 20 * columns, 20 * rows)


def draw(narrow: bool) -> Drawing:
    d = Drawing(316, 232) if narrow else Drawing(600, 150)
    top = 20
    query = grid(d, 10, top + 10, 3, 4, "query")
    key = grid(d, 122, top, 4, 5, "key")
    d.text(106, top + 40, "×", size=18)
    place = (122, 140) if narrow else (280, top + 10)
    d.text(100 if narrow else 250, place[1] + 30, "=", size=18)
    scores = grid(d, *place, 3, 5, "weight")
    d.text(query.center[0], top + 94, "queries × size", role="query", size=12)
    d.text(key.center[0], top + 94, "size × keys", role="key", size=12)
    if narrow:
        d.text(scores.center[0], 218, "queries × keys", role="weight", size=12)
    else:
        d.text(scores.center[0], top + 94, "queries × keys", role="weight", size=12)
        d.text(400, top + 30, "one entry: one query's row", anchor="start", role="muted", size=13)
        d.text(400, top + 50, "times one key's column", anchor="start", role="muted", size=13)
    return d
