"""Where a recording looks: at the function that a module calls, and beside it."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 330) if narrow else Drawing(680, 190)
    x, y = 14, 40
    d.text(x, y - 18, "your model, as it is", anchor="start", bold=True)
    d.box(x, y, 292 if narrow else 300, 132, strength=0.04)
    d.text(x + 12, y + 18, "decoder.layers.0.attention", anchor="start", size=13)
    inside = d.box(x + 14, y + 38, 264 if narrow else 272, 36, "scaled dot-product attention", size=13)
    goes_in = ((x + 40, "query", "*Q*"), (x + 120, "key", "*K*"), (x + 200, "value", "*V*"))
    for left, role, name in goes_in:
        d.arrow(d.box(left, y + 94, 44, 28, name, role=role).top, (left + 22, y + 74))
    bx, by = (14, 226) if narrow else (400, 40)
    d.text(bx, by - 18, "beside it, without gradients", anchor="start", bold=True)
    d.box(bx, by, 292 if narrow else 266, 92 if narrow else 132, strength=0.04, dashed=True)
    again = d.box(bx + 14, by + 14, 264 if narrow else 236, 32, "softmax(*QK*ᵀ/√*d* + mask)", role="weight", size=13)
    d.text(bx + 14, by + 68, 'record["decoder.layers.0.attention"]', anchor="start", size=13)
    if not narrow:
        d.text(bx + 14, by + 96, "batch × heads × queries × keys", anchor="start", size=13, role="muted")
        d.arrow(inside.right, again.left, dashed=True)
    else:
        d.arrow((270, y + 132), (270, by + 14), dashed=True)
    return d
