"""Stepwise decoding: each new token must be given its own position, not position 0."""

from bookkit.drawing import Drawing

WORDS = ("le", "chat", "noir")


def row(d: Drawing, x: float, y: float, title: str, places: tuple[int, ...], right: bool) -> None:
    d.text(x, y, title, anchor="start", bold=True)
    for step, (word, place) in enumerate(zip(WORDS, places, strict=True)):
        left = x + 88 * step
        d.box(left, y + 22, 74, 30, word, role="key" if step < 2 else "query")
        d.text(left + 37, y + 70, f"position {place}", role="ink" if right else "query", size=13)
        d.text(left + 37, y + 90, f"step {step + 1}", role="muted", size=12)


def draw(narrow: bool) -> Drawing:
    d = Drawing(280, 232) if narrow else Drawing(620, 112)
    row(d, 6, 12, "offset = tokens written so far", (0, 1, 2), True)
    row(d, *((6, 130) if narrow else (340, 12)), "offset forgotten", (0, 0, 0), False)
    return d
