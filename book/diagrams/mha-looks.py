"""One head returns a mean of two marked vectors; two heads return both."""

from bookkit.drawing import Drawing


def row(
    d: Drawing, x: float, y: float, title: str, heads: tuple[tuple[float, ...], ...], found: tuple[str, ...]
) -> None:
    d.text(x, y, title, anchor="start", bold=True)
    items = [d.box(x + 56 * i, y + 20, 44, 28, name, role="value") for i, name in enumerate(("", "A", "", "B", ""))]
    for number, (shares, result) in enumerate(zip(heads, found, strict=True)):
        left = x + (70 if len(heads) == 1 else 6 + 140 * number)
        out = d.box(left, y + 112, 124, 30, result, role="value")
        for item, share in zip(items, shares, strict=True):
            if share:
                d.arrow(item.bottom, out.top, role="weight", width=0.8 + 3.5 * share)
                d.text(
                    (item.bottom[0] + out.top[0]) / 2 + 14,
                    y + 76,
                    f"{share:.1f}",
                    role="weight",
                    anchor="start",
                    size=13,
                )


def draw(narrow: bool) -> Drawing:
    d = Drawing(300, 340) if narrow else Drawing(650, 160)
    row(d, 8, 12, "one head", ((0, 0.5, 0, 0.5, 0),), ("½ A + ½ B",))
    place = (8, 186) if narrow else (358, 12)
    row(d, *place, "two heads", ((0, 1.0, 0, 0, 0), (0, 0, 0, 1.0, 0)), ("A", "B"))
    return d
