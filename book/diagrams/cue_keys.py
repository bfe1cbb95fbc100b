"""The keys of the desk: what each thing shows, as bars."""

from bookkit.drawing import Drawing

FEATURES = ("red", "printed", "bright", "drink")
KEYS = {
    "cup": (1.0, 0.0, 0.2, 1.0),
    "newspaper": (0.0, 1.0, 0.5, 0.0),
    "book": (0.0, 1.0, 0.1, 0.0),
    "lamp": (0.0, 0.0, 1.0, 0.0),
    "plant": (0.0, 0.0, 0.1, 0.0),
    "bottle": (0.0, 0.2, 0.2, 1.0),
}


def draw(narrow: bool) -> Drawing:
    columns = 2 if narrow else 3
    d = Drawing(326 if narrow else 640, 130 * (6 // columns) + 8)
    for place, (name, key) in enumerate(KEYS.items()):
        x, y = 2 + place % columns * (163 if narrow else 216), 130 * (place // columns)
        step = 40 if narrow else 48
        d.line((x, y + 84), (x + 4 * step - 2, y + 84))
        d.bars(x + step / 2 - 11, y + 84, key, role="key", width=20, gap=step - 20, height=56)
        d.text(x + 2 * step - 1, y + 14, name, bold=True)
        for feature, label in enumerate(FEATURES):
            d.text(x + step / 2 - 1 + step * feature, y + 97, label, role="muted", size=11)
    return d
