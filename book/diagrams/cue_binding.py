"""Two lists that differ, and one mean of both: which number belongs to which name is lost."""

from bookkit.drawing import Drawing


def one(d: Drawing, x: float, y: float, words: list[str]) -> tuple[float, float]:
    boxes = d.tokens(x, y, words, role="key", width=64)
    d.brace((boxes[0].x, y + 36), (boxes[1].x + 64, y + 36))
    return (boxes[0].x + 68, y + 48)


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 236) if narrow else Drawing(660, 150)
    first = one(d, 8, 8, ["cup 3", "lamp 0"])
    second = one(d, *((178, 8) if narrow else (8, 88)), ["cup 0", "lamp 3"])
    x, y = (80, 120) if narrow else (330, 46)
    mean = d.box(x, y, 170, 58, "½ cup + ½ lamp\n½ “3” + ½ “0”", role="value")
    if narrow:
        d.arrow(first, (mean.x + 50, mean.y), "mean")
        d.arrow(second, (mean.x + 120, mean.y), "mean")
        d.text(160, 208, "the same vector twice: how many lamps?", role="muted", size=13)
    else:
        d.arrow((first[0] + 76, first[1] - 25), (mean.x, mean.y + 16), "mean")
        d.arrow((second[0] + 76, second[1] - 25), (mean.x, mean.y + 42), "mean")
        d.text(584, 62, "the same vector:", role="muted", size=13)
        d.text(584, 82, "how many lamps?", role="muted", size=13)
    return d
