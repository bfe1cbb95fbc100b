"""A recurrent network, step by step, as encoder and as decoder."""

from bookkit.drawing import Drawing

Words = tuple[str, ...]


def chain(d: Drawing, x: float, y: float, reads: Words, writes: Words, name: str, role: str) -> float:
    """States in a row, with what goes in below and what comes out above; returns the middle of the last one."""
    before = None
    for i, word in enumerate(reads):
        state = d.box(x + 76 * i, y, 52, 30, f"*{name}*_{i + 1}", role=role)
        below = d.box(x + 76 * i - 6, y + 58, 64, 28, word, size=13)
        d.arrow(below.top, state.bottom)
        if writes:
            above = d.box(x + 76 * i - 6, y - 60, 64, 28, writes[i], size=13)
            d.arrow(state.top, above.bottom)
        if before:
            d.arrow(before.right, state.left)
        before = state
    return x + 76 * (len(reads) - 1) + 52


def draw(narrow: bool) -> Drawing:
    d = Drawing(300, 330) if narrow else Drawing(640, 180)
    top = 24 if narrow else 78
    d.text(12, top - 14 if narrow else 18, "encoder: reads", anchor="start", bold=True)
    end = chain(d, 14, top, ("I", "am", "home"), (), "h", "key")
    x, y = (14, 232) if narrow else (330, 78)
    d.text(x, y - 74 if narrow else 8, "decoder: reads what it wrote", anchor="start", bold=True)
    chain(d, x, y, ("<bos>", "je", "suis"), ("je", "suis", "chez"), "s", "query")
    if narrow:
        d.arrow((end, top + 15), (end + 48, top + 15), dashed=True)
        d.text(end + 54, top + 15, "first state", anchor="start", role="muted", size=13)
    else:
        d.arrow((end, y + 15), (x, y + 15), "first state", dashed=True)
    return d
