"""Whose fault is a wrong translation: the search's, if the model likes the reference better; else the model's."""

from bookkit.drawing import Drawing

CASES = (
    ("search error", (("written", 0.42, "muted"), ("reference", 0.74, "ink")), "a better search can find it"),
    ("model error", (("written", 0.74, "muted"), ("reference", 0.42, "ink")), "a better search cannot find it"),
)


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 268) if narrow else Drawing(680, 130)
    for i, (title, bars, verdict) in enumerate(CASES):
        x, y = (8, 134 * i) if narrow else (8 + 344 * i, 0)
        d.text(x, y + 14, title, anchor="start", bold=True)
        for j, (name, share, role) in enumerate(bars):
            top = y + 32 + 34 * j
            d.text(x + 76, top + 12, name, anchor="end", size=13)
            d.box(x + 86, top, 210 * share, 24, role=role, strength=0.4)
        d.text(x + 86, y + 112, verdict, anchor="start", role="muted", size=13)
    return d
