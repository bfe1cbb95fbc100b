"""Where global attention, local-m and local-p may look at one step."""

from bookkit.drawing import Drawing

WORDS = ("she", "did", "not", "eat", "the", "soup", ".")
RULES = (
    ("global: everywhere", range(7), None),
    ("local-m: *p*_t = *t*", range(1, 6), 3),
    ("local-p: *p*_t is predicted", range(3, 7), 4.6),
)


def draw(narrow: bool) -> Drawing:
    cell, left = (40, 10) if narrow else (62, 200)
    d = Drawing(left + 7 * (cell + 4) + 6, 232 if narrow else 176)
    for row, (title, inside, center) in enumerate(RULES):
        y = 32 + 72 * row if narrow else 16 + 52 * row
        if narrow:
            d.text(left, y - 14, title, anchor="start", size=13)
        else:
            d.text(left - 14, y + 14, title, anchor="end", size=13)
        for i, word in enumerate(WORDS):
            d.box(left + i * (cell + 4), y, cell, 28, word, role="key" if i in inside else "line",
                  strength=0.25 if i in inside else 0, dashed=i not in inside, size=12)  # fmt: skip
        if center is not None:
            x = left + (center + 0.5) * (cell + 4) - 2
            d.arrow((x, y + 44), (x, y + 29), role="query", width=2.5)
    return d
