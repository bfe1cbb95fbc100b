"""A layer of 2017 beside a layer of today: the order is the same, four parts are others."""

from bookkit.drawing import Drawing

THEN = (
    ("add positions", "query"),
    ("attention", "weight"),
    ("+  then norm", "line"),
    ("ReLU network", "value"),
    ("+  then norm", "line"),
)
NOW = (
    ("RMS norm", "line"),
    ("attention: rotary,\ngroups, QK norm", "weight"),
    ("+", "line"),
    ("RMS norm", "line"),
    ("SwiGLU or experts", "value"),
    ("+", "line"),
)


def draw(narrow: bool) -> Drawing:
    width, left, right = (142, 8, 172) if narrow else (210, 100, 370)
    d = Drawing(322 if narrow else 680, 330)
    for x, title, parts in ((left, "2017", THEN), (right, "today", NOW)):
        d.text(x + width / 2, 14, title, bold=True)
        gap = (300 - 34 * len(parts)) / (len(parts) - 1)
        above = None
        for i, (name, role) in enumerate(parts):
            box = d.box(x, 28 + i * (34 + gap), width, 34, name, role=role, size=12)
            if above:
                d.arrow(above.bottom, box.top)
            above = box
    return d
