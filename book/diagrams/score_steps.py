"""From a query and keys to a result: score, scale, mask, softmax, weighted sum."""

import math

from bookkit.drawing import Drawing

SCORES = (4.0, 2.0, 6.0, 3.0)
REAL = (True, True, True, False)
ROOT = 2.0  # of a size of 4


def draw(narrow: bool) -> Drawing:
    powers = [math.exp(score / ROOT) * real for score, real in zip(SCORES, REAL, strict=True)]
    weights = [power / sum(powers) for power in powers]
    rows = (
        ("score *q*·*k*_i", [f"{s:.0f}" for s in SCORES], "ink"),
        ("scale: / √*d*", [f"{s / ROOT:.1f}" for s in SCORES], "ink"),
        ("mask", [f"{s / ROOT:.1f}" if real else "−∞" for s, real in zip(SCORES, REAL, strict=True)], "ink"),
        ("softmax", [f"{w:.2f}" for w in weights], "weight"),
    )
    left, cell = (112, 48) if narrow else (240, 78)
    d = Drawing(320 if narrow else 600, 290)
    query = d.box(4, 8, 84, 30, "query *q*", role="query")
    for i in range(4):
        x = left + i * (cell + 2)
        d.box(x, 8, cell, 30, f"*k*_{i + 1}" if REAL[i] else "pad", role="key" if REAL[i] else "line",
              dashed=not REAL[i], size=13)  # fmt: skip
    d.arrow(query.right, (left, 23))
    for number, (name, texts, role) in enumerate(rows):
        y = 60 + 46 * number
        d.text(4, y + 14, name, anchor="start", role="muted", size=13 if narrow else 14)
        for i, text in enumerate(texts):
            x = left + i * (cell + 2)
            if number:
                d.arrow((x + cell / 2, y - 17), (x + cell / 2, y - 1))
            d.box(x, y, cell, 28, text, role="weight" if role == "weight" else "line",
                  strength=0.1 + 0.6 * weights[i] if role == "weight" else 0.06, dashed=number == 2 and not REAL[i],
                  size=13)  # fmt: skip
    d.brace((left, 230), (left + 4 * cell + 6, 230), "weighted sum of the values")
    d.box(left + 2 * cell - 40, 258, 86, 28, "result", role="value")
    return d
