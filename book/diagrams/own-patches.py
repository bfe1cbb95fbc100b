"""A picture becomes a sequence: patches, and a token for the class before them."""

from bookkit.drawing import Drawing

INK = {(0, 2), (0, 3), (1, 3), (2, 2), (3, 2)}


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 250) if narrow else Drawing(680, 150)
    x, y, cell = 14, 26, 28
    d.text(x, 12, "4 × 4 patches", anchor="start", size=13)
    for i in range(4):
        for j in range(4):
            d.box(x + j * cell, y + i * cell, cell - 2, cell - 2, strength=0.7 if (i, j) in INK else 0.06)
    sx, sy = (14, 180) if narrow else (190, 66)
    token = d.box(sx, sy, 52, 32, "[class]", role="query", size=13)
    shown = ((0, 0), (0, 1), (0, 2), (0, 3), (1, 0)) if narrow else ((0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1))
    for place, patch in enumerate(shown):
        strength = 0.7 if patch in INK else 0.06
        box = d.box(sx + 70 + 40 * place, sy + 2, 28, 28, role="key" if patch in INK else "line", strength=strength)
        d.arrow(
            (token.top[0], token.top[1]), (box.top[0], box.top[1] - 1), bend=14 + 5 * place, role="weight", width=1.5
        )
    end = sx + 70 + 40 * len(shown)
    d.text(end, sy + 16, "…", anchor="start")
    if narrow:
        d.arrow((70, y + 4 * cell), (70, sy - 24))
    else:
        d.arrow((x + 4 * cell + 8, sy + 16), (sx - 8, sy + 16))
        d.text(end + 30, sy + 16, "17 tokens in a row", anchor="start", size=13, role="muted")
    d.text(sx, sy + 52, "the row of [class]: what the label is read from", anchor="start", size=13, role="muted")
    return d
