"""A batch of weighted means as one batch matrix multiplication."""

from bookkit.drawing import Drawing

SENTENCES = (((0.1, 0.2, 0.7), (3.0, 1.0, 4.0)), ((0.6, 0.3, 0.1), (2.0, 5.0, 1.0)))


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 340) if narrow else Drawing(640, 176)
    for number, (weights, values) in enumerate(SENTENCES):
        x, y = (8, 34 + 176 * number) if narrow else (10 + 324 * number, 34)
        d.text(x, y - 18, f"sentence {number + 1}", anchor="start", bold=True)
        row = d.tokens(x, y + 36, [f"{w:.1f}" for w in weights], role="weight", gap=2, width=38, size=13)
        d.text(x + 136, y + 51, "×", size=18)
        for i, value in enumerate(values):
            d.box(x + 154, y + 36 * i, 46, 32, f"{value:.0f}", role="value", size=13)
        mean = sum(w * v for w, v in zip(weights, values, strict=True))
        d.text(x + 220, y + 51, "=", size=18)
        d.box(x + 238, y + 35, 56, 32, f"{mean:.1f}", role="value", strength=0.3)
        d.text(x + 59, row[0].y + 46, "(1, keys)", role="muted", size=12)
        d.text(x + 177, y + 120, "(keys, 1)", role="muted", size=12)
        d.text(x + 266, row[0].y + 46, "(1, 1)", role="muted", size=12)
    return d
