"""Which pairs of query and key are compared: all before, a window, a window with sinks, or none but a state."""

from bookkit.drawing import Drawing

SIZE, NEAR = 9, 3


def pairs(kind: str) -> list[list[float]]:
    def seen(i: int, j: int) -> bool:
        return j <= i and (kind == "all" or i - j < NEAR or (kind == "sinks" and j == 0))

    return [[0.6 * seen(i, j) for j in range(SIZE)] for i in range(SIZE)]


def draw(narrow: bool) -> Drawing:
    d = Drawing(322, 400) if narrow else Drawing(690, 206)
    cell = 15
    names = (("all", "all before it", "n² / 2 pairs"), ("window", "a window", "n · w pairs"))
    names += (("sinks", "window and sink", "n · (w + 1) pairs"),)
    for i, (kind, title, below) in enumerate(names):
        x, y = (10 + i % 2 * 168, 4 + i // 2 * 200) if narrow else (10 + i * 172, 4)
        d.text(x, y + 8, title, anchor="start", bold=True, size=13)
        d.matrix(x, y + 26, pairs(kind), role="weight", cell=cell)
        d.text(x, y + 178, below, anchor="start", role="muted", size=12)
    x, y = (178, 204) if narrow else (526, 4)
    d.text(x, y + 8, "a state", anchor="start", bold=True, size=13)
    for i in range(4):
        top = y + 28 + i * 36
        token = d.box(x, top, 34, 24, f"*x*_{i + 1}", role="key", size=13)
        state = d.box(x + 64, top, 40, 24, f"*S*_{i + 1}", role="value", strength=0.35, size=13)
        d.arrow(token.right, state.left)
        if i:
            d.arrow((x + 84, top - 12), (x + 84, top))
    d.text(x, y + 178, "n steps", anchor="start", role="muted", size=12)
    return d
