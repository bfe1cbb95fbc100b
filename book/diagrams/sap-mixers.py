"""Three layers that mix a sequence: neighbours, a state, everybody."""

from bookkit.drawing import Drawing

COUNT = 5


def panel(d: Drawing, x: float, y: float, title: str, links: list[tuple[int, int]], chain: bool) -> None:
    d.text(x + 94, y, title, bold=True)
    low = [d.box(x + 38 * i, y + 96, 28, 24, f"*x*_{i + 1}", size=12) for i in range(COUNT)]
    high = [
        d.box(x + 38 * i, y + 24, 28, 24, f"*y*_{i + 1}", role="query" if i == 4 else "line", size=12)
        for i in range(COUNT)
    ]
    for j, i in links:
        d.arrow(low[j].top, high[i].bottom, role="weight" if i == 4 else "muted", width=1.5 if i == 4 else 0.8)
    if chain:
        for i in range(COUNT - 1):
            last = i + 1 == COUNT - 1  # only this one leads into the last output
            d.arrow(high[i].right, high[i + 1].left, role="weight" if last else "muted", width=1.5 if last else 0.8)


def draw(narrow: bool) -> Drawing:
    d = Drawing(200, 420) if narrow else Drawing(640, 140)
    near = [(j, i) for i in range(COUNT) for j in range(COUNT) if abs(i - j) <= 1]
    all_of = [(j, i) for i in range(COUNT) for j in range(COUNT)]
    for number, (title, links, chain) in enumerate(
        (
            ("convolution", near, False),
            ("recurrence", [(i, i) for i in range(COUNT)], True),
            ("self-attention", all_of, False),
        )
    ):
        panel(d, *((6, 12 + 140 * number) if narrow else (6 + 220 * number, 12)), title, links, chain)
    return d
