"""From a place on the axis to a prediction: distances, kernel, weights, mean."""

import math

from bookkit.drawing import Drawing

KEYS = (0.6, 1.3, 2.1, 2.9, 4.2)
VALUES = (1.4, 2.6, 3.4, 2.3, 1.2)
QUERY, WIDTH = 1.95, 0.5  # the rounded weights below sum to 1, and give the mean that is shown


def draw(narrow: bool) -> Drawing:
    powers = [math.exp(-(((QUERY - key) / WIDTH) ** 2) / 2) for key in KEYS]
    weights = [power / sum(powers) for power in powers]
    left, unit = (30, 58) if narrow else (150, 100)
    d = Drawing(322 if narrow else 690, 290)
    at = [left + unit * key for key in KEYS]
    here = left + unit * QUERY
    rows = {"kernel": 92, "weights": 184, "values": 240}
    bell = [
        (left + unit * x / 20, rows["kernel"] - 56 * math.exp(-(((QUERY - x / 20) / WIDTH) ** 2) / 2))
        for x in range(95)
    ]
    d.curve(bell, role="query")
    d.line((left - 8, rows["kernel"]), (left + unit * 4.8, rows["kernel"]))
    d.line((here, 20), (here, rows["kernel"]), role="query", dashed=True)
    d.text(here, 10, "query *x*", role="query", size=13)
    for i, (x, power, weight) in enumerate(zip(at, powers, weights, strict=True)):
        d.line((x, rows["kernel"]), (x, rows["kernel"] - 56 * power), role="key", width=2)
        d.dot(x, rows["kernel"], role="key", radius=5)
        d.text(x, rows["kernel"] + 18, f"*x*_{i + 1}", role="key")
        d.bars(x - 12, rows["weights"], [weight], height=70)
        d.text(x, rows["weights"] + 12, f"{weight:.2f}", role="weight", size=12)
        d.box(x - 19, rows["values"] - 15, 38, 30, f"{VALUES[i]}", role="value", strength=0.1 + 0.5 * weight, size=13)
    d.line((left - 8, rows["weights"]), (left + unit * 4.8, rows["weights"]))
    mean = sum(weight * value for weight, value in zip(weights, VALUES, strict=True))
    shown = [round(weight, 2) for weight in weights]  # a reader can recompute the mean from these
    assert f"{sum(shown):.2f}" == "1.00"
    assert f"{sum(w * v for w, v in zip(shown, VALUES, strict=True)):.2f}" == f"{mean:.2f}"
    words = "the weighted mean of the values" if narrow else "the mean of the values with these weights"
    d.text(left + unit * 2.4, 276, f"{mean:.2f}: {words}", role="value")
    if not narrow:
        for row, words in ((60, "kernel, by distance"), (158, "weights, sum 1"), (rows["values"], "values *y*_i")):
            d.text(4, row, words, anchor="start", role="muted", size=13)
    return d
