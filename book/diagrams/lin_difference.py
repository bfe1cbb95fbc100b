"""Two softmaxes over six keys, one of which fits, and their difference: what both have in common is gone."""

import math

from bookkit.drawing import Drawing

FIRST = (3.0, 0.2, 0.0, 0.1, 0.3, 0.1)
SECOND = (-1.0, 0.2, 0.0, 0.1, 0.3, 0.1)
SHARE = 0.23


def softmax(scores: tuple[float, ...]) -> list[float]:
    powers = [math.exp(score) for score in scores]
    return [power / sum(powers) for power in powers]


def draw(narrow: bool) -> Drawing:
    first, second = softmax(FIRST), softmax(SECOND)
    less = [SHARE * weight for weight in second]
    rows = [
        ("first look", first),
        ("second look, times λ", less),
        ("difference", [a - b for a, b in zip(first, less, strict=True)]),
    ]
    d = Drawing(320 if narrow else 680, 330 if narrow else 312)
    for i, (title, weights) in enumerate(rows):
        base = 92 + i * (110 if narrow else 98)
        if narrow:
            d.text(20, base - 72, title, anchor="start", size=13)
        else:
            d.text(200, base - 20, title, anchor="end", size=14)
        left = 20 if narrow else 230
        for box, weight in zip(d.bars(left, base, weights, width=36, gap=12, height=80), weights, strict=True):
            d.text(box.x + box.width / 2, base + 12, f"{weight:.2f}", size=11)
        d.line((left - 6, base), (left + 6 * 48, base))
    return d
