"""LoRA: a frozen matrix, and beside it two thin ones that are trained."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    d = Drawing(324, 146) if narrow else Drawing(470, 186)
    side, thin, gap, factor = (78, 20, 8, 66) if narrow else (120, 26, 14, 84)
    top, size = 12, 12 if narrow else 13
    middle, below = top + side / 2, top + side + 16

    w = d.box(8, top, side, side, "*W*")
    x = d.box(w.x + side + gap, top, thin, side, "*x*")
    right = x.x + thin
    d.text(right + 0.25 * factor, middle, "+", size=18)
    d.text(right + 0.65 * factor, middle, "*α*/*r*")
    b = d.box(right + factor, top, thin, side, "*B*", role="ink", strength=0.2)
    a = d.box(b.x + thin + gap, middle - thin / 2, side, thin, "*A*", role="ink", strength=0.2)
    d.box(a.x + side + gap, top, thin, side, "*x*")

    d.text(w.center[0], below, "*d*_{out} × *d*_{in}", size=size)
    d.text(b.center[0], below, "*d*_{out} × *r*", size=size)
    d.text(a.center[0], a.y + thin + 14, "*r* × *d*_{in}", size=size)
    d.text(w.center[0], below + 20, "frozen", role="muted", size=size)
    d.text((b.x + a.x + side) / 2, below + 20, "trained", role="muted", size=size)
    return d
