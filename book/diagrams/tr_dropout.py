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
PLACES = {0: (1, "paper"), 1: (3, "libraries"), 2: (2, "paper"), 4: (4, "libraries"), 5: (2, "paper")}
STEP = 54


def draw(narrow: bool) -> Drawing:
    d = Drawing(320 if narrow else 540, 372)
    x = 6 if narrow else 120
    for i, name in enumerate(NAMES):
        y = 336 - STEP * i
        role = "weight" if name.startswith("attention") else "value" if name.startswith("feed") else "line"
        box = d.box(x, y, 186, 30, name, role=role, size=13)
        if i:
            d.arrow((box.center[0], y + STEP), (box.center[0], y + 31))
    for i, (number, whose) in PLACES.items():
        middle, y = x + 93, 336 - STEP * i - 13
        d.dot(middle, y, role="query" if whose == "paper" else "key", radius=9)
        d.text(middle, y, str(number), role="paper", size=12, bold=True)
        d.text(middle + 18, y, f"dropout ({whose})", anchor="start", role="muted", size=12)
    return d
