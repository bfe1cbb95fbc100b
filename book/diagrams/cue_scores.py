"""From the query to the weights of the desk, term by term, for the wish to read."""

import math
import runpy
from pathlib import Path

from bookkit.drawing import Drawing

KEYS = runpy.run_path(str(Path(__file__).with_name("cue_keys.py")))["KEYS"]
QUERY, PULL = (0.0, 4.0, 0.0, 0.0), 2.0


def saliency(name: str) -> float:
    others = [key for other, key in KEYS.items() if other != name]
    return math.dist(KEYS[name], [sum(column) / len(others) for column in zip(*others, strict=True)])


def draw(narrow: bool) -> Drawing:
    fits = {name: sum(q * k for q, k in zip(QUERY, key, strict=True)) for name, key in KEYS.items()}
    pulls = {name: PULL * saliency(name) for name in KEYS}
    powers = {name: math.exp(fits[name] + pulls[name]) for name in KEYS}
    d = Drawing(326 if narrow else 660, 252)
    columns = (150, 205, 258, 312) if narrow else (210, 310, 410, 510)
    heads = (
        ("*q*·*k*", "*p s*", "*a*", "*α*")
        if narrow
        else ("fits: *q*·*k*_i", "pulls: *p s*_i", "score *a*_i", "weight *α*_i")
    )
    roles = ("query", "key", "ink", "weight")
    for x, head, role in zip(columns, heads, roles, strict=True):
        d.text(x, 14, head, role=role, anchor="end", bold=True)
    for row, name in enumerate(KEYS):
        y = 48 + 36 * row
        weight = powers[name] / sum(powers.values())
        d.text(6, y, name, anchor="start")
        numbers = (fits[name], pulls[name], fits[name] + pulls[name], weight)
        for x, number, role in zip(columns, numbers, roles, strict=True):
            d.text(x, y, f"{number:.2f}", role=role, anchor="end")
        if not narrow:
            d.box(530, y - 9, 120 * weight, 18, role="weight", strength=0.8)
    return d
