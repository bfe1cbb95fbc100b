"""What is added to the scores: a learned number for each distance, or a penalty that grows with it."""

from bookkit.drawing import Drawing


def table(d: Drawing, x: float, y: float, title: str, names: dict[int, str], strength: dict[int, float]) -> None:
    d.text(x, y, title, anchor="start", bold=True)
    for i in range(4):
        for j in range(4):
            distance = i - j
            d.box(
                x + 52 * j,
                y + 20 + 32 * i,
                48,
                28,
                names[distance],
                role="weight",
                strength=strength[distance],
                size=13,
            )


def draw(narrow: bool) -> Drawing:
    d = Drawing(230, 330) if narrow else Drawing(600, 158)
    learned = {distance: f"*b*_{{{distance}}}".replace("-", "−") for distance in range(-3, 4)}
    alibi = {distance: ("0", "−*m*", "−2*m*", "−3*m*")[abs(distance)] for distance in range(-3, 4)}
    fade = {distance: 0.45 - 0.13 * abs(distance) for distance in range(-3, 4)}
    table(d, 8, 12, "relative bias: learned", learned, fade)
    table(d, *((8, 184) if narrow else (350, 12)), "ALiBi: given", alibi, fade)
    return d
