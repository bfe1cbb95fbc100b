"""The feed-forward network as a memory: hidden units are keys, what they add are values."""

from bookkit.drawing import Drawing

UNITS = (0.0, 2.1, 0.0, 0.4)


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 250) if narrow else Drawing(640, 256)
    x, step = (76, 62) if narrow else (170, 92)
    row = d.box(6, 20, 58, 34, "row *x*", role="query")
    out = d.box(x + step, 206 if narrow else 212, 120, 34, "what is added")
    for i, unit in enumerate(UNITS):
        left = x + step * i
        key = d.box(left, 20, 48, 34, f"*k*_{i + 1}", role="key")
        gate = d.box(left, 80, 48, 28, f"{unit:.1f}", role="weight", strength=unit / 3, size=13)
        value = d.box(left, 134, 48, 34 if narrow else 28, f"*v*_{i + 1}", role="value", strength=0.05 + unit / 5)
        d.arrow(key.bottom, gate.top)
        d.arrow(gate.bottom, value.top)
        if unit:
            d.arrow(value.bottom, (out.x + 20 + 24 * i, out.y), role="value", width=0.8 + 2 * unit)
    d.arrow(row.right, (x - 2, 37), role="query")
    if not narrow:
        for y, text in ((37, "rows of *W*_1"), (94, "hidden, after ReLU"), (148, "columns of *W*_2")):
            d.text(x + 4 * step - 24, y, text, anchor="start", role="muted", size=12)
    return d
