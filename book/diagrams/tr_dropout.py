"""Where dropout acts in an encoder layer: two places of the paper, two of most libraries."""

from bookkit.drawing import Drawing

NAMES = (
    "+ positions",
    "attention: softmax",
    "attention: *W*_o",
    "add & norm",
    "feed-forward: *W*_1, ReLU",
    "feed-forward: *W*_2",
    "add & norm",
)
ON_STREAM = (0, 3, 6)
PLACES = {0: (1, "paper"), 1: (3, "libraries"), 2: (2, "paper"), 4: (4, "libraries"), 5: (2, "paper")}
STEP = 54


def draw(narrow: bool) -> Drawing:
    d = Drawing(320 if narrow else 540, 392)
    left = 6 if narrow else 100
    x = left + 66
    stream, middle = left + 14, x + 93
    top = 356 - STEP * 6
    for lower, upper in ((0, 3), (3, 6)):
        d.arrow((stream, 356 - STEP * lower), (stream, 356 - STEP * upper + 31), role="query", width=4)
    d.arrow((stream, top), (stream, 4), role="query", width=4)
    for i, name in enumerate(NAMES):
        y = 356 - STEP * i
        role = "weight" if name.startswith("attention") else "value" if name.startswith("feed") else "line"
        begin = left if i in ON_STREAM else x
        d.box(begin, y, x + 186 - begin, 30, name, role=role, size=13)
        if i:
            d.arrow((middle, y + STEP), (middle, y + 31))
    for i, (number, whose) in PLACES.items():
        y = 356 - STEP * i - 13
        on = stream if number == 1 else middle
        d.dot(on, y, role="query" if whose == "paper" else "key", radius=9)
        d.text(on, y, str(number), role="paper", size=12, bold=True)
        d.text(on + 16, y, f"dropout ({whose})", anchor="start", role="muted", size=12)
    return d
